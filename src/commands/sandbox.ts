import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts'
import { sandboxActions } from '../admin/actions/sandbox.ts'
import { MAX_ADVANCE_MS } from '../sandbox/advance.ts'
import { act, command, InputError } from './command.ts'
import { required, workspace } from './inputs.ts'

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
