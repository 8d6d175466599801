import { List, Text } from '@mantine/core'
import type { Weekday } from '../../../src/cod/settings/settings.ts'
import type { SettingsChange } from '../../../src/cod/settings/settings-changes.ts'
import type { Language } from '../../../locales/text.ts'
import { type KeyOf, type T, useTexts } from '../../texts/use-texts.ts'
import { minutesText } from '../fields.tsx'
import { TEXT_LABELS } from '../language-texts.tsx'
import { nameOfLanguage } from '../languages.ts'

type Description = { changes: readonly SettingsChange[]; note?: (pointer: string) => string | undefined }

/** Each changed setting with its old value. */
export function Changes({ changes, note }: Description) {
  const { t, language } = useTexts()
  return (
    <List size="sm" listStyleType="disc">
      {changes.map(({ pointer, before, after }) => (
        <List.Item key={pointer}>
          <Text span inherit fw={600}>
            {pointerLabel(pointer, t, language)}
          </Text>
          {t('page_shell.colon')}
          <bdi>{valueInWords(pointer, after, t, language) ?? t('page_cod_settings.removed')}</bdi>
          {before !== undefined && after !== undefined && (
            <>
              {' '}
              ({t('page_cod_settings.was')} <bdi>{valueInWords(pointer, before, t, language)}</bdi>)
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

type Label = KeyOf<'page_cod_settings'>

const PLACES: Readonly<Record<string, Label>> = {
  '/timeZone': 'time_zone',
  '/deliveryDays/offered': 'offered',
  '/deliveryDays/skipWeekdays': 'skip_weekdays',
  '/deliveryDays': 'deliveries',
}

const MEMBERS: Readonly<Record<string, Label>> = {
  reminderMinutes: 'reminds_after',
  noResponseMinutes: 'no_response',
  timeRanges: 'time_ranges',
  refusalReasons: 'refusal_reasons',
  confirmation: 'closing_confirmation',
  refusal: 'closing_refusal',
  ...TEXT_LABELS,
}

/** The label of a JSON pointer. Items of lists have the label of the list. */
export function pointerLabel(pointer: string, t: T, language: Language): string {
  const place = PLACES[pointer]
  if (place) return t(`page_cod_settings.${place}`)
  const [first = '', second, ...rest] = pointer.slice(1).split('/')
  if (first === 'confirmation' || first === 'refusal') {
    const member = second === undefined ? undefined : MEMBERS[second]
    return member
      ? `${t(`page_cod_settings.${first}`)} · ${t(`page_cod_settings.${member}`)}`
      : t(`page_cod_settings.${first}`)
  }
  if (first !== 'languages') return place ?? pointer
  if (second === undefined) return t('page_cod_settings.languages')
  const member = MEMBERS[rest.filter((step) => !/^\d+$/.test(step)).at(-1) ?? '']
  const number = rest.find((step) => /^\d+$/.test(step))
  return [
    nameOfLanguage(second, language),
    ...(member ? [t(`page_cod_settings.${member}`)] : []),
    ...(number === undefined ? [] : [String(Number(number) + 1)]),
  ].join(' · ')
}

/** Undefined when there is no value. */
function valueInWords(pointer: string, value: unknown, t: T, language: Language): string | undefined {
  if (value === undefined) return undefined
  if (value === null) return t('page_cod_settings.none')
  if (typeof value === 'number') return pointer.endsWith('Minutes') ? minutesText(value, language) : String(value)
  if (typeof value === 'string') return `“${value}”`
  if (!Array.isArray(value)) return t('page_cod_settings.added')
  const items = value.map((item) => (pointer === SKIPPED ? t(`page_cod_settings.${item as Weekday}`) : String(item)))
  return items.length === 0 ? t('page_cod_settings.none') : items.join(language === 'ar' ? '، ' : ', ')
}

const SKIPPED = '/deliveryDays/skipWeekdays'
