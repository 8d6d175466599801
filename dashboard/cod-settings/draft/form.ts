import { createContext, useContext } from 'react'
import type { SettingsFault, Weekday, limits } from '../../../src/cod/settings/settings.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { focusField } from '../../ui/form/focus-field.ts'
import { fieldFault } from './labels.ts'

export type Limits = typeof limits

export type Form = {
  limits: Limits
  weekdays: readonly Weekday[]
  /** The faults that the fields show. */
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
