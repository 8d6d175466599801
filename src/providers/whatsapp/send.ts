import type { CodedText } from '../../../locales/text.ts'
import { isOtpButton } from '../otp-button.ts'
import { findComponent, variablesOf } from '../template-text.ts'
import type {
  CustomerIds,
  OutgoingContent,
  OutgoingMessage,
  ParameterValue,
  ProviderAccount,
  ProviderError,
  SendOutcome,
  TemplateComponent,
  TemplateContent,
} from '../provider.ts'
import { callbackDataOf } from './callback-data.ts'
import { readAnswerError } from './errors.ts'
import type { GraphClient, GraphResponse } from './graph.ts'
import { type JsonObject, identifier, listOf, objectOf, readObject } from './json.ts'
import { withoutCode, withoutToken } from './mask.ts'

/** An answer has a few hundred bytes. */
const MAX_RESPONSE_BYTES = 64 * 1024

export async function send(
  graph: GraphClient,
  account: ProviderAccount,
  { message, timeoutMs }: { message: OutgoingMessage; timeoutMs: number },
): Promise<SendOutcome> {
  const answer = await graph.request(account, {
    method: 'POST',
    path: `/${message.phoneNumberId}/messages`,
    body: JSON.stringify(bodyOf(message)),
    timeoutMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    traceparent: message.traceparent,
  })
  const code = message.content.type === 'otp' ? message.content.code : ''
  // The token first: a short code may occur in it.
  return readOutcome(answer, (text) => withoutCode(withoutToken(text, account.accessToken), code))
}

const bodyOf = ({ kind, messageId, recipient, content }: OutgoingMessage): object => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: recipient, // without the plus, WhatsApp may prepend the sender's country code
  biz_opaque_callback_data: callbackDataOf(kind, messageId),
  ...contentOf(content),
})

function contentOf(content: OutgoingContent): object {
  switch (content.type) {
    case 'otp': {
      const { name, language, components } = content.template
      return template(name, language, otpComponents(components, content.code))
    }
    case 'template':
      return template(content.name, content.language, templateComponents(content))
    case 'buttons':
      return interactive('button', content.body, {
        buttons: content.buttons.map(({ id, title }) => ({ type: 'reply', reply: { id, title } })),
      })
    case 'list':
      return interactive('list', content.body, { button: content.button, sections: [{ rows: content.rows }] })
    case 'text':
      return { type: 'text', text: { body: content.body, preview_url: false } }
  }
}

const template = (name: string, language: string, components: object[]): object => ({
  type: 'template',
  template: { name, language: { code: language }, components },
})

const interactive = (type: 'button' | 'list', body: string, action: object): object => ({
  type: 'interactive',
  interactive: { type, body: { text: body }, action },
})

/** WhatsApp rejects a component without parameters (docs/whatsapp-cloud-api.md#templates). */
const templateComponents = ({ header, body, payloads }: TemplateContent): object[] => [
  ...(header ? [{ type: 'header', parameters: [parameter(header)] }] : []),
  ...bodyComponent(body),
  ...payloads.map((payload, index) => ({
    type: 'button',
    sub_type: 'quick_reply',
    index: String(index),
    parameters: [{ type: 'payload', payload }],
  })),
]

const bodyComponent = (values: readonly ParameterValue[]): object[] =>
  values.length > 0 ? [{ type: 'body', parameters: values.map(parameter) }] : []

const parameter = ({ name, text }: ParameterValue): object =>
  name === null ? { type: 'text', text } : { type: 'text', parameter_name: name, text }

/** The code goes into the body and again into each OTP button (docs/whatsapp-cloud-api.md#authentication-templates). */
export function otpComponents(components: readonly TemplateComponent[], code: string): object[] {
  const { form, names } = variablesOf(findComponent(components, 'BODY')?.text ?? '')
  const buttons = findComponent(components, 'BUTTONS')?.buttons ?? []
  return [
    ...bodyComponent(names.map((name) => ({ name: form === 'named' ? name : null, text: code }))),
    ...buttons.flatMap((button, index) =>
      isOtpButton(button)
        ? [{ type: 'button', sub_type: 'url', index: String(index), parameters: [{ type: 'text', text: code }] }]
        : [],
    ),
  ]
}

function readOutcome(response: GraphResponse, mask: (text: string) => string): SendOutcome {
  if (response.outcome !== 'answered') return response
  const { httpStatus } = response
  const body = readObject(response.body)
  if (httpStatus >= 200 && httpStatus < 300) {
    const providerMessageId = identifier(objectOf(listOf(body?.messages)[0])?.id)
    if (providerMessageId) return { outcome: 'accepted', httpStatus, providerMessageId, customer: customerOf(body) }
    return { outcome: 'unknown', httpStatus, detail: { code: 'providers.no_message_id' } }
  }
  const isFromGraph = objectOf(body?.error) !== undefined
  if (isFromGraph || httpStatus === TOO_MANY_REQUESTS)
    return { outcome: 'rejected', httpStatus, error: readAnswerError(body, { httpStatus, mask }) }
  // A proxy may time out while the provider still handles the request.
  if (httpStatus >= 500 || httpStatus === REQUEST_TIMEOUT)
    return { outcome: 'unknown', httpStatus, detail: NO_GRAPH_ERROR }
  return { outcome: 'rejected', httpStatus, error: rejectedByIntermediary(httpStatus) }
}

const REQUEST_TIMEOUT = 408
const TOO_MANY_REQUESTS = 429
const NO_GRAPH_ERROR: CodedText = { code: 'providers.send_not_from_graph' }

/**
 * A redirect, a 404 or a bare 403 comes from a proxy or a wrong URL and says nothing about the message, number or token.
 * So it is transient: the operator can fix the route until the message expires.
 */
const rejectedByIntermediary = (httpStatus: number): ProviderError => ({
  code: null,
  title: NO_GRAPH_ERROR,
  detail: `HTTP ${httpStatus}`,
  class: 'transient',
  scope: 'message',
  failureCode: 'PROVIDER_UNAVAILABLE',
})

const customerOf = (body: JsonObject | undefined): CustomerIds => {
  const contact = objectOf(listOf(body?.contacts)[0])
  return { waId: identifier(contact?.wa_id), userId: identifier(contact?.user_id) }
}
