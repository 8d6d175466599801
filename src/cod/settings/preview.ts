import type { Check } from '../../messages/conversation.ts'
import type { Content } from '../../providers/provider.ts'
import { type ComposedPurpose, composeMessage } from '../conversation/questions.ts'
import { languageStarts } from './language-starts.ts'
import { memberOf } from './member.ts'
import { readCodSettings } from './settings.ts'

/** A preview is never sent. */
const PREVIEW_QUESTION_ID = '00000000-0000-0000-0000-000000000000'

/** The members of the settings that one message needs. */
type Needs = { general?: string[]; lists?: string[]; texts?: string[]; closing?: Check }

/**
 * What the customer would get in one language; null when its settings have a fault, or it is not sent. Uses the functions
 * that compose real messages, on settings that may be incomplete: each message is composed from only the settings that it
 * needs, so that a fault elsewhere does not hide it.
 */
export function previewOf(draft: unknown, language: string, now: Date) {
  const languageDraft = memberOf(memberOf(draft, 'languages'), language)
  const preview = (
    purpose: ComposedPurpose,
    { general = [], lists = [], texts = [], closing: check = 'confirmation' }: Needs,
  ): Content | null => {
    const filled = {
      ...FILLER,
      ...membersOf(languageDraft, lists),
      texts: { ...FILLER?.texts, ...membersOf(memberOf(languageDraft, 'texts'), texts) },
      closingMessages: purpose === 'closing' ? membersOf(memberOf(languageDraft, 'closingMessages'), [check]) : {},
    }
    const read = readCodSettings({
      timeZone: 'UTC',
      ...membersOf(draft, general),
      languages: { [language]: filled },
    })
    if (!('settings' in read)) return null
    const context = { settings: read.settings, language, questionId: PREVIEW_QUESTION_ID, now, check }
    return composeMessage(purpose, context)?.content ?? null
  }
  return {
    dayQuestion: preview('day_question', { general: ['timeZone', 'deliveryDays'], texts: ['dayQuestion'] }),
    timeQuestion: preview('time_question', { texts: ['timeQuestion'], lists: ['timeRanges'] }),
    reasonsQuestion: preview('reasons_question', {
      texts: ['refusalReasonQuestion', 'reasonsListButton', 'otherLabel'],
      lists: ['refusalReasons'],
    }),
    notePrompt: preview('note_prompt', { texts: ['notePrompt'] }),
    afterConfirmation: preview('closing', { closing: 'confirmation' }),
    afterRefusal: preview('closing', { closing: 'refusal' }),
  }
}

/** Values for the settings that a message does not need. */
const FILLER = languageStarts['en']

const membersOf = (value: unknown, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, memberOf(value, name)]))
