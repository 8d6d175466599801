import type { WebhookError } from '../errors.ts'

export type StatusObject = {
  id: string
  status: string
  timestamp: string
  recipient_id?: string | undefined
  recipient_user_id?: string | undefined
  biz_opaque_callback_data?: string | undefined
  pricing?: Pricing | undefined
  errors?: WebhookError[] | undefined
  [extra: string]: unknown
}

type Text = string | undefined
export type Contact = { profile?: { name: string; username?: Text }; wa_id?: Text; user_id?: Text }
export type InboundMessage = { id: string; timestamp: string; type: string; [field: string]: unknown }
export type Metadata = { display_phone_number: string; phone_number_id: string }

export type Pricing = { billable: boolean; pricing_model: 'PMP'; type: string; category: string }

/** One update for a callback. */
export type Update =
  /** `place`: index among the message's stored statuses; -1 if it is not stored. */
  | { kind: 'status'; metadata: Metadata; status: StatusObject; contact: Contact | undefined; place: number }
  | { kind: 'message'; metadata: Metadata; message: InboundMessage; contact: Contact | undefined }
  | { kind: 'field'; field: string; value: unknown }

type MessagesValue = {
  messaging_product: 'whatsapp'
  metadata: Metadata
  contacts?: Contact[] | undefined
  messages?: InboundMessage[]
  statuses?: StatusObject[]
}
type Change = { field: string; value: unknown }

export type Envelope = {
  object: 'whatsapp_business_account'
  entry: { id: string; time?: number; changes: Change[] }[]
}

/** Consecutive statuses of one number share a value; everything else is a separate change. Keeps the order. */
export function mergeUpdates(accountId: string, updates: readonly Update[], now: number): Envelope {
  const envelope: Envelope = { object: 'whatsapp_business_account', entry: [] }
  let open: MessagesValue | undefined
  for (const update of updates) {
    if (update.kind === 'field') {
      open = undefined
      const change = { value: update.value, field: update.field }
      envelope.entry.push({ id: accountId, time: Math.floor(now / 1000), changes: [change] })
      continue
    }
    const { metadata, contact } = update
    const joins = update.kind === 'status' && contact === undefined
    if (joins && open?.metadata.phone_number_id === metadata.phone_number_id) {
      open.statuses?.push(update.status)
      continue
    }
    const items = update.kind === 'status' ? { statuses: [update.status] } : { messages: [update.message] }
    const value = { messaging_product: 'whatsapp', metadata, contacts: contact && [contact], ...items } as const
    open = joins ? value : undefined
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
