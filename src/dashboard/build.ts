import path from 'node:path'
import { type Pages, builtPages } from '../../emulator/phone/built-pages.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

export const dashboardPages: Pages = {
  from: path.join(ROOT, 'dashboard'),
  root: ROOT,
  sources: [
    'dashboard/**/*.{ts,tsx,css,html,svg}',
    'emulator/phone/**/*.{ts,tsx,css,html,svg}',
    'src/cod/{settings-changes,status-words}.ts',
    'src/templates/{draft,languages,parameters}.ts',
    'src/{sentences,throttled}.ts',
    'package-lock.json',
  ],
  keptIn: path.join(ROOT, 'dashboard/dist'),
}

/** The folder with the built pages of the dashboard; see builtPages. */
export const builtDashboard = (): Promise<string> => builtPages(dashboardPages)
