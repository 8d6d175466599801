import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts'
import { sandboxActions } from '../admin/actions/sandbox.ts'
import { MONTH_DAYS } from '../sandbox/month/plan.ts'
import { MAX_ADVANCE_MS } from '../sandbox/advance.ts'
import { asWritten } from '../../locales/text.ts'
import { UserError } from '../lib/errors.ts'
import { act, command, InputError } from './command.ts'
import { flag, optional, required, workspace } from './inputs.ts'

/** `1d12h`, `23h`, `90s`: days, hours, minutes and seconds in this order. */
const DURATION = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/
const UNITS_MS = [DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS] as const

const MAX_DAYS = MAX_ADVANCE_MS / DAY_MS

const duration = required('duration', `Such as 23h, 90s or 1d12h30m; up to ${MAX_DAYS} days.`, (text) => {
  const counts = DURATION.exec(text)?.slice(1) ?? []
  const ms = UNITS_MS.reduce((sum, unitMs, index) => sum + unitMs * Number(counts[index] ?? 0), 0)
  if (ms === 0) throw new InputError(`must be a duration such as 23h, 90s or 1d12h30m, not "${text}"`)
  if (ms > MAX_ADVANCE_MS) throw new InputError(`must be at most ${MAX_DAYS} days, not "${text}"`)
  return ms
})

export const sandboxAdvance = command({
  words: 'sandbox advance',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --by 1d12h',
  summary: 'Move the clock of a sandbox workspace forward, and run everything that falls due on the way.',
  options: { workspace, by: duration },
  async run(operator, { workspace: workspaceId, by: byMs }) {
    const { now, advancedBy, fired } = await act(sandboxActions.advance, operator, {
      workspaceId,
      to: { byMs },
      maxMs: Number.POSITIVE_INFINITY,
    })
    return { workspaceId, now, advancedBy, fired }
  },
  format({ now, fired }) {
    const counts = Object.entries(fired)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${count} ${NOUNS[kind as keyof typeof fired][count === 1 ? 0 : 1]}`)
    return `The workspace's clock shows ${now}. On the way: ${counts.join(', ') || 'nothing fell due'}.`
  },
})

const NOUNS = {
  reminders: ['reminder', 'reminders'],
  deadlines: ['deadline', 'deadlines'],
  followUpExpiries: ['follow-up that expired', 'follow-ups that expired'],
  messages: ['message', 'messages'],
  events: ['event', 'events'],
  webhookAttempts: ['attempt to deliver a webhook', 'attempts to deliver a webhook'],
} as const

const days = optional(
  required('number', `How many days before now, from 1 to ${MONTH_DAYS}; by default ${MONTH_DAYS}.`, (text) => {
    const count = /^\d+$/.test(text) ? Number(text) : 0
    if (count >= 1 && count <= MONTH_DAYS) return count
    throw new InputError(`must be a whole number from 1 to ${MONTH_DAYS}, not "${text}"`)
  }),
)

export const sandboxFill = command({
  words: 'sandbox fill',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary:
    'Fill an empty sandbox workspace with a demo month: orders, codes and customers of a shop, made in the background.',
  options: { workspace, days },
  async run(operator, { workspace: workspaceId, days: given = MONTH_DAYS }) {
    await act(sandboxActions.fill, operator, { workspaceId, days: given })
    return { workspaceId, days: given }
  },
  format: ({ days: given }) =>
    `The sandbox is being filled with the last ${given === 1 ? 'day' : `${given} days`} of a shop. A running server does this in about a minute.`,
})

export const sandboxEmpty = command({
  words: 'sandbox empty',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --yes',
  summary: 'Remove everything that a sandbox workspace has sent and received, in the background. Its setup stays.',
  options: { workspace, yes: flag('Required: what was removed cannot be restored.') },
  async run(operator, { workspace: workspaceId, yes }) {
    if (!yes)
      throw new UserError(
        asWritten('This removes all messages, confirmations and events of the sandbox for good. To do so, add --yes.'),
      )
    await act(sandboxActions.empty, operator, { workspaceId })
    return { workspaceId }
  },
  format: () => 'The sandbox is being emptied. A running server does this in a few seconds.',
})
