import { type Verification, verify } from '../../operations/verify/verify.ts'
import { command } from '../command.ts'
import { instant, optional, uuid } from '../inputs.ts'

export const verifyCommand = command({
  words: 'verify',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary:
    'Recompute every status, answer, event, delivery and count from the stored facts. The exit code is 1 if there is a difference.',
  options: {
    workspace: optional(uuid('Only this workspace. Default: all workspaces.')),
    since: optional(
      instant('Only what was accepted since this time, such as 2026-12-01T00:00:00Z. Default: everything.'),
    ),
  },
  run: (parts, { workspace: workspaceId, since }, { progress }) => verify(parts, { workspaceId, since, progress }),
  interruptedMessage:
    'The verification was interrupted. It changes nothing. Run it again; --workspace and --since make it shorter.',
  failed: ({ differences }) => differences.total > 0,
  format({ checked, notVerifiable, differences }) {
    const lines = differences.shown.map(({ workspaceId, id, text }) => `${id}  workspace ${workspaceId}  ${text}`)
    const omitted = differences.total - differences.shown.length
    if (omitted > 0) lines.push(`${omitted} more differences are not listed.`)
    const unverifiable = textOf(notVerifiable)
    lines.push(
      `Compared: ${textOf(checked) || 'nothing'}.`,
      ...(unverifiable ? [`Not verifiable, because the facts behind them were removed: ${unverifiable}.`] : []),
      `Differences: ${differences.total}.`,
    )
    return lines.join('\n')
  },
})

const NOUNS = {
  messages: 'messages',
  confirmations: 'confirmations',
  events: 'events',
  months: 'monthly counters',
  days: 'daily figures',
} as const

const textOf = (counts: Verification['checked']): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${NOUNS[kind as keyof typeof counts]}: ${count}`)
    .join(', ')
