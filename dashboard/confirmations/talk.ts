import type { Bubble } from '../../emulator/phone/bubble.tsx'
import type { Answers } from '../api.ts'
import { directionOfTexts } from '../cod-settings/languages.ts'

export type Said = Answers['confirmations']['get']['transcript'][number]
export type BusinessSaid = Extract<Said, { by: 'business' }>
export type CustomerSaid = Extract<Said, { by: 'customer' }>

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
} as const satisfies Record<BusinessSaid['status'], NonNullable<Bubble['ticks']>>

/** A message of ours as the phone shows it. `at` as it is shown. */
export function businessBubble(said: BusinessSaid, at: string): Bubble {
  const { header, body, footer, buttons, rows, language, status } = said
  const kind =
    rows.length > 0 ? 'list' : said.purpose === 'template' || said.purpose === 'reminder' ? 'quick_reply' : 'reply'
  return {
    side: 'business',
    ...(header !== null && { header }),
    body,
    ...(footer !== null && { footer }),
    buttons: buttons.map((label) => ({ label, kind })),
    at,
    ticks: TICKS[status],
    direction: directionOfTexts(language),
  }
}

/** What is no text is told by its kind, in words of the page. */
export const customerBubble = ({ text, quotes }: CustomerSaid, at: string, otherKind: string): Bubble => ({
  side: 'customer',
  body: text ?? otherKind,
  at,
  ...(quotes !== null && { quoted: quotes }),
})

export type TalkDay = { day: string; said: Said[] }

/** Under the days on which it was said, as the phone has them. */
export function byDay(transcript: readonly Said[], dayOf: (at: Date) => string): TalkDay[] {
  const days: TalkDay[] = []
  for (const said of transcript) {
    const day = dayOf(new Date(said.at))
    const last = days.at(-1)
    if (last?.day === day) last.said.push(said)
    else days.push({ day, said: [said] })
  }
  return days
}

/** The language of the phone is taken to be that of the latest template. */
export const directionOfTalk = (transcript: readonly Said[]): 'ltr' | 'rtl' => {
  const last = transcript.findLast((said) => said.by === 'business')
  return last ? directionOfTexts(last.language) : 'ltr'
}
