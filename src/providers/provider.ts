import type { FailureCode } from './failure-codes.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { CodedError } from '../lib/errors.ts'
import type { TemplateDraft } from './template-draft.ts'
import { type CodedText, plainText } from '../../locales/text.ts'

/** The limit on one send, including the wait for a connection. The lease on a message must be longer. */
export const SEND_TIMEOUT_MS = 10_000

/** A messaging provider in Doorcode's terms. Only the provider's own folder knows its data formats. */
export type Provider = {
  /** Whether the bytes are signed with the account's app secret. */
  verify(account: { appSecret: string }, raw: Buffer, headers: IncomingHttpHeaders): boolean
  /** Whether there is any signature: a webhook without one is rejected before its body is read. */
  isSigned(headers: IncomingHttpHeaders): boolean
  /** Splits a webhook into its items. Never throws: unreadable input becomes an item of kind `unknown`. */
  parse(raw: Buffer): ProviderItem[]
  /** Reads a stored status item. Returns undefined for an unknown status. */
  readStatus(body: string): StatusReport | undefined
  /** The status word of an item that readStatus does not know. */
  readStatusWord(body: string): string | null
  findError(code: number): KnownError | undefined
  /** The provider's codes that become this failure code, such as `131026` or `200–299`. */
  errorCodesOf(failureCode: FailureCode): readonly string[]
  /** Reads a stored customer message. Returns undefined if it holds no message. */
  readInbound(body: string): InboundMessage | undefined
  /** Reads a stored template, number or account item: a hint of what to sync. */
  readChange(body: string): ProviderChange | undefined
  /** Makes one attempt, which takes at most SEND_TIMEOUT_MS. Never throws for a failure of the provider. */
  send(account: ProviderAccount, message: OutgoingMessage): Promise<SendOutcome>
  // The following calls throw ProviderRejectedError or ProviderUnreachableError.

  /** Every number and template of the account. */
  list(account: ProviderAccount, onPage?: OnListingPage): Promise<ProviderListing>
  /** Subscribes the app that owns the secret to the account's webhooks. */
  subscribe(account: ProviderAccount & { appSecret: string }): Promise<void>
  /** Names of the apps that receive the account's webhooks. */
  subscribers(account: ProviderAccount): Promise<string[]>
  /** Returns undefined if the account has no such template. */
  findTemplate(account: ProviderAccount, id: TemplateId): Promise<ProviderTemplate | undefined>
  /** Submits a template for review. */
  createTemplate(account: ProviderAccount, draft: TemplateDraft): Promise<{ status: string }>
  /** Deletes the template in one language. */
  deleteTemplate(account: ProviderAccount, template: { name: string; providerTemplateId: string }): Promise<void>
  close(): Promise<void>
}

export type ProviderListing = { numbers: ProviderNumber[]; templates: ProviderTemplate[] }

/** Called after each page, before the next is read. `templates`: null while numbers are read. */
export type OnListingPage = (progress: { numbers: number; templates: number | null }) => Promise<void>

export type ProviderAccount = { wabaId: string; graphUrl: string; accessToken: string }

export type ProviderNumber = {
  phoneNumberId: string
  /** E.164; empty when the provider does not give it */
  phone: string
  verifiedName: string | null
  status: string
  /** STANDARD, HIGH or another word of the provider */
  throughput: string | null
  quality: string | null
}

/** A template as the provider returns it; `components` keep unknown members. */
export type ProviderTemplate = {
  providerTemplateId: string
  name: string
  language: string
  status: string
  category: string
  parameterFormat: 'POSITIONAL' | 'NAMED'
  components: TemplateComponent[]
  quality: string | null
  rejectedReason: string | null
  sendTtlSeconds: number | null
}

export type TemplateId = { name: string; language: string }

export type TemplateComponent = { type: string; format?: string; text?: string; buttons?: TemplateButton[] }
export type TemplateButton = { type: string; text?: string; url?: string; otp_type?: string }

export type OutgoingMessage = {
  /** The kind and our message id are sent as `biz_opaque_callback_data`, and each status returns them. */
  kind: MessageKind
  messageId: string
  phoneNumberId: string
  recipient: string
  content: OutgoingContent
  /** The header of the request, if tracing is on. */
  traceparent?: string | undefined
}

export type MessageKind = 'otp' | 'cod'

export type OutgoingContent =
  | { type: 'otp'; template: { name: string; language: string; components: TemplateComponent[] }; code: string }
  | TemplateContent
  | Content

/**
 * The stored content of a conversation's message. `removed`: it was sent, and its text is no longer kept
 * (docs/retention.md).
 */
export type StoredContent = TemplateContent | Content | { type: 'removed' }

/** `payloads`: the provider returns one when the quick reply at its position is tapped. */
export type TemplateContent = {
  type: 'template'
  name: string
  language: string
  header: ParameterValue | null
  body: ParameterValue[]
  payloads: string[]
}

/** A positional value has no name. */
export type ParameterValue = { name: string | null; text: string }

