import { isUuid } from '../ids.ts'

/** What the buttons of a template mean, by position (spec §4.4, §4.6). */
export const CONFIRMATION_TAPS = ['confirm', 'cancel', 'change_time'] as const
export const REFUSAL_TAPS = ['yes', 'no'] as const

export type ConfirmationTap = (typeof CONFIRMATION_TAPS)[number]
export type RefusalTap = (typeof REFUSAL_TAPS)[number]

/** What a tap says, whatever the button's label was. */
export type Reply =
  | { to: 'confirmation'; confirmationId: string; answer: ConfirmationTap }
  | { to: 'refusal'; confirmationId: string; answer: RefusalTap }
  /** The `index` is the place among what the question offered. */
  | { to: 'question'; questionId: string; index: number }

/** `version`: written by another release of Doorcode. `foreign`: not by Doorcode, or not as it writes. */
export type UnreadReply = { to: 'nothing'; because: 'version' | 'foreign' }

/** A payload comes back whenever the customer taps, months later too: what changes its meaning changes this. */
const VERSION = 'dc1'

/** WhatsApp takes 200 for a row and 256 for a button and tells no limit for a template's payload. */
export const REPLY_LENGTH_MOST = 128
/** WhatsApp's largest question is a list of ten rows. */
export const OFFERED_MOST = 10

/** The payload of a template's quick reply, or the id of a question's button or row. */
export function writeReply(reply: Reply): string {
  switch (reply.to) {
    case 'confirmation':
      return `${VERSION}:c:${reply.confirmationId}:${CONFIRMATION_TAPS.indexOf(reply.answer)}`
    case 'refusal':
      return `${VERSION}:r:${reply.confirmationId}:${REFUSAL_TAPS.indexOf(reply.answer)}`
    case 'question':
      return `${VERSION}:q:${reply.questionId}:${reply.index}`
  }
}

const FORM = /^(dc\d{1,4}):(.*)$/s
const FORM_OF_THIS_VERSION = /^([crq]):([0-9a-f-]{36}):(\d)$/

/** Takes any text of the outside. Whether the id exists, and belongs to this workspace and customer, is not known here. */
export function readReply(text: string): Reply | UnreadReply {
  const [, version, rest] = (text.length <= REPLY_LENGTH_MOST && FORM.exec(text)) || []
  if (version === undefined || rest === undefined) return foreign
  if (version !== VERSION) return { to: 'nothing', because: 'version' }
  const [, kind, id, digit] = FORM_OF_THIS_VERSION.exec(rest) ?? []
  if (id === undefined || !isUuid(id)) return foreign
  const index = Number(digit)
  if (kind === 'q') return { to: 'question', questionId: id, index }
  if (kind === 'c') return toConfirmation(id, CONFIRMATION_TAPS[index])
  return toRefusal(id, REFUSAL_TAPS[index])
}

const foreign: UnreadReply = { to: 'nothing', because: 'foreign' }

const toConfirmation = (confirmationId: string, answer: ConfirmationTap | undefined): Reply | UnreadReply =>
  answer ? { to: 'confirmation', confirmationId, answer } : foreign

const toRefusal = (confirmationId: string, answer: RefusalTap | undefined): Reply | UnreadReply =>
  answer ? { to: 'refusal', confirmationId, answer } : foreign
