import { isUuid } from '../../lib/ids.ts'

/** What the buttons of a template mean, by position (docs/cod.md#templates). */
export const CONFIRMATION_TAPS = ['confirm', 'cancel', 'change_time'] as const
export const REFUSAL_TAPS = ['yes', 'no'] as const

/** The meaning of a tap, independent of the button's label. */
export type Reply =
  | { to: 'confirmation'; confirmationId: string; answer: (typeof CONFIRMATION_TAPS)[number] }
  | { to: 'refusal'; confirmationId: string; answer: (typeof REFUSAL_TAPS)[number] }
  /** `index`: among the choices that the question offered. */
  | { to: 'question'; questionId: string; index: number }

/** `version`: from another release of Doorcode. `foreign`: not from Doorcode, or malformed. */
type UnreadableReply = { to: 'nothing'; because: 'version' | 'foreign' }

/** A customer may tap months later: increase it whenever the meaning of payloads changes. */
const VERSION = 'dc1'

/** WhatsApp takes 200 for a row and 256 for a button, and documents no limit for a template's payload. */
export const MAX_REPLY_LENGTH = 128

/** The payload of a template's quick reply, or the id of a question's button or row. */
export function encodeReply(reply: Reply): string {
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

/** Takes untrusted text. Does not check that the id exists or belongs to this workspace and customer. */
export function decodeReply(text: string): Reply | UnreadableReply {
  const [, version, rest] = (text.length <= MAX_REPLY_LENGTH && FORM.exec(text)) || []
  if (version === undefined || rest === undefined) return foreign
  if (version !== VERSION) return { to: 'nothing', because: 'version' }
  const [, kind, id, digit] = FORM_OF_THIS_VERSION.exec(rest) ?? []
  if (id === undefined || !isUuid(id)) return foreign
  const index = Number(digit)
  const [confirmationTap, refusalTap] = [CONFIRMATION_TAPS[index], REFUSAL_TAPS[index]]
  if (kind === 'q') return { to: 'question', questionId: id, index }
  if (kind === 'c' && confirmationTap) return { to: 'confirmation', confirmationId: id, answer: confirmationTap }
  if (kind === 'r' && refusalTap) return { to: 'refusal', confirmationId: id, answer: refusalTap }
  return foreign
}

const foreign: UnreadableReply = { to: 'nothing', because: 'foreign' }
