import type { Content } from '../providers/provider.ts'
import { closingMessage, dayQuestion, notePrompt, reasonsQuestion, timeQuestion } from './questions.ts'
import { type CodSettings, readCodSettings } from './settings.ts'

/** What the customer would get in one language. Null: what it is made of has a fault, or it is not sent at all. */
export type Preview = Record<(typeof PARTS)[number], Content | null>

const PARTS = [
  'dayQuestion',
  'timeQuestion',
  'reasonsQuestion',
  'notePrompt',
  'afterConfirmation',
  'afterRefusal',
] as const

/** Nothing that is only looked at is ever sent under it. */
const NO_QUESTION = '00000000-0000-0000-0000-000000000000'

/**
 * Made by the functions that make what is sent, from settings that need not be whole: each message is read with what it
 * is made of alone, so that a fault elsewhere does not hide it.
 */
export function previewOf(draft: unknown, language: string, now: Date): Preview {
  const wanted = memberOf(memberOf(draft, 'languages'), language)
  const texts = memberOf(wanted, 'texts')
  const closing = memberOf(wanted, 'closingMessages')
  const withTexts = (...names: string[]) => ({
    texts: { ...FILLER.texts, ...Object.fromEntries(names.map((name) => [name, memberOf(texts, name)])) },
  })
  const made = (members: object, make: (settings: CodSettings) => Content | undefined, more: object = {}) => {
    const read = readCodSettings({ timeZone: 'UTC', ...more, languages: { [language]: { ...FILLER, ...members } } })
    return ('settings' in read && make(read.settings)) || null
  }
  const asked = { language, questionId: NO_QUESTION }
  return {
    dayQuestion: made(withTexts('dayQuestion'), (settings) => dayQuestion({ ...asked, settings, now })?.content, {
      timeZone: memberOf(draft, 'timeZone'),
      deliveryDays: memberOf(draft, 'deliveryDays'),
    }),
    timeQuestion: made(
      { ...withTexts('timeQuestion'), timeRanges: memberOf(wanted, 'timeRanges') },
      (settings) => timeQuestion({ ...asked, settings })?.content,
    ),
    reasonsQuestion: made(
      {
        ...withTexts('refusalReasonQuestion', 'reasonsListButton', 'otherLabel'),
        refusalReasons: memberOf(wanted, 'refusalReasons'),
      },
      (settings) => reasonsQuestion({ ...asked, settings })?.content,
    ),
    notePrompt: made(withTexts('notePrompt'), (settings) => notePrompt({ settings, language })),
    afterConfirmation: made({ closingMessages: { confirmation: memberOf(closing, 'confirmation') } }, (settings) =>
      closingMessage({ settings, language, check: 'confirmation' }),
    ),
    afterRefusal: made({ closingMessages: { refusal: memberOf(closing, 'refusal') } }, (settings) =>
      closingMessage({ settings, language, check: 'refusal' }),
    ),
  }
}

/** In place of what a message is not made of. No label of it can be one that a draft holds as well. */
const FILLER = {
  texts: {
    dayQuestion: '-',
    timeQuestion: '-',
    refusalReasonQuestion: '-',
    reasonsListButton: '-',
    otherLabel: '-',
    notePrompt: '-',
  },
  timeRanges: ['-'],
  refusalReasons: ['--'],
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
