import type { WebhookError } from './errors.ts'
import type { MessageStatus, Pricing } from './messages.ts'

export type StatusObject = {
  id: string
  status: string
  timestamp: string
  recipient_id?: string
  recipient_user_id?: string
  biz_opaque_callback_data?: string
  pricing?: Pricing
  errors?: WebhookError[]
  [extra: string]: unknown
}

export type Contact = { profile?: { name: string; username?: string }; wa_id?: string; user_id?: string }
export type InboundMessage = { id: string; timestamp: string; type: string; [field: string]: unknown }
export type Metadata = { display_phone_number: string; phone_number_id: string }

/** One thing to tell a callback. `record` learns by which post a status is told. */
export type Update =
  | {
      kind: 'status'
      metadata: Metadata
      status: StatusObject
      contact: Contact | undefined
      record: MessageStatus | undefined
    }
  | { kind: 'message'; metadata: Metadata; message: InboundMessage; contact: Contact | undefined }
  | { kind: 'field'; field: string; value: unknown }

type MessagesValue = {
  messaging_product: 'whatsapp'
  metadata: Metadata
  contacts?: Contact[]
  messages?: InboundMessage[]
  statuses?: StatusObject[]
}
type Change = { field: string; value: unknown }

export type Envelope = {
  object: 'whatsapp_business_account'
  entry: { id: string; time?: number; changes: Change[] }[]
}

/** Neighbouring statuses of one number share a value; everything else is a change of its own. Order is kept. */
export function mergeUpdates(accountId: string, updates: readonly Update[], now: number): Envelope {
  const envelope: Envelope = { object: 'whatsapp_business_account', entry: [] }
  let open: { value: MessagesValue; statuses: StatusObject[] } | undefined
  for (const update of updates) {
    if (update.kind === 'field') {
      open = undefined
      const change = { value: update.value, field: update.field }
      envelope.entry.push({ id: accountId, time: Math.floor(now / 1000), changes: [change] })
      continue
    }
    const joins = update.kind === 'status' && update.contact === undefined
    if (joins && open?.value.metadata.phone_number_id === update.metadata.phone_number_id) {
      open.statuses.push(update.status)
      continue
    }
    const value: MessagesValue = { messaging_product: 'whatsapp', metadata: update.metadata }
    if (update.contact !== undefined) value.contacts = [update.contact]
    if (update.kind === 'status') value.statuses = [update.status]
    else value.messages = [update.message]
    open = joins && value.statuses !== undefined ? { value, statuses: value.statuses } : undefined
    const change = { value, field: 'messages' }
    const last = envelope.entry.at(-1)
    if (last !== undefined && last.time === undefined) last.changes.push(change)
    else envelope.entry.push({ id: accountId, changes: [change] })
  }
  return envelope
}

/**
 * JSON as Meta writes it: beyond ASCII every UTF-16 unit is \u and lower-case hex, and slash and at-sign are escaped too.
 * A receiver that signs its own rendering of the parsed body, not the bytes, fails on this as it would on Meta.
 */
export function toWireJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u0080-\uffff/@]/g, escapeUnit)
}

function escapeUnit(unit: string): string {
  if (unit === '/') return '\\/'
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A JSON integer of any size: template ids pass 2^53. */
export function jsonInteger(digits: string): unknown {
  return (JSON as typeof JSON & { rawJSON(text: string): unknown }).rawJSON(digits)
}
