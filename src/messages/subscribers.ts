import type { CodedText } from '../../locales/text.ts'
import type { Sql } from '../lib/db/pool.ts'
import type { InboundMessage, MessageKind, StatusReport } from '../providers/provider.ts'
import type { Check, Conversation, Purpose } from './conversation.ts'
import type { MessageStatus, applyReport } from './status.ts'
import type { FailureCode } from '../providers/failure-codes.ts'

/** What the products do when something happens to their messages, in the transaction that stores it. */
export type Subscribers = {
  /** One function for each kind of message. Gets the reports in the order in which they were applied. */
  outcomes: Readonly<Record<MessageKind, (tx: Sql, now: Date, applied: readonly AppliedReport[]) => Promise<void>>>
  /** The ids of those messages that must not be sent, because their conversation has moved on. */
  superseded(tx: Sql, due: readonly DueOfConversation[]): Promise<ReadonlySet<string>>
  /** The provider accepted these templates of conversations. */
  accepted(tx: Sql, accepted: readonly AcceptedMessage[]): Promise<void>
  /** Customers' messages, in the order in which they were stored. */
  inbound(tx: Sql, reader: InboundReader, now: Date, messages: readonly StoredInbound[]): Promise<InboundResult[]>
}

/** One report, applied to its message. */
export type AppliedReport = Pick<ReturnType<typeof applyReport>, 'event' | 'ignored'> & {
  /** After the report. */
  message: MessageRow
  /** Whether the provider's id of the message was known before this report. */
  wasIdentified: boolean
  report: StatusReport
  receivedAt: Date
  /** `occurredAt` of an event that this report triggers. */
  eventAt: Date
}

export type MessageRow = {
  id: string
  workspace_id: string
  kind: MessageKind
  confirmation_id: string | null
  check_kind: Check | null
  purpose: Purpose | null
  clock_offset_ms: number
  status: MessageStatus
  reference: string | null
  recipient: string
  created_at: Date
  sent_at: Date | null
  failure_code: FailureCode | null
  failed_at: Date | null
  /** `occurredAt` of its events. */
  sent_event_at: Date | null
  failed_event_at: Date | null
  undelivered_event_at: Date | null
  undelivered_input: number | null
  own_failure: OwnFailure | null
  deliver_within_seconds: number | null
  /** When `message.undelivered` is due, in real time; null if it is not awaited. */
  deliver_by: Date | null
  provider_message_id: string | null
  /** How many reports, and decisions of our own, were applied to the message. */
  inputs: number
}

/** Our own decision that a message failed, as it is stored with the message. `at` is in real time. */
type OwnFailure = { inputNumber: number; code: FailureCode; at: string; clockOffsetMs: number }

/** A message that is about to be sent. */
export type DueOfConversation = { id: string; workspaceId: string; conversation: Conversation }

export type AcceptedMessage = {
  workspaceId: string
  conversation: Conversation
  endedAt: Date
  /** Null: the provider's answer does not name the customer. */
  customerUserId: string | null
}

export type InboundReader = { readInbound(body: string): InboundMessage | undefined }

/** A stored message of a customer. */
export type StoredInbound = {
  id: string
  workspace_id: string
  body: string
  occurred_at: Date | null
  received_at: Date
}

/**
 * `note`: why it changed nothing, null when it did. `confirmationId`: of the transcript that shows it. `inputNumber`: its place
 * among the inputs that changed that conversation. `clockOffsetMs`: how far the workspace's clock was ahead.
 */
export type InboundResult = {
  note: CodedText | null
  confirmationId: string | null
  inputNumber: number | null
  clockOffsetMs: number
}
