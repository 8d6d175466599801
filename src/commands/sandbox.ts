import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../clock.ts'
import { ADVANCE_MOST_MS, advanceSandbox } from '../sandbox/advance.ts'
import { command, type Input, Misread, required } from './command.ts'
import { uuid } from './inputs.ts'

/** `1d12h`, `23h`, `90s`: days, hours, minutes and seconds in this order. */
const SPAN = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/
const UNITS_MS = [DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS] as const

const span: Omit<Input<number>, 'kind'> = {
  placeholder: 'SPAN',
  read(text) {
    const counts = SPAN.exec(text)?.slice(1) ?? []
    const ms = UNITS_MS.reduce((sum, unitMs, index) => sum + unitMs * Number(counts[index] ?? 0), 0)
    if (ms === 0) throw new Misread(`must be a span of time such as 23h, 90s or 1d12h30m, not "${text}"`)
    if (ms > ADVANCE_MOST_MS) throw new Misread(`must be ${ADVANCE_MOST_MS / DAY_MS} days at the most, not "${text}"`)
    return ms
  },
}

export const sandboxAdvance = command({
  words: 'sandbox advance',
  summary:
    'Move the clock of a sandbox workspace forward, such as by 23h or 1d12h; whatever falls due on the way happens.',
  options: { workspace: required(uuid('W')), by: required(span) },
  changes: true,
  async run(parts, { workspace: workspaceId, by: byMs }, record) {
    const of = { workspaceId, target: 'clock' }
    const advanced = await advanceSandbox(parts, {
      workspaceId,
      byMs,
      alongside: (tx) => record(tx, { ...of, after: { askedSeconds: byMs / SECOND_MS } }),
    })
    const after = { bySeconds: advanced.advancedBy / SECOND_MS, now: advanced.now }
    await record(parts.db, { ...of, after })
    return advanced
  },
  tell({ now, fired }) {
    const happened = Object.entries(fired).filter(([, count]) => count > 0)
    const counts = happened.map(([what, count]) => `${count} ${WORDS[what as keyof typeof fired][count === 1 ? 0 : 1]}`)
    return `The workspace's clock shows ${now}. On the way: ${counts.join(', ') || 'nothing fell due'}.`
  },
})

const WORDS = {
  reminders: ['reminder', 'reminders'],
  deadlines: ['deadline', 'deadlines'],
  followUpExpiries: ['follow-up that expired', 'follow-ups that expired'],
  messages: ['message', 'messages'],
  events: ['event', 'events'],
  webhookAttempts: ['attempt to deliver a webhook', 'attempts to deliver a webhook'],
} as const
