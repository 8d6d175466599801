import { List, Text } from '@mantine/core'
import type { SettingsChange } from '../../src/cod/settings-changes.ts'
import type { Language } from '../words.ts'
import { useLanguage, useWords } from '../words.ts'
import { minutesInWords } from './fields.tsx'
import { nameOfLanguage } from './languages.ts'
import { type CodWords, codWords } from './words.ts'

type Told = { changes: readonly SettingsChange[]; note?: (pointer: string) => string | undefined }

/** What is different, each with what it was before. */
export function Changes({ changes, note }: Told) {
  const text = useWords(codWords)
  const { language } = useLanguage()
  return (
    <List size="sm" listStyleType="disc">
      {changes.map(({ pointer, before, after }) => (
        <List.Item key={pointer}>
          <Text span inherit fw={600}>
            {placeInWords(pointer, text, language)}
          </Text>
          {': '}
          <bdi>{valueInWords(pointer, after, text, language) ?? text.removed}</bdi>
          {before !== undefined && after !== undefined && (
            <>
              {' '}
              ({text.was} <bdi>{valueInWords(pointer, before, text, language)}</bdi>)
            </>
          )}
          {note?.(pointer) && (
            <Text span inherit display="block" fs="italic">
              {note(pointer)}
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  )
}

const PLACES: Readonly<Record<string, keyof CodWords>> = {
  '/timeZone': 'timeZone',
  '/deliveryDays/offered': 'offered',
  '/deliveryDays/skipWeekdays': 'skipWeekdays',
  '/deliveryDays': 'deliveries',
}

const MEMBERS: Readonly<Record<string, keyof CodWords>> = {
  reminderMinutes: 'remindsAfter',
  noResponseMinutes: 'noResponse',
  timeRanges: 'timeRanges',
  refusalReasons: 'refusalReasons',
  confirmation: 'closingConfirmation',
  refusal: 'closingRefusal',
  dayQuestion: 'dayQuestion',
  timeQuestion: 'timeQuestion',
  refusalReasonQuestion: 'refusalReasonQuestion',
  reasonsListButton: 'reasonsListButton',
  otherLabel: 'otherLabel',
  notePrompt: 'notePrompt',
}

/** Where something is, as the page calls it. Items of lists are told with the list. */
export function placeInWords(pointer: string, text: CodWords, language: Language): string {
  const place = PLACES[pointer]
  if (place) return text[place]
  const [first = '', second, ...rest] = pointer.slice(1).split('/')
  if (first === 'confirmation' || first === 'refusal') {
    const member = second === undefined ? undefined : MEMBERS[second]
    return member ? `${text[first]} · ${text[member]}` : text[first]
  }
  if (first !== 'languages') return place ?? pointer
  if (second === undefined) return text.languages
  const member = MEMBERS[rest.filter((step) => !/^\d+$/.test(step)).at(-1) ?? '']
  const number = rest.find((step) => /^\d+$/.test(step))
  return [
    nameOfLanguage(second, language),
    ...(member ? [text[member]] : []),
    ...(number === undefined ? [] : [String(Number(number) + 1)]),
  ].join(' · ')
}

/** Undefined for what is not there. */
function valueInWords(pointer: string, value: unknown, text: CodWords, language: Language): string | undefined {
  if (value === undefined) return undefined
  if (value === null) return text.none
  if (typeof value === 'number') return pointer.endsWith('Minutes') ? minutesInWords(value, language) : String(value)
  if (typeof value === 'string') return `“${value}”`
  if (!Array.isArray(value)) return text.added
  const items = value.map((item) => (pointer === SKIPPED && isWord(item, text) ? text[item] : String(item)))
  return items.length === 0 ? text.none : items.join(language === 'ar' ? '، ' : ', ')
}

const SKIPPED = '/deliveryDays/skipWeekdays'

const isWord = (item: unknown, text: CodWords): item is keyof CodWords => typeof item === 'string' && item in text
