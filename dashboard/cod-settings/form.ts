import { createContext, useContext } from 'react'
import type { CodedText } from '../../locales/text.ts'
import type { SettingsFault, Weekday, limits } from '../../src/cod/settings/settings.ts'
import { numberFormat } from '../texts/formats.ts'
import { nameOfLanguage } from '../texts/language.ts'
import { type KeyOf, type PageTexts, useTexts } from '../texts/use-texts.ts'
import { faultSentence, focusField } from '../ui/form/faults.ts'

type Limits = typeof limits

type Form = {
  limits: Limits
  weekdays: readonly Weekday[]
  /** The faults to show at the fields. */
  faults: readonly SettingsFault[]
  /** The JSON pointers of settings that differ from the saved ones. */
  changed: readonly string[]
}

export const FormContext = createContext<Form | undefined>(undefined)

export function useForm(): Form {
  const form = useContext(FormContext)
  if (!form) throw new Error('the field is outside a form')
  return form
}

/** The fault of a field, in the language of the page. Returns undefined if there is none. */
export function useFault(pointer: string): string | undefined {
  const { faults } = useForm()
  const texts = useTexts()
  const fault = faults.find((each) => each.pointer === pointer)
  return fault && fieldFault(pointer, fault.detail, texts)
}

/** Focuses the field of a JSON pointer, or of the nearest visible part around it. */
export function focusOn(pointer: string): boolean {
  for (let place = pointer; place !== ''; place = place.slice(0, place.lastIndexOf('/')))
    if (focusField(place)) return true
  return false
}

type Label = KeyOf<'page_cod_settings'>

/** The key of a setting's label: `noResponseMinutes` is `no_response_minutes`. */
export const labelKey = (setting: string): Label =>
  setting.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`) as Label

/** The section of the setting of a JSON pointer, and the label of its field. */
function placeOf(pointer: string, { t, language }: PageTexts): { section?: string; field: string } {
  const label = (setting: string): string => t(`page_cod_settings.${labelKey(setting)}`)
  const [first = '', second, ...rest] = pointer.slice(1).split('/')
  if (second === undefined) return { field: label(first) }
  if (first === 'deliveryDays') return { field: label(second) }
  const section = first === 'languages' ? nameOfLanguage(second, language) : label(first)
  const [last, before = ''] = (first === 'languages' ? rest : [second]).toReversed()
  if (last === undefined) return { field: section }
  if (before === 'closingMessages') return { section, field: label(`closing_${last}`) }
  const ofItem = /^\d+$/.test(last)
  return { section, field: ofItem ? `${label(before.replace(/s$/, ''))} ${Number(last) + 1}` : label(last) }
}

/** `English · Day question` */
export function pointerLabel(pointer: string, texts: PageTexts): string {
  const { section, field } = placeOf(pointer, texts)
  return section === undefined ? field : `${section} · ${field}`
}

/** What is wrong with a field, in one sentence. */
function fieldFault(pointer: string, fault: CodedText, texts: PageTexts): string {
  const { t, language } = texts
  if (fault.code === 'cod.settings_before_reminder') return t('page_cod_settings.before_reminder')
  if (fault.code !== 'cod.settings_minutes') return faultSentence(placeOf(pointer, texts).field, fault, texts)
  const [min, max] = [minutesText(Number(fault.min), language), minutesText(Number(fault.max), language)]
  return pointer.endsWith('/reminderMinutes')
    ? t('page_cod_settings.reminder_range', { min, max })
    : t('page_cod_settings.no_response_range', { min, max })
}

/** The same sentence, after the name of the field's section. */
export function faultOfPage(pointer: string, fault: CodedText, texts: PageTexts): string {
  const { section } = placeOf(pointer, texts)
  const sentence = fieldFault(pointer, fault, texts)
  return section === undefined ? sentence : `${section}${texts.t('page_shell.colon')}${sentence}`
}

const HOUR_MINUTES = 60

/** Shows the minutes in hours if they are whole hours. */
export const minutesText = (minutes: number, language: string): string =>
  minutes % HOUR_MINUTES === 0 ? inUnit(minutes / HOUR_MINUTES, 'hour', language) : inUnit(minutes, 'minute', language)

const inUnit = (count: number, unit: 'minute' | 'hour', language: string): string =>
  numberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
