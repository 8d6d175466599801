import type { components, operations, paths } from './api.gen.ts'

export type OperationName = keyof operations

export type Route = {
  method: 'GET' | 'POST'
  path: keyof paths
  /** Whether the request can have an idempotency key, with which it can be repeated safely. */
  takesKey: boolean
  /** A field of every successful response, which the response of another program does not have. */
  responseField: string
}

type TakesKey<Name extends OperationName> = 'Idempotency-Key' extends keyof NonNullable<
  operations[Name]['parameters']['header']
>
  ? true
  : false

/** Each operation of the API, and thus each method of the client. A new operation needs one more line here. */
export const routes = {
  /** Sends a one-time code that your backend generated. */
  sendOtpMessage: { method: 'POST', path: '/api/v1/otp/messages', takesKey: true, responseField: 'messageId' },
  /** Reads the status of a one-time code. */
  getOtpMessage: {
    method: 'GET',
    path: '/api/v1/otp/messages/{messageId}',
    takesKey: false,
    responseField: 'messageId',
  },
  /** Makes a code and sends it. */
  startVerification: {
    method: 'POST',
    path: '/api/v1/otp/verifications',
    takesKey: true,
    responseField: 'verificationId',
  },
  /** Reads a verification. */
  getVerification: {
    method: 'GET',
    path: '/api/v1/otp/verifications/{verificationId}',
    takesKey: false,
    responseField: 'verificationId',
  },
  /** Compares what the customer typed with the code. Each wrong code counts, so a call whose response was lost is not repeated. */
  checkVerification: {
    method: 'POST',
    path: '/api/v1/otp/verifications/{verificationId}/check',
    takesKey: false,
    responseField: 'verificationId',
  },
  /** Sends the same code again. */
  resendVerification: {
    method: 'POST',
    path: '/api/v1/otp/verifications/{verificationId}/resend',
    takesKey: true,
    responseField: 'verificationId',
  },
  /** Asks a customer to confirm an order. */
  createConfirmation: {
    method: 'POST',
    path: '/api/v1/cod-confirmations',
    takesKey: true,
    responseField: 'confirmationId',
  },
  /** Reads a confirmation, with its refusal check. */
  getConfirmation: {
    method: 'GET',
    path: '/api/v1/cod-confirmations/{confirmationId}',
    takesKey: false,
    responseField: 'confirmationId',
  },
  /** Asks a customer whether they refused the parcel. */
  createRefusalCheck: {
    method: 'POST',
    path: '/api/v1/cod-confirmations/{confirmationId}/refusal-check',
    takesKey: true,
    responseField: 'refusalCheck',
  },
  /** Reads a page of events. `events` reads them all. */
  listEvents: { method: 'GET', path: '/api/v1/events', takesKey: false, responseField: 'events' },
} as const satisfies {
  [Name in OperationName]: Route & { takesKey: TakesKey<Name>; responseField: keyof Output<Name> }
}

export type RecordedEvent = components['schemas']['RecordedEvent']

export type Limits = {
  /** Of each attempt, in milliseconds. Default: 10,000. The `wait` of `listEvents` is added to it. */
  timeoutMs?: number
  /** How often a request is sent again: 0 to 10, by default 2. */
  maxRetries?: number
}

export type CallOptions = Limits & {
  /** A UUID, which the log of the instance and its command `explain` show. */
  correlationId?: string
  /** Ends the call; it then throws the reason of the signal. */
  signal?: AbortSignal
}

export type KeyOptions = {
  /**
   * Names what the request is for, such as the id of the order: a repeat returns the first response and sends nothing. Default: a
   * random one, which the retries of this call share.
   */
  idempotencyKey?: string
}

export type RequestOptions<Name extends OperationName = OperationName> = CallOptions &
  ((typeof routes)[Name]['takesKey'] extends true ? KeyOptions : unknown)

type Part<Fields> = [NonNullable<Fields>] extends [never] ? unknown : NonNullable<Fields>
type Body<Name extends OperationName> = operations[Name] extends {
  requestBody: { content: { 'application/json': infer Fields } }
}
  ? Fields
  : unknown
type Flat<Type> = { [Member in keyof Type]: Type[Member] }

/** The fields of a request: those of its path, its query and its body. */
export type Input<Name extends OperationName> = Flat<
  Part<operations[Name]['parameters']['path']> & Part<operations[Name]['parameters']['query']> & Body<Name>
>

type Responses<Name extends OperationName> = operations[Name]['responses']
export type Output<Name extends OperationName> = Responses<Name>[keyof Responses<Name>] extends {
  content: { 'application/json': infer Fields }
}
  ? Fields
  : never

type Arguments<Name extends OperationName> =
  object extends Input<Name>
    ? [input?: Input<Name>, options?: RequestOptions<Name>]
    : [input: Input<Name>, options?: RequestOptions<Name>]

/** A method for each operation of the API, with its name in the OpenAPI document. */
export type Methods = { [Name in keyof typeof routes]: (...given: Arguments<Name>) => Promise<Output<Name>> }
