import type { IncomingHttpHeaders } from 'node:http'
import { type Sentence, findSentence, keptSentences, quoted } from '../sentences.ts'

/** A messaging provider in our words. One implementation per provider; nothing outside its folder knows its shapes. */
export type Provider = {
  /** Whether the bytes were signed by the owner of the account's app secret. */
  verify(account: { appSecret: string }, raw: Buffer, headers: IncomingHttpHeaders): boolean
  /** Whether there is a signature to verify: without one a webhook is refused before its body is read. */
  isSigned(headers: IncomingHttpHeaders): boolean
  /** Splits one webhook into its items. Never throws: what it cannot read becomes an item of kind `unknown`. */
  parse(raw: Buffer): ProviderItem[]
  /** Reads a stored status item again. Undefined when it is no status that we understand. */
  readStatus(body: string): StatusReport | undefined
  /** The word of a stored status item that readStatus does not understand, if it has one. */
  readStatusWord(body: string): string | null
  /** What is known of a code that the provider gave. Undefined of a code that no table knows. */
  findError(code: number): KnownError | undefined
  /** Reads a stored message of a customer again. Undefined when it holds nothing that we understand. */
  readInbound(body: string): InboundMessage | undefined
  /** Reads a stored template, number or account item again, as a hint for what must be synced. */
  readChange(body: string): ProviderChange | undefined
  /** One attempt. Resolves with what came of it and never throws for anything that the provider did. */
  send(account: ProviderAccount, message: OutgoingMessage): Promise<SendOutcome>
  /** Every number and template of the account, all pages. Throws ProviderRefused or ProviderUnreachable. */
  list(account: ProviderAccount, onPage?: OnPage): Promise<{ numbers: ProviderNumber[]; templates: ProviderTemplate[] }>
  /** Asks for the account's webhooks, under the app whose secret it is. Throws ProviderRefused or ProviderUnreachable. */
  subscribe(account: ProviderAccount & { appSecret: string }): Promise<void>
  /** Names of the apps that get the account's webhooks. Throws ProviderRefused or ProviderUnreachable. */
  subscribers(account: ProviderAccount): Promise<string[]>
  /** One template as it is now; undefined when the account has none. Throws ProviderRefused or ProviderUnreachable. */
  findTemplate(account: ProviderAccount, id: TemplateId): Promise<ProviderTemplate | undefined>
  /** Submits a template to the provider's review. Throws ProviderRefused or ProviderUnreachable. */
  createTemplate(account: ProviderAccount, template: NewTemplate): Promise<SubmittedTemplate>
  /** Deletes the template in one language. Throws ProviderRefused or ProviderUnreachable. */
  deleteTemplate(account: ProviderAccount, template: { name: string; providerTemplateId: string }): Promise<void>
  close(): Promise<void>
}

/** Hears after each page what has been read so far; the next page waits for it. `templates`: null until it is their turn. */
export type OnPage = (soFar: { numbers: number; templates: number | null }) => Promise<void>

export type ProviderAccount = { wabaId: string; graphUrl: string; accessToken: string }

export type ProviderNumber = {
  phoneNumberId: string
  /** E.164; empty when the provider does not tell it */
  phone: string
  verifiedName: string | null
  status: string
  /** STANDARD, HIGH or whatever the provider says; null when it does not */
  throughput: string | null
  quality: string | null
}

/** A template as the provider reads it back; `components` keep the provider's own members. */
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

/** A template to be made. Whatever it is used for, the provider reviews it before it can be sent. */
export type NewTemplate = TemplateId & (NewCodeTemplate | NewQuestionTemplate)

/** Carries a one-time code. The provider writes its text, in the template's language. */
export type NewCodeTemplate = {
  kind: 'code'
  /** Whether the text advises to keep the code secret. */
  securityAdvice: boolean
  /** What the text says of how long the code works; null: nothing. */
  expiryMinutes: number | null
  /** Label of the button that copies the code; null: the provider's own words. */
  copyLabel: string | null
  /** How long the provider tries to deliver a message; null: its own standard. */
  sendTtlSeconds: number | null
}

