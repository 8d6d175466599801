/** `npm run pages`: builds the pages in advance, for a server that may not write to this folder. */
import { emulatorPages } from '../packages/whatsapp-emulator/src/control/pages.ts'
import { builtPages } from '../packages/whatsapp-emulator/src/pages/built-pages.ts'
import { builtDashboard } from '../src/admin/pages/pages.ts'

await Promise.all([builtDashboard(), builtPages(emulatorPages)])
