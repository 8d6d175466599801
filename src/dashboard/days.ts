import { z } from 'zod'
import { type Day, beginOf, dayAfter } from '../charts/days.ts'
import { keptSentences } from '../sentences.ts'

const says = keptSentences({ day: { en: 'must be a day such as {example}', ar: 'يجب أن يكون يومًا مثل {example}' } })

/** A day of the delivery zone. */
export const dayInput = z.iso.date(says.day({ example: '2026-11-25' }).en)

export type Days = { from?: Day | undefined; to?: Day | undefined }

/** What days mean, both included: from the first instant, until the one that does not count any more. */
export const instantsOf = ({ from, to }: Days, timeZone: string): { from: Date | null; until: Date | null } => ({
  from: from === undefined ? null : beginOf(from, timeZone),
  until: to === undefined ? null : beginOf(dayAfter(to, 1), timeZone),
})