/** Asks something, with quick replies to tap. */
export type NewQuestionTemplate = {
  kind: 'question'
  parameterFormat: 'POSITIONAL' | 'NAMED'
  /** `samples`: what its variables might be, in order of appearance for named ones, of number for others. */
  header: { text: string; samples: readonly ParameterValue[] } | null
  body: { text: string; samples: readonly ParameterValue[] }
  footer: string | null
  quickReplies: readonly string[]
}

export type SubmittedTemplate = { providerTemplateId: string; status: string; category: string }

export type TemplateComponent = { type: string; format?: string; text?: string; buttons?: TemplateButton[] }
export type TemplateButton = { type: string; text?: string; url?: string; otp_type?: string }

export type OutgoingMessage = {
  /** Kind and our message id travel as `biz_opaque_callback_data` and come back with each status. */
  kind: MessageKind
  messageId: string
  phoneNumberId: string
  recipient: string
  content: OutgoingContent
}

export type MessageKind = 'otp' | 'cod'

export type OutgoingContent =
  | { type: 'otp'; template: { name: string; language: string; components: TemplateComponent[] }; code: string }
  | TemplateContent
  | Content

/** A template with its parameters filled; `payloads` come back when the quick reply at their place is tapped. */
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

/** What may be sent while the customer's service window is open. */
export type Content =
  | { type: 'buttons'; body: string; buttons: Choice[] }
  | { type: 'list'; body: string; button: string; rows: Choice[] }
  | { type: 'text'; body: string }

/** `id` comes back when it is chosen. */
export type Choice = { id: string; title: string }

export type SendOutcome =
  | { outcome: 'accepted'; httpStatus: number; providerMessageId: string; customer: CustomerIds }
  /** The provider answered that it did not take the message. */
  | { outcome: 'refused'; httpStatus: number; error: ProviderError }
  /** Surely not sent: no connection came about. */
  | { outcome: 'unreachable'; detail: string }
  /** The request may have arrived; nobody knows. */
  | { outcome: 'unknown'; httpStatus: number | null; detail: string }

/** How the provider names a customer, as far as it tells: neither is sure to be there, nor to be the number asked for. */
export type CustomerIds = { waId: string | null; userId: string | null }

/** What an error means for what we do next (whatsapp-cloud-api.md §3.2). */
export type ErrorClass =
  /** the token or its permissions: nothing of this account can be sent */
  | 'credentials'
  /** too fast at `scope`: the same message later */
  | 'rate'
  /** the sender has a bad name: the same message much later, if somebody sees to that */
  | 'quality'
  /** a fault of the provider: the same message later; nothing at all goes through `sender` or `account` before */
  | 'transient'
  /** a fault that may be one of the message: a few tries only */
  | 'doubtful'
  /** this message never */
  | 'permanent'

export type ErrorScope = 'message' | 'pair' | 'sender' | 'account' | 'template'

export type ProviderError = {
  /** Null when the answer named none. */
  code: number | null
  title: string
  /** Safe to store: anything that may quote the message's text is taken out. */
  detail: string
  class: ErrorClass
  scope: ErrorScope
  failureCode: FailureCode
  /** Of a management call, where several faults share a code. */
  subcode?: number
}

export type KnownError = {
  title: Sentence
  failureCode: FailureCode
  /** Where the failure code says less, or less exactly. */
  remedy: Remedy | undefined
}

/** One sentence. */
export type Remedy = { who: 'caller' | 'operator'; sentence: Sentence }

/** contract §6 */
export type FailureCode =
  | 'RECIPIENT_UNREACHABLE'
  | 'RECIPIENT_NOT_ALLOWED'
  | 'RECIPIENT_RATE_LIMITED'
  | 'SENDER_RATE_LIMITED'
  | 'SENDER_UNAVAILABLE'
  | 'PROVIDER_CREDENTIALS_INVALID'
  | 'TEMPLATE_NOT_FOUND'
  | 'TEMPLATE_PAUSED'
  | 'TEMPLATE_DISABLED'
  | 'TEMPLATE_PARAMETERS_REJECTED'
  | 'POLICY_VIOLATION'
  | 'WINDOW_CLOSED'
  | 'PROVIDER_UNAVAILABLE'
  | 'SUBMISSION_EXPIRED'
  | 'UNKNOWN'

