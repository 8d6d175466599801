import { z } from 'zod'
import { ControlError } from './control-error.ts'
import type { Message, ShownButton } from './messages.ts'
import type { Parts } from './parts.ts'

/** Index, label or payload of a button; index, title or id of a row. -1 is the last. */
export const choiceSchema = z.union([z.int(), z.string()])
export const textSchema = z.string().min(1).max(65_536)
/** Any other message, in Meta's form: {"type":"image","image":{…}}. */
export const rawSchema = z.looseObject({ type: z.string() })

/** What a customer does with thumb or keyboard, and with which message. Without `message` the latest one that fits. */
export type Gesture = {
  text?: string | undefined
  tap?: { button: number | string; message?: string | undefined } | undefined
  choose?: { row: number | string; message?: string | undefined } | undefined
  raw?: z.output<typeof rawSchema> | undefined
}

export type Content = {
  did: 'typed' | 'tapped' | 'chose' | 'sent'
  /** What the customer's own bubble shows. */
  text: string
  payload: string | undefined
  /** The webhook's type with its object. */
  fields: { type: string; [field: string]: unknown }
  answers: Message | undefined
}

/** Whose chat a gesture is made in; without a number in whichever of the customer's. */
type Place = { waId: string; phoneNumberId: string | undefined }

export function readGesture(parts: Parts, gesture: Gesture, place: Place): Content {
  const { text = '', tap, choose, raw } = gesture
  if (tap !== undefined) return readTap(findAnswered(parts, tap.message, place, BUTTONS), tap.button)
  if (choose !== undefined) return readChoice(findAnswered(parts, choose.message, place, LIST), choose.row)
  const plain = { payload: undefined, answers: undefined }
  if (raw !== undefined) return { did: 'sent', text: `[${raw.type}]`, fields: raw, ...plain }
  return { did: 'typed', text, fields: { type: 'text', text: { body: text } }, ...plain }
}

/** A tap on a template is a `button`, one on an interactive message is `interactive`. */
function readTap(answers: Message, wanted: number | string): Content {
  const { text, payload } = pick(answers.shown.buttons.filter(isReply), wanted, 'button')
  const reply = { id: payload, title: text }
  const fields =
    answers.type === 'template'
      ? { type: 'button', button: { payload, text } }
      : { type: 'interactive', interactive: { type: 'button_reply', button_reply: reply } }
  return { did: 'tapped', text, payload, fields, answers }
}

function readChoice(answers: Message, wanted: number | string): Content {
  const rows = (answers.shown.list?.rows ?? []).map((row, index) => ({
    ...row,
    index,
    text: row.title,
    payload: row.id,
  }))
  const { id, title, description } = pick(rows, wanted, 'row')
  const reply = { id, title, ...(description === undefined ? {} : { description }) }
  const fields = { type: 'interactive', interactive: { type: 'list_reply', list_reply: reply } }
  return { did: 'chose', text: title, payload: id, fields, answers }
}

export function isReply(button: ShownButton): boolean {
  return button.payload !== undefined
}

type Wanted = { what: string; isOn: (message: Message) => boolean }

const BUTTONS: Wanted = { what: 'reply buttons', isOn: ({ shown }) => shown.buttons.some(isReply) }
const LIST: Wanted = { what: 'a list', isOn: ({ shown }) => shown.list !== undefined }

function findAnswered(parts: Parts, id: string | undefined, place: Place, { what, isOn }: Wanted): Message {
  const { waId, phoneNumberId } = place
  const isOfNumber = (message: Message): boolean => message.phoneNumberId === (phoneNumberId ?? message.phoneNumberId)
  if (id === undefined) {
    const latest = parts.messages.findLast((message) => message.waId === waId && isOfNumber(message) && isOn(message))
    if (latest !== undefined) return latest
    throw new ControlError(`no message with ${what} is on the phone ${waId}; send one first`)
  }
  const message = parts.messages.find(id)
  if (message === undefined) throw new ControlError(`there is no message ${id} on any phone`)
  if (message.waId !== waId) throw new ControlError(`message ${id} is not on the phone ${waId} but on ${message.to}`)
  if (!isOfNumber(message)) throw new ControlError(`message ${id} is not from the number ${phoneNumberId}`)
  if (!isOn(message)) throw new ControlError(`message ${id} has no ${what.replace('a ', '')}`)
  return message
}

type Choice = { index: number; text: string; payload?: string }

function pick<Row extends Choice>(rows: readonly Row[], wanted: number | string, what: string): Row {
  const position = wanted === -1 ? rows.at(-1)?.index : wanted
  const row = rows.find(({ index, payload, text }) =>
    typeof position === 'number' ? index === position : payload === position || text === position,
  )
  if (row !== undefined) return row
  const choices = rows.map((row) => `${row.index} "${row.text}"`).join(', ')
  throw new ControlError(`there is no ${what} ${JSON.stringify(wanted)}; choose from ${choices}`)
}
