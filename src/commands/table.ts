import { accountConnect, accountSync } from './account.ts'
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
import { senderList, senderPause, senderResume } from './sender.ts'
import { serve, start } from './serve.ts'
import { workspaceAllowance, workspaceCreate } from './workspace.ts'

/** Every command (contract §9). */
export const commands: readonly Command[] = [
  start,
  serve,
  workspaceCreate,
  workspaceAllowance,
  keyCreate,
  keyRevoke,
  accountConnect,
  accountSync,
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
  sandboxAdvance,
  explainCommand,
]
