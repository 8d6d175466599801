import { type Translator, textAsWritten } from '../../locales/text.ts'
import type { Bubble } from '@doorcode/whatsapp-emulator/phone/bubble.tsx'
import type { RouterOutputs } from '../api.ts'
import { directionOfTexts } from '../cod-settings/languages.ts'

export type TranscriptEntry = RouterOutputs['confirmations']['get']['transcript'][number]
export type BusinessMessage = Extract<TranscriptEntry, { by: 'business' }>
export type CustomerMessage = Extract<TranscriptEntry, { by: 'customer' }>

const TICKS = {
  accepted: 'accepted',
  received: 'accepted',
  queued: 'accepted',
  sending: 'accepted',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  played: 'read',
  failed: 'failed',
} as const satisfies Record<BusinessMessage['status'], NonNullable<Bubble['ticks']>>

type Displayed = Pick<BusinessMessage, 'header' | 'body' | 'footer' | 'buttons' | 'status'> & {
  language: string | null
}

/** A message of ours as the phone shows it. `at` is the displayed time. */
export function businessBubble(message: Displayed, at: string, { textOf }: Pick<Translator, 'textOf'>): Bubble {
  const { header, body, footer, buttons, language, status } = message
  return {
    side: 'business',
    ...(header !== null && { header }),
    body: textAsWritten(body) ?? textOf(body),
    ...(footer !== null && { footer }),
    buttons,
    at,
    ticks: TICKS[status],
    ...(language !== null && { direction: directionOfTexts(language) }),
  }
}

/** Content that is not text is shown by its kind. */
export const customerBubble = (
  { text, quotes }: CustomerMessage,
  at: string,
  { otherKind, textOf }: { otherKind: string } & Pick<Translator, 'textOf'>,
): Bubble => ({
  side: 'customer',
  body: text ?? otherKind,
  at,
  ...(quotes !== null && { quoted: textAsWritten(quotes) ?? textOf(quotes) }),
})

/** The phone's language is the latest template's. */
export const transcriptDirection = (transcript: readonly TranscriptEntry[]): 'ltr' | 'rtl' => {
  const last = transcript.findLast((entry) => entry.by === 'business')
  return last ? directionOfTexts(last.language) : 'ltr'
}
