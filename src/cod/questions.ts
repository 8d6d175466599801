import type { Choice, Content } from '../providers/provider.ts'
import { dayLabels } from './labels.ts'
import { writeReply } from './replies.ts'
import { type CodSettings, type LanguageSettings, WEEKDAYS } from './settings.ts'

/** `offered` is what each choice means, by its index; it is stored, since settings and days change under old questions. */
export type Question = { content: Content; offered: string[] }

/** Which conversation's language of the settings in force. It may have been taken out since the conversation began. */
export type Spoken = { settings: CodSettings; language: string }
/** Asked under an id that its replies come back with. */
export type Asked = Spoken & { questionId: string }

/** Offers dates, YYYY-MM-DD. Undefined when the language is no longer configured. */
export function dayQuestion({ settings, language, questionId, now }: Asked & { now: Date }): Question | undefined {
  const words = wordsOf({ settings, language })
  if (!words) return undefined
  const offered = deliveryDates(settings, now)
  const buttons = choices(questionId, dayLabels(offered, language))
  return { content: { type: 'buttons', body: words.texts.dayQuestion, buttons }, offered }
}

/** Offers the configured labels. Undefined when the language is no longer configured. */
export function timeQuestion({ settings, language, questionId }: Asked): Question | undefined {
  const words = wordsOf({ settings, language })
  if (!words) return undefined
  const offered = words.timeRanges
  const buttons = choices(questionId, offered)
  return { content: { type: 'buttons', body: words.texts.timeQuestion, buttons }, offered }
}

/** Offers the configured reasons, and as the last one the Other label. Undefined as above. */
export function reasonsQuestion({ settings, language, questionId }: Asked): Question | undefined {
  const words = wordsOf({ settings, language })
  if (!words) return undefined
  const { refusalReasonQuestion: body, reasonsListButton: button, otherLabel } = words.texts
  const offered = [...words.refusalReasons, otherLabel]
  return { content: { type: 'list', body, button, rows: choices(questionId, offered) }, offered }
}

/** Undefined when the language is no longer configured. */
export function notePrompt(spoken: Spoken): Content | undefined {
  const words = wordsOf(spoken)
  return words && { type: 'text', body: words.texts.notePrompt }
}

/** Undefined when the settings have none for this check, or the language no longer. */
export function closingMessage(spoken: Spoken & { check: 'confirmation' | 'refusal' }): Content | undefined {
  const body = wordsOf(spoken)?.closingMessages[spoken.check]
  return body == null ? undefined : { type: 'text', body }
}

const wordsOf = ({ settings: { languages }, language }: Spoken): LanguageSettings | undefined =>
  Object.hasOwn(languages, language) ? languages[language] : undefined

const choices = (questionId: string, titles: readonly string[]): Choice[] =>
  titles.map((title, index) => ({ id: writeReply({ to: 'question', questionId, index }), title }))

const DAYS_A_WEEK = WEEKDAYS.length

/**
 * From tomorrow on the calendar of the delivery time zone, where a day may have 23 hours, or begin at 01:00. With at most
 * six weekdays skipped each week has a day to offer.
 */
function deliveryDates({ timeZone, deliveryDays: { offered, skipWeekdays } }: CodSettings, now: Date): string[] {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  return Array.from({ length: offered * DAYS_A_WEEK }, (_, index) => today.add({ days: index + 1 }))
    .filter((date) => !skipWeekdays.some((name) => WEEKDAYS.indexOf(name) + 1 === date.dayOfWeek))
    .slice(0, offered)
    .map(String)
}
