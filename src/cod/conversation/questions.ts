import type { Check } from '../../messages/conversation.ts'
import type { Choice, Content } from '../../providers/provider.ts'
import { dayLabels } from './labels.ts'
import type { SentPurpose } from './machine.ts'
import { encodeReply } from './replies.ts'
import { type CodSettings, WEEKDAYS } from '../settings/settings.ts'

export type ComposedPurpose = Exclude<SentPurpose, 'reminder'>

/** `offered`: the value of each choice, by index. Stored, since settings and days change after the question. */
type ComposedMessage = { content: Content; offered?: string[] }

export type MessageContext = {
  /** The language may have been removed since the conversation began. */
  settings: CodSettings
  language: string
  /** Part of each reply's payload. */
  questionId: string
  /** In the workspace's time. */
  now: Date
  check: Check
}

/** Returns undefined if the language is no longer configured, or has no closing message for this check. */
export function composeMessage(purpose: ComposedPurpose, context: MessageContext): ComposedMessage | undefined {
  const { settings, language, questionId, now, check } = context
  const languageSettings = Object.hasOwn(settings.languages, language) ? settings.languages[language] : undefined
  if (!languageSettings) return undefined
  const { texts, timeRanges, refusalReasons, closingMessages } = languageSettings
  switch (purpose) {
    case 'day_question': {
      const offered = deliveryDates(settings, now)
      const buttons = choices(questionId, dayLabels(offered, language))
      return { content: { type: 'buttons', body: texts.dayQuestion, buttons }, offered }
    }
    case 'time_question': {
      const buttons = choices(questionId, timeRanges)
      return { content: { type: 'buttons', body: texts.timeQuestion, buttons }, offered: timeRanges }
    }
    case 'reasons_question': {
      const { refusalReasonQuestion: body, reasonsListButton: button, otherLabel } = texts
      const offered = [...refusalReasons, otherLabel]
      return { content: { type: 'list', body, button, rows: choices(questionId, offered) }, offered }
    }
    case 'note_prompt':
      return { content: { type: 'text', body: texts.notePrompt } }
    case 'closing': {
      const body = closingMessages[check]
      return body === null ? undefined : { content: { type: 'text', body } }
    }
  }
}

const choices = (questionId: string, titles: readonly string[]): Choice[] =>
  titles.map((title, index) => ({ id: encodeReply({ to: 'question', questionId, index }), title }))

/**
 * Starts tomorrow in the delivery time zone, where a day may have 23 hours or begin at 01:00. At most six weekdays are
 * skipped, so each week has a day to offer.
 */
function deliveryDates({ timeZone, deliveryDays: { offered, skipWeekdays } }: CodSettings, now: Date): string[] {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone).toPlainDate()
  return Array.from({ length: offered * WEEKDAYS.length }, (_, index) => today.add({ days: index + 1 }))
    .filter((date) => !skipWeekdays.some((name) => WEEKDAYS.indexOf(name) + 1 === date.dayOfWeek))
    .slice(0, offered)
    .map(String)
}
