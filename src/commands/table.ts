import { existsSync } from 'node:fs'
import { StartupError } from '../lib/errors.ts'
import { accountConnect, accountDelete, accountList, accountSync } from './account.ts'
import { backup, restore } from './instance/backup.ts'
import { codSettingsGet, codSettingsSet } from './cod-settings.ts'
import type { Command, CommandGroup } from './command.ts'
import { doctor } from './diagnose/doctor.ts'
import {
  endpointAdd,
  endpointDelete,
  endpointEnable,
  endpointList,
  endpointPause,
  endpointPing,
  endpointResend,
  endpointResume,
  endpointRotate,
  endpointUpdate,
} from './endpoint.ts'
import { explainCommand } from './diagnose/explain.ts'
import { keyCreate, keyList, keyRevoke } from './key.ts'
import { listenCommand } from './listen/listen.ts'
import { sandboxAdvance } from './sandbox.ts'
import { invitationList, personLink, personList } from './person.ts'
import { quarantineList, quarantineRelease } from './diagnose/quarantine.ts'
import { retentionConfirm, retentionPreview } from './instance/retention.ts'
import { secretsNewKey, secretsRotate, secretsStatus } from './instance/secrets.ts'
import { blockAdd, blockList, blockRemove, recipientErase, recipientExport } from './recipient.ts'
import { senderList, senderPause, senderResume } from './sender.ts'
import { verifyCommand } from './diagnose/verify.ts'
import { version } from './version.ts'
import { workspaceCreate, workspaceDelete, workspaceList, workspaceQuota, workspaceRestore } from './workspace.ts'

/** main.ts and demo.ts are loaded on use: other commands need neither the web server nor the emulator. */
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
          'This is the image for production: it has no WhatsApp emulator and no demo. Run "doorcode serve", or build the complete image.',
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
      workspaceCreate,
      workspaceList,
      workspaceQuota,
      workspaceDelete,
      workspaceRestore,
      accountConnect,
      accountList,
      accountSync,
      accountDelete,
      senderList,
      senderPause,
      senderResume,
      keyCreate,
      keyList,
      keyRevoke,
      endpointAdd,
      endpointList,
      endpointUpdate,
      endpointDelete,
      endpointPing,
      endpointPause,
      endpointResume,
      endpointEnable,
      endpointRotate,
      endpointResend,
      codSettingsSet,
      codSettingsGet,
      personList,
      personLink,
      invitationList,
      secretsStatus,
      secretsNewKey,
      secretsRotate,
    ],
  },
  {
    title: 'Watch and fix',
    commands: [
      doctor,
      verifyCommand,
      explainCommand,
      quarantineList,
      quarantineRelease,
      blockAdd,
      blockList,
      blockRemove,
    ],
  },
  { title: 'Data', commands: [backup, restore, recipientExport, recipientErase, retentionPreview, retentionConfirm] },
  { title: 'Test', commands: [listenCommand, sandboxAdvance] },
  { title: 'About', commands: [version] },
]

export const commands: readonly Command[] = groups.flatMap((group) => group.commands)
