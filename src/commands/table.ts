import { accountConnect, accountDelete, accountSync } from './account.ts'
import { blockAdd, blockRemove } from './block.ts'
import { codSettingsGet, codSettingsSet } from './cod-settings.ts'
import type { Command } from './command.ts'
import {
  endpointAdd,
  endpointEnable,
  endpointList,
  endpointPause,
  endpointPing,
  endpointResend,
  endpointResume,
  endpointRotate,
} from './endpoint.ts'
import { explainCommand } from './explain.ts'
import { keyCreate, keyRevoke } from './key.ts'
import { sandboxAdvance } from './sandbox.ts'
import { personLink, personList } from './person.ts'
import { quarantineList, quarantineRelease } from './quarantine.ts'
import { senderList, senderPause, senderResume } from './sender.ts'
import { workspaceAllowance, workspaceCreate, workspaceDelete, workspaceList, workspaceRestore } from './workspace.ts'

/** main.ts and demo.ts are loaded on use: other commands need neither the web server nor the emulator. */
const serve: Command = {
  words: 'serve',
  summary: 'Run the API, workers and dashboard, with an embedded PostgreSQL unless DATABASE_URL is set.',
  options: {},
  work: { on: 'config', run: async (config) => (await import('../main.ts')).serve(config) },
}

const start: Command = {
  words: 'start',
  summary: 'Run a demo: everything that "serve" runs, a WhatsApp emulator and a demo workspace.',
  options: {},
  work: { on: 'config', run: async (config) => (await import('../demo.ts')).startDemo(config) },
}

export const commands: readonly Command[] = [
  start,
  serve,
  workspaceCreate,
  workspaceList,
  workspaceAllowance,
  workspaceDelete,
  workspaceRestore,
  keyCreate,
  keyRevoke,
  accountConnect,
  accountSync,
  accountDelete,
  senderList,
  senderPause,
  senderResume,
  endpointAdd,
  endpointList,
  endpointPing,
  endpointPause,
  endpointResume,
  endpointEnable,
  endpointRotate,
  endpointResend,
  codSettingsSet,
  codSettingsGet,
  blockAdd,
  blockRemove,
  personList,
  personLink,
  quarantineList,
  quarantineRelease,
  sandboxAdvance,
  explainCommand,
]
