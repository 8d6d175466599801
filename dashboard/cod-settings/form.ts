import { createContext, useContext } from 'react'
import type { SettingsFault, limits } from '../../src/cod/settings.ts'
import { useLanguage } from '../words.ts'
import { faultInWords } from './fault-words.ts'

export type Limits = typeof limits

/** What every field of the form looks up: its limit, and what the server finds wrong with it. */
export type Form = { limits: Limits; faults: readonly SettingsFault[] }

export const FormContext = createContext<Form | undefined>(undefined)

export function useForm(): Form {
  const form = useContext(FormContext)
  if (!form) throw new Error('the field is outside a form')
  return form
}

/** What is wrong at a place, in the language of the page. Undefined: nothing is. */
export function useFault(pointer: string): string | undefined {
  const { faults } = useForm()
  const { language } = useLanguage()
  const fault = faults.find((each) => each.pointer === pointer)
  return fault && faultInWords(fault.detail, language)
}

/** A field's id is its place in the settings, so that whoever knows a fault finds the field. */
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
