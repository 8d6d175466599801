import type { z } from 'zod'
import { ControlError } from '../errors.ts'
import type { InboundRecord } from '../messages/inbox.ts'
import { type Message, isReply } from '../messages/messages.ts'
import type { actionShape } from '../messages/script.ts'
import type { Parts } from '../parts.ts'

type UserAction = z.output<z.ZodObject<typeof actionShape>>

export type Content = Pick<InboundRecord, 'did' | 'text' | 'payload'> & {
  fields: { type: string; [field: string]: unknown }
  answers: Message | undefined
}

/** The chat of an action; without a number, any of the customer's. */
type Place = { waId: string; phoneNumberId: string | undefined }

export function readUserAction(parts: Parts, action: UserAction, place: Place): Content {
  const { text = '', tap, choose, raw } = action
  if (tap !== undefined) return readTap(findAnswered(parts, tap.message, place, BUTTONS), tap.button)
  if (choose !== undefined) return readChoice(findAnswered(parts, choose.message, place, LIST), choose.row)
  const plain = { payload: undefined, answers: undefined }
  if (raw !== undefined) return { did: 'sent', text: `[${raw.type}]`, fields: raw, ...plain }
  return { did: 'typed', text, fields: { type: 'text', text: { body: text } }, ...plain }
}

/** A tap on a template is a `button`, one on an interactive message is `interactive`. */
function readTap(answers: Message, choice: number | string): Content {
  const { text, payload } = pick(answers.shown.buttons.filter(isReply), choice, 'button')
  const reply = { id: payload, title: text }
  const fields =
    answers.type === 'template'
      ? { type: 'button', button: { payload, text } }
      : { type: 'interactive', interactive: { type: 'button_reply', button_reply: reply } }
  return { did: 'tapped', text, payload, fields, answers }
}

function readChoice(answers: Message, choice: number | string): Content {
  const { rows = [] } = answers.shown.list ?? {}
  const choices = rows.map(({ id, title, description }, index) => ({ index, text: title, payload: id, description }))
  const { payload: id, text: title, description } = pick(choices, choice, 'row')
  const reply = { id, title, description }
  const fields = { type: 'interactive', interactive: { type: 'list_reply', list_reply: reply } }
  return { did: 'chose', text: title, payload: id, fields, answers }
}

type Requirement = { what: string; isOn: (message: Message) => boolean }

const BUTTONS: Requirement = { what: 'reply buttons', isOn: ({ shown }) => shown.buttons.some(isReply) }
const LIST: Requirement = { what: 'a list', isOn: ({ shown }) => shown.list !== undefined }

function findAnswered(parts: Parts, id: string | undefined, place: Place, { what, isOn }: Requirement): Message {
  const { waId, phoneNumberId } = place
  const isOfNumber = (message: Message): boolean => message.phoneNumberId === (phoneNumberId ?? message.phoneNumberId)
  if (id === undefined) {
    const latest = parts.messages
      .list((message) => message.waId === waId && isOfNumber(message) && isOn(message))
      .at(-1)
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

type Choice = { index: number; text: string; payload?: string | undefined }

function pick<Row extends Choice>(rows: readonly Row[], choice: number | string, what: string): Row {
  const position = choice === -1 ? rows.at(-1)?.index : choice
  const row = rows.find(({ index, payload, text }) =>
    typeof position === 'number' ? index === position : payload === position || text === position,
  )
  if (row !== undefined) return row
  const choices = rows.map((row) => `${row.index} "${row.text}"`).join(', ')
  throw new ControlError(`there is no ${what} ${JSON.stringify(choice)}; choose from ${choices}`)
}
