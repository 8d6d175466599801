import { List, Text } from '@mantine/core'
import type { Weekday } from '../../../src/cod/settings/settings.ts'
import type { SettingsChange } from '../../../src/cod/settings/settings-changes.ts'
import { type PageTexts, useTexts } from '../../texts/use-texts.ts'
import { useForm } from './form.ts'
import { pointerLabel, minutesText } from './labels.ts'

type Description = { changes: readonly SettingsChange[]; note?: (pointer: string) => string | undefined }

/** Each changed setting with its old value. */
export function Changes({ changes, note }: Description) {
  const texts = useTexts()
  const { t } = texts
  const { weekdays } = useForm()
  const inWords = (pointer: string, value: unknown) => valueInWords(pointer, value, weekdays, texts)
  return (
    <List size="sm" listStyleType="disc">
      {changes.map(({ pointer, before, after }) => (
        <List.Item key={pointer}>
          <Text span inherit fw={600}>
            {pointerLabel(pointer, texts)}
          </Text>
          {t('page_shell.colon')}
          <bdi>{inWords(pointer, after) ?? t('page_cod_settings.removed')}</bdi>
          {before !== undefined && after !== undefined && (
            <>
              {' '}
              ({t('page_cod_settings.was')} <bdi>{inWords(pointer, before)}</bdi>)
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

/** Undefined when there is no value. */
function valueInWords(
  pointer: string,
  value: unknown,
  weekdays: readonly Weekday[],
  { t, language }: PageTexts,
): string | undefined {
  if (value === undefined) return undefined
  if (value === null) return t('page_cod_settings.none')
  if (typeof value === 'number') return pointer.endsWith('Minutes') ? minutesText(value, language) : String(value)
  if (typeof value === 'string') return `“${value}”`
  if (!Array.isArray(value)) return t('page_cod_settings.added')
  const items =
    pointer === '/deliveryDays/skipWeekdays'
      ? weekdays.filter((day) => !value.includes(day)).map((day) => t(`page_cod_settings.${day}`))
      : value.map(String)
  return items.length === 0 ? t('page_cod_settings.none') : new Intl.ListFormat(language).format(items)
}