/** Content that may be sent while the customer's service window is open. */
export type Content =
  | { type: 'buttons'; body: string; buttons: Choice[] }
  | { type: 'list'; body: string; button: string; rows: Choice[] }
  | { type: 'text'; body: string }

/** The provider returns the `id` of the choice. */
export type Choice = { id: string; title: string }

export type SendOutcome =
  | { outcome: 'accepted'; httpStatus: number; providerMessageId: string; customer: CustomerIds }
  | { outcome: 'rejected'; httpStatus: number; error: ProviderError }
  /** Not sent: there was no connection. */
  | { outcome: 'unreachable'; detail: CodedText }
  /** The request may have arrived. */
  | { outcome: 'unknown'; httpStatus: number | null; detail: CodedText }

/** How the provider identifies the customer. Either may be missing, and waId may differ from the recipient's number. */
export type CustomerIds = { waId: string | null; userId: string | null }

/** What an error means for the next attempt (docs/whatsapp-cloud-api.md#errors). */
export type ErrorClass =
  /** the token or its permissions: the account cannot send */
  | 'credentials'
  /** too fast at `scope`: the same message later */
  | 'rate'
  /** the sender's quality rating is bad: the same message much later, if the operator improves it */
  | 'quality'
  /**
   * a fault of the provider: the same message later; with the scope `sender` or `account`, nothing else is sent until
   * then
   */
  | 'transient'
  /** the message may be the cause: only a few attempts */
  | 'doubtful'
  /** this message can never be sent */
  | 'permanent'

export type ErrorScope = 'message' | 'pair' | 'sender' | 'account' | 'template'

export type ProviderError = {
  /** Null when the answer gave none. */
  code: number | null
  title: CodedText
  /** Safe to store: codes and tokens are masked. */
  detail: string
  class: ErrorClass
  scope: ErrorScope
  failureCode: FailureCode
  /** Set by management calls, where several faults share a code. */
  subcode?: number
}

/** `remedy`: set where it is more precise than the failure code. */
export type KnownError = Pick<ProviderError, 'title' | 'failureCode'> & { remedy: Remedy | undefined }

/** One sentence. */
export type Remedy = { who: 'client' | 'operator'; sentence: CodedText }

export type ProviderItem = {
  kind: 'status' | 'message' | 'template' | 'number' | 'account' | 'unknown'
  /** Equal for repeated deliveries of one item. */
  identity: string
  /** The item's JSON, or an outline of unreadable input; without any text that may quote an OTP. */
  body: string
  providerMessageId: string | null
  /** Our message id, if the item carries it. */
  messageId: string | null
  occurredAt: Date | null
}

/** What the provider says about a message, or our own decision that it failed. */
export type StatusReport = {
  outcome: 'sent' | 'delivered' | 'read' | 'played' | 'failed'
  /** Null when the report has no time: then the time of receipt counts. */
  at: Date | null
  /** Set exactly for failed. */
  failureCode: FailureCode | null
  /** Decided by us; the provider never reported it. */
  ours: boolean
  /** Set for a failure that the provider reported: the first error whose code is known, or else the first. */
  error: ProviderError | null
  /** In the report's order. Empty for a failure without errors, which still sets `error`. */
  errors: readonly ProviderError[]
}

export type InboundMessage = {
  /** The business number that received it. */
  phoneNumberId: string | null
  customer: CustomerIds
  /** The provider's id of the message that it replies to. */
  quotes: string | null
  says:
    | { type: 'tap'; payload: string }
    | { type: 'text'; text: string }
    /** Such as a picture or a reaction. */
    | { type: 'other'; kind: string }
}

/**
 * A template, number or account update, each of which makes a sync due. `wabaId`: the account that changed, which may not be
 * the one that received the webhook, because an app with several accounts has one webhook URL.
 */
export type ProviderChange = { wabaId: string | null } & (
  | { kind: 'template'; name: string; language: string; status: string | null }
  | { kind: 'number' }
  | { kind: 'account' }
)

export type ProviderOperation =
  | 'list_numbers'
  | 'list_templates'
  | 'find_template'
  | 'subscribe'
  | 'list_subscribers'
  | 'create_template'
  | 'delete_template'

/** The provider rejected a management call. */
export class ProviderRejectedError extends CodedError {
  readonly error: ProviderError

  constructor(operation: ProviderOperation, error: ProviderError) {
    const { code, title, detail } = error
    const parameters = {
      operation: plainText(`providers.operation_${operation}`),
      errorCode: code === null ? plainText('providers.no_code') : String(code),
      title,
    }
    super(
      detail
        ? { code: 'providers.rejected_with_detail', ...parameters, detail }
        : { code: 'providers.rejected', ...parameters },
    )
    this.error = error
  }
}

export class ProviderUnreachableError extends CodedError {
  /** Whether the provider may still have carried out the call. */
  readonly mayHaveArrived: boolean

  constructor(operation: ProviderOperation, detail: CodedText, { mayHaveArrived = false } = {}) {
    super({ code: 'providers.unreachable', operation: plainText(`providers.operation_${operation}`), detail })
    this.mayHaveArrived = mayHaveArrived
  }
}