export type ProviderItem = {
  kind: 'status' | 'message' | 'template' | 'number' | 'account' | 'unknown'
  /** What makes this item the same as a repeated one: see parse. */
  identity: string
  /** The item's own JSON, or what there was instead; text that may quote an OTP is taken out. */
  body: string
  providerMessageId: string | null
  /** Our message id, when the item carries it. */
  messageId: string | null
  occurredAt: Date | null
}

export type StatusReport = {
  outcome: 'sent' | 'delivered' | 'read' | 'played' | 'failed'
  /** Null when the report does not say: then it counts from when it was received. */
  at: Date | null
  /** Set exactly for failed: the first error whose code is known, or else the first. */
  error: ProviderError | null
  /** All that it names, in their order; `error` may be one for a failure that names none. */
  errors: readonly ProviderError[]
}

export type InboundMessage = {
  /** The number that it was sent to. */
  phoneNumberId: string | null
  customer: CustomerIds
  /** The provider's id of the message that it answers or quotes. */
  quotes: string | null
  says:
    | { type: 'tap'; payload: string }
    | { type: 'text'; text: string }
    /** A picture, a reaction or the like: a message all the same. */
    | { type: 'other'; kind: string }
}

/**
 * What a template, number or account update names; the list is read again in any case. `wabaId` is the account that it
 * speaks of: one app's webhooks for several accounts all come to one of them.
 */
export type ProviderChange = { wabaId: string | null } & (
  | { kind: 'template'; name: string; language: string; status: string | null }
  | { kind: 'number' }
  | { kind: 'account' }
)

/** The provider said no to a management call. */
export class ProviderRefused extends Error {
  readonly error: ProviderError
  readonly sentence: Sentence

  constructor(what: string, error: ProviderError) {
    const { code, title, detail } = error
    const facts = {
      what,
      code: code === null ? says.noCode : String(code),
      title: findSentence(title) ?? quoted(title),
    }
    const sentence = detail ? says.refusedSaying({ ...facts, detail }) : says.refused(facts)
    super(sentence.en)
    this.name = 'ProviderRefused'
    this.error = error
    this.sentence = sentence
  }
}

export class ProviderUnreachable extends Error {
  /** Whether the provider may have done what it was asked for all the same. */
  readonly mayHaveArrived: boolean
  readonly sentence: Sentence

  constructor(what: string, detail: string, { mayHaveArrived = false } = {}) {
    const sentence = says.unreachable({ what, detail: findSentence(detail) ?? quoted(detail) })
    super(sentence.en)
    this.name = 'ProviderUnreachable'
    this.mayHaveArrived = mayHaveArrived
    this.sentence = sentence
  }
}

/** What the calls do that manage an account. */
const DEEDS = {
  'listing the phone numbers': 'قراءة أرقام الهاتف',
  'listing the templates': 'قراءة القوالب',
  'looking for the template': 'البحث عن القالب',
  'subscribing to webhooks': 'الاشتراك في الإشعارات',
  'asking who gets the webhooks': 'السؤال عمن تصله الإشعارات',
  'creating the template': 'إنشاء القالب',
  'deleting the template': 'حذف القالب',
}

const says = keptSentences({
  refusedSaying: {
    en: '{what}: the provider answered {code}, {title} ({detail})',
    ar: '{what}: الرمز {code}، {title}: «{detail}»',
    words: { what: DEEDS },
  },
  refused: {
    en: '{what}: the provider answered {code}, {title}',
    ar: '{what}: الرمز {code}، {title}',
    words: { what: DEEDS },
  },
  noCode: { en: 'no code', ar: 'غير معروف' },
  unreachable: {
    en: '{what}: no answer from the provider ({detail})',
    ar: '{what}: لم يُجب واتساب ({detail})',
    words: { what: DEEDS },
  },
})
