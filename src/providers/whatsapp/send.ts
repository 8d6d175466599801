import { isOtpButton } from '../../templates/otp-button.ts'
import { parametersOf } from '../../templates/parameters.ts'
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
import { keptSentences } from '../../sentences.ts'
import { callbackDataOf } from './callback-data.ts'
import { readAnswerError } from './errors.ts'
import type { Graph, GraphAnswer } from './graph.ts'
import { type JsonObject, identifier, listOf, objectOf, readObject } from './json.ts'
import { withoutCode, withoutToken } from './mask.ts'

/** Of a whole attempt, from the wait for a connection to the last byte. A lease on a message must outlast it. */
export const SEND_TIMEOUT_MS = 10_000
/** An answer has a few hundred bytes. */
const ANSWER_BYTES_MOST = 64 * 1024

export async function send(
  graph: Graph,
  account: ProviderAccount,
  { message, timeoutMs }: { message: OutgoingMessage; timeoutMs: number },
): Promise<SendOutcome> {
  const answer = await graph.ask(account, {
    method: 'POST',
    path: `/${message.phoneNumberId}/messages`,
    body: JSON.stringify(bodyOf(message)),
    timeoutMs,
    answerBytesMost: ANSWER_BYTES_MOST,
  })
  const code = message.content.type === 'otp' ? message.content.code : ''
  return readOutcome(answer, (text) => withoutToken(withoutCode(text, code), account.accessToken))
}

export const bodyOf = ({ kind, messageId, recipient, content }: OutgoingMessage): object => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: recipient, // with its plus: without it the sender's country code may be put before it (§2.1)
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

/** A component without parameters is left out (§2.3). */
const templateComponents = ({ header, body, payloads }: TemplateContent): object[] => [
  ...(header ? [{ type: 'header', parameters: [parameter(header)] }] : []),
  ...(body.length > 0 ? [{ type: 'body', parameters: body.map(parameter) }] : []),
  ...payloads.map((payload, index) => ({
    type: 'button',
    sub_type: 'quick_reply',
    index: String(index),
    parameters: [{ type: 'payload', payload }],
  })),
]

const parameter = ({ name, text }: ParameterValue): object =>
  name === null ? { type: 'text', text } : { type: 'text', parameter_name: name, text }

/** The code goes into the body and again into each OTP button, at the button's place among all buttons (§2.2). */
export function otpComponents(components: readonly TemplateComponent[], code: string): object[] {
  return components.flatMap((component): object[] => {
    if (component.type === 'BODY') return bodyComponent(component.text ?? '', code)
    if (component.type === 'BUTTONS') return buttonComponents(component, code)
    return []
  })
}

function bodyComponent(text: string, code: string): object[] {
  const { form, names } = parametersOf(text)
  if (names.length === 0) return []
  const parameters = names.map((name) => parameter({ name: form === 'named' ? name : null, text: code }))
  return [{ type: 'body', parameters }]
}

const buttonComponents = ({ buttons }: TemplateComponent, code: string): object[] =>
  (buttons ?? []).flatMap((button, index) =>
    isOtpButton(button)
      ? [{ type: 'button', sub_type: 'url', index: String(index), parameters: [{ type: 'text', text: code }] }]
      : [],
  )

export function readOutcome(answer: GraphAnswer, mask: (text: string) => string): SendOutcome {
  if (answer.outcome !== 'answered') return answer
  const { httpStatus } = answer
  const body = readObject(answer.body)
  if (httpStatus >= 200 && httpStatus < 300) {
    const providerMessageId = identifier(objectOf(listOf(body?.messages)[0])?.id)
    if (providerMessageId) return { outcome: 'accepted', httpStatus, providerMessageId, customer: customerOf(body) }
    return { outcome: 'unknown', httpStatus, detail: details.noMessageId.en }
  }
  const isFromGraph = objectOf(body?.error) !== undefined
  if (isFromGraph || httpStatus === TOO_MANY_REQUESTS)
    return { outcome: 'refused', httpStatus, error: readAnswerError(body, { httpStatus, mask }) }
  // A proxy on the way may give up on a request that the provider goes on with.
  if (httpStatus >= 500 || httpStatus === REQUEST_TIMEOUT)
    return { outcome: 'unknown', httpStatus, detail: NOT_FROM_GRAPH }
  return { outcome: 'refused', httpStatus, error: refusedOnTheWay(httpStatus) }
}

const REQUEST_TIMEOUT = 408
const TOO_MANY_REQUESTS = 429
const details = keptSentences({
  noMessageId: {
    en: 'the answer names no message id that could be stored',
    ar: 'لا يذكر الرد معرّف رسالة يمكن حفظه',
  },
  notFromGraph: { en: 'the answer is no Graph error', ar: 'الرد ليس خطأ من واجهة واتساب' },
})
const NOT_FROM_GRAPH = details.notFromGraph.en

/**
 * A redirect, a 404, a bare 403 come from a proxy or from a wrong URL. They say nothing of message, number or token, so
 * they neither fail the message for good nor stop its account: an operator has until the window closes to mend the way.
 */
const refusedOnTheWay = (httpStatus: number): ProviderError => ({
  code: null,
  title: NOT_FROM_GRAPH,
  detail: `HTTP ${httpStatus}`,
  class: 'transient',
  scope: 'message',
  failureCode: 'PROVIDER_UNAVAILABLE',
})

const customerOf = (body: JsonObject | undefined): CustomerIds => {
  const contact = objectOf(listOf(body?.contacts)[0])
  return { waId: identifier(contact?.wa_id), userId: identifier(contact?.user_id) }
}
