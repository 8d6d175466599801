import { existsSync } from 'node:fs'
import { StartupError } from '../lib/errors.ts'
import { accountCommands } from './account.ts'
import { backupCommands } from './instance/backup.ts'
import { blockCommands } from './block.ts'
import { codSettingsCommands } from './cod-settings.ts'
import type { Command, CommandGroup } from './command.ts'
import { doctor } from './diagnose/doctor.ts'
import { endpointCommands } from './endpoint.ts'
import { explainCommand } from './diagnose/explain.ts'
import { invitationList } from './invitation.ts'
import { keyCommands } from './key.ts'
import { hookCommands } from './hook.ts'
import { listenCommand } from './listen/listen.ts'
import { mcpCommand } from './mcp/mcp.ts'
import { sandboxAdvance, sandboxEmpty, sandboxFill } from './sandbox.ts'
import { personCommands } from './person.ts'
import { quarantineCommands } from './diagnose/quarantine.ts'
import { retentionCommands } from './instance/retention.ts'
import { secretsCommands } from './instance/secrets.ts'
import { recipientCommands } from './recipient.ts'
import { senderCommands } from './sender.ts'
import { supportBundle } from './diagnose/support-bundle.ts'
import { verifyCommand } from './diagnose/verify.ts'
import { version } from './version.ts'
import { workspaceCommands } from './workspace.ts'

/** serve.ts and demo/demo.ts are loaded on use: other commands need neither the web server nor the emulator. */
const serve: Command = {
  words: 'serve',
  example: '',
  summary: 'Run the API, workers and dashboard, with an embedded PostgreSQL unless DATABASE_URL is set.',
  options: {},
  work: { on: 'config', run: async (config) => (await import('./serve.ts')).serve(config) },
}

const start: Command = {
  words: 'start',
  example: '',
  summary: 'Run a demo: everything that "serve" runs, a WhatsApp emulator and a demo workspace.',
  options: {},
  work: {
    on: 'config',
    async run(config, { program }) {
      if (!existsSync(new URL('./demo/demo.ts', import.meta.url)))
        throw new StartupError(
          'This is the image for production: it has no WhatsApp emulator and no demo. Run “doorcode serve”, or build the complete image.',
        )
      await (await import('./demo/demo.ts')).startDemo(config, program)
    },
  },
}

/** In the order of `doorcode --help`. */
export const groups: readonly CommandGroup[] = [
  { title: 'Start', commands: [start, serve] },
  {
    title: 'Set up',
    commands: [
      ...workspaceCommands,
      ...accountCommands,
      ...senderCommands,
      ...keyCommands,
      ...endpointCommands,
      ...hookCommands,
      ...codSettingsCommands,
      ...personCommands,
      invitationList,
      ...secretsCommands,
    ],
  },
  {
    title: 'Watch and fix',
    commands: [
      doctor,
      supportBundle,
      verifyCommand,
      explainCommand,
      ...quarantineCommands,
      ...blockCommands,
      mcpCommand,
    ],
  },
  { title: 'Data', commands: [...backupCommands, ...recipientCommands, ...retentionCommands] },
  { title: 'Test', commands: [listenCommand, sandboxAdvance, sandboxFill, sandboxEmpty] },
  { title: 'About', commands: [version] },
]

export const commands: readonly Command[] = groups.flatMap((group) => group.commands)
