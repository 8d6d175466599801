import { createContext, useContext } from 'react'
import type { SettingsFault, limits } from '../../../src/cod/settings/settings.ts'
import { useTexts } from '../../texts/use-texts.ts'

export type Limits = typeof limits

/** The limits of the form's fields, and the faults that the server found in them. */
export type Form = { limits: Limits; faults: readonly SettingsFault[] }

export const FormContext = createContext<Form | undefined>(undefined)

export function useForm(): Form {
  const form = useContext(FormContext)
  if (!form) throw new Error('the field is outside a form')
  return form
}

/** The fault of a field, in the language of the page. Undefined: there is none. */
export function useFault(pointer: string): string | undefined {
  const { faults } = useForm()
  const { textOf } = useTexts()
  const fault = faults.find((each) => each.pointer === pointer)
  return fault && textOf(fault.detail)
}

/** A field's id is its JSON pointer, so that a fault leads to its field. */
export function focusOn(pointer: string): void {
  for (let place = pointer; place !== ''; place = place.slice(0, place.lastIndexOf('/'))) {
    const field = document.getElementById(place)
    if (!field) continue
    const target = field.matches('input, textarea, button')
      ? field
      : field.querySelector<HTMLElement>('input, textarea')
    ;(target ?? field).focus()
    return
  }
}
