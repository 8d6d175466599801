import { createContext, use } from 'react'
import { type Translator, createTranslator } from '../../../locales/text.ts'

/** The texts of the page that shows the phone, in that page's language. */
export const PhoneTexts = createContext<Translator>(createTranslator('en', {}))

export const usePhoneTexts = (): Translator => use(PhoneTexts)
