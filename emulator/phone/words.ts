import { createContext, useContext } from 'react'
import type { Ticks } from './chats.ts'

export const LANGUAGES = ['en', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

const english = {
  quoted: 'In reply to: ',
  ticks: {
    accepted: 'Not sent yet',
    sent: 'Sent',
    delivered: 'Delivered',
    read: 'Read',
    failed: 'Failed',
  } satisfies Record<Ticks, string>,
}
export type PhoneWords = Loose<typeof english>

/** Arabic must have exactly the keys of English. */
type Loose<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends string
    ? string
    : Table[Key] extends (...given: never[]) => unknown
      ? Table[Key]
      : Loose<Table[Key]>
}

const arabic: PhoneWords = {
  quoted: 'ردًا على: ',
  ticks: {
    accepted: 'لم تُرسل بعد',
    sent: 'أُرسلت',
    delivered: 'وصلت',
    read: 'قُرئت',
    failed: 'تعذّر إرسالها',
  },
}

export const PHONE_WORDS: Readonly<Record<Language, PhoneWords>> = { en: english, ar: arabic }

/** The language of the phone; where nobody says it, the page's own. */
export const PhoneLanguage = createContext<Language | undefined>(undefined)

export function usePhoneLanguage(): Language {
  const chosen = useContext(PhoneLanguage)
  if (chosen) return chosen
  return document.documentElement.lang.startsWith('ar') ? 'ar' : 'en'
}

export const usePhoneWords = (): PhoneWords => PHONE_WORDS[usePhoneLanguage()]

export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr')
