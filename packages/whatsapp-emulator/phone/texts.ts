import { createContext, use } from 'react'
import { type Translator, createTranslator } from '../../../locales/text.ts'

/** Of the page that shows the phone, in its language. */
export const PhoneTexts = createContext<Translator>(createTranslator('en', {}))

export const usePhoneTexts = (): Translator => use(PhoneTexts)
