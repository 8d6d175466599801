import { createHmac } from 'node:crypto'
import {
  type Provider,
  type ProviderAccount,
  type ProviderNumber,
  type ProviderOperation,
  ProviderRejectedError,
  type ProviderTemplate,
  ProviderUnreachableError,
  type TemplateButton,
  type TemplateComponent,
} from '../provider.ts'
import type { CodeDraft, QuestionDraft } from '../template-draft.ts'
import { MAX_INT4, readAnswerError } from './errors.ts'
import type { GraphClient, GraphRequest } from './graph.ts'
import { type JsonObject, identifier, listOf, objectOf, readObject, storable, textOf } from './json.ts'
import { withoutToken } from './mask.ts'
import { sampleOf, tidy, variablesOf } from '../template-text.ts'

const TIMEOUT_MS = 30_000
/** A page of 100 templates with ten buttons each is below 1 MB. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024

/** `path` is relative to the account. */
type CallRequest = { operation: ProviderOperation; method?: GraphRequest['method']; path: string; body?: object }

/** The calls that manage an account. They throw ProviderRejectedError or ProviderUnreachableError. */
export function createManagement(graph: GraphClient) {
  const callOf = (account: ProviderAccount) => createCall(graph, account)
  return {
    async list(account, onPage = async () => {}) {
      const call = callOf(account)
      const numbers = await readPages(call, {
        operation: 'list_numbers',
        path: `phone_numbers?fields=${NUMBER_FIELDS}`,
        onItems: (count) => onPage({ numbers: count, templates: null }),
      })
      await onPage({ numbers: numbers.length, templates: 0 })
      const templates = await readPages(call, {
        operation: 'list_templates',
        path: `message_templates?fields=${TEMPLATE_FIELDS}`,
        onItems: (count) => onPage({ numbers: numbers.length, templates: count }),
      })
      return {
        numbers: numbers.flatMap((each) => readNumber(each) ?? []),
        templates: templates.flatMap((each) => readTemplate(each) ?? []),
      }
    },

    /**
     * With the proof, Graph rejects the call if secret and token belong to different apps. Without it, Doorcode would
     * later reject every webhook for its signature.
     */
    async subscribe(account) {
      const proof = createHmac('sha256', account.appSecret).update(account.accessToken).digest('hex')
      const path = `subscribed_apps?appsecret_proof=${proof}`
      await callOf(account)({ operation: 'subscribe', method: 'POST', path })
    },

    async subscribers(account) {
      const { data } = await callOf(account)({ operation: 'list_subscribers', path: 'subscribed_apps' })
      return listOf(storable(data)).map((each) => {
        const app = objectOf(objectOf(each)?.whatsapp_business_api_data)
        return textOf(app?.name) ?? textOf(app?.id) ?? ''
      })
    },

    /** The `name` filter also matches parts of names (docs/whatsapp-cloud-api.md#reading-templates). */
    async findTemplate(account, { name, language }) {
      const candidates = await readPages(callOf(account), {
        operation: 'find_template',
        path: `message_templates?fields=${TEMPLATE_FIELDS}&name=${encodeURIComponent(name)}`,
      })
      return candidates.map(readTemplate).find((template) => template?.name === name && template.language === language)
    },

    /** docs/whatsapp-cloud-api.md#creating-templates */
    async createTemplate(account, draft) {
      const { name, language } = draft
      const body = { name, language, ...(draft.use === 'otp' ? codeFields(draft) : questionFields(draft)) }
      const path = 'message_templates'
      const answer = await callOf(account)({ operation: 'create_template', method: 'POST', path, body })
      return { status: textOf(answer.status) ?? 'PENDING' }
    },

    /** Without `hsm_id` WhatsApp would delete every language of the name. */
    async deleteTemplate(account, { name, providerTemplateId }) {
      const query = new URLSearchParams({ name, hsm_id: providerTemplateId }).toString()
      const path = `message_templates?${query}`
      await callOf(account)({ operation: 'delete_template', method: 'DELETE', path })
    },
  } satisfies Partial<Provider>
}

type Call = ReturnType<typeof createCall>

function createCall(graph: GraphClient, account: ProviderAccount) {
  return async ({ operation, method = 'GET', path, body: sent }: CallRequest): Promise<JsonObject> => {
    const answer = await graph.request(account, {
      method,
      path: `/${account.wabaId}/${path}`,
      ...(sent && { body: JSON.stringify(sent) }),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    })
    if (answer.outcome !== 'answered')
      throw new ProviderUnreachableError(operation, answer.detail, { mayHaveArrived: answer.outcome === 'unknown' })
    const { httpStatus } = answer
    const body = readObject(answer.body)
    if (body && httpStatus >= 200 && httpStatus < 300) return body
    const detail = { code: 'providers.call_not_from_graph', httpStatus } as const
    if (!objectOf(body?.error)) throw new ProviderUnreachableError(operation, detail, { mayHaveArrived: true })
    const mask = (text: string): string => withoutToken(text, account.accessToken)
    throw new ProviderRejectedError(operation, readAnswerError(body, { httpStatus, mask }))
  }
}

const PAGE_ITEMS = 100
/** The provider allows 6,000 templates per account. */
const MAX_PAGES = 100

// One unknown field fails the whole call (docs/whatsapp-cloud-api.md#reading-templates).
const NUMBER_FIELDS = 'id,display_phone_number,verified_name,quality_rating,status,throughput'
const TEMPLATE_FIELDS =
  'id,name,language,status,category,parameter_format,components,quality_score,rejected_reason,message_send_ttl_seconds'

type PagedCall = { operation: ProviderOperation; path: string; onItems?: (count: number) => Promise<void> }

const CURSOR_INVALID = 131_059

const readPages = (call: Call, request: PagedCall): Promise<JsonObject[]> =>
  readPagesOnce(call, request).catch((error: unknown) => {
    if (!(error instanceof ProviderRejectedError) || error.error.code !== CURSOR_INVALID) throw error
    return readPagesOnce(call, request)
  })

async function readPagesOnce(call: Call, { operation, path, onItems }: PagedCall): Promise<JsonObject[]> {
  const items: JsonObject[] = []
  let after = ''
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const cursor = after === '' ? '' : `&after=${encodeURIComponent(after)}`
    const body = await call({ operation, path: `${path}&limit=${PAGE_ITEMS}${cursor}` })
    if (!Array.isArray(body.data)) throw new ProviderUnreachableError(operation, { code: 'providers.no_list' })
    items.push(...listOf(body.data).map((each) => objectOf(storable(each)) ?? {}))
    await onItems?.(items.length)
    const paging = objectOf(body.paging)
    after = textOf(objectOf(paging?.cursors)?.after) ?? ''
    // The last page has a cursor too, so `next` decides. Its link holds the token and is not followed.
    if (paging?.next === undefined || after === '') return items
  }
  // An incomplete list would make the missing templates look deleted.
  throw new ProviderUnreachableError(operation, { code: 'providers.too_many', pages: MAX_PAGES, items: PAGE_ITEMS })
}

/** Returns undefined for a number that no row can hold. */
function readNumber(source: JsonObject): ProviderNumber | undefined {
  const phoneNumberId = identifier(source.id)
  if (!phoneNumberId) return undefined
  // "+1 631-555-0100" → "+16315550100"
  const digits = textOf(source.display_phone_number)?.replaceAll(/\D/g, '')
  return {
    phoneNumberId,
    phone: digits ? `+${digits}` : '',
    verifiedName: textOf(source.verified_name) ?? null,
    status: textOf(source.status) ?? 'UNKNOWN',
    throughput: textOf(objectOf(source.throughput)?.level) ?? null,
    quality: textOf(source.quality_rating) ?? null,
  }
}

/** WhatsApp's limit; the name must also fit an index. */
const MAX_TEMPLATE_NAME = 512

function readTemplate(source: JsonObject): ProviderTemplate | undefined {
  const name = textOf(source.name)
  const language = identifier(source.language)
  if (!name || name.length > MAX_TEMPLATE_NAME || !language) return undefined
  const components = listOf(source.components).flatMap(readComponent)
  const rejectedReason = textOf(source.rejected_reason)
  return {
    providerTemplateId: textOf(source.id) ?? '',
    name,
    language,
    status: textOf(source.status) ?? 'UNKNOWN',
    category: textOf(source.category) ?? 'UNKNOWN',
    parameterFormat: parameterFormat(source.parameter_format, components),
    components,
    quality: textOf(objectOf(source.quality_score)?.score) ?? textOf(source.quality_score) ?? null,
    rejectedReason: rejectedReason === 'NONE' ? null : (rejectedReason ?? null),
    sendTtlSeconds: secondsOf(source.message_send_ttl_seconds),
  }
}

/** -1 means 30 days (docs/whatsapp-cloud-api.md#time-to-live). Null: the default of the category. */
const secondsOf = (value: unknown): number | null =>
  Number.isInteger(value) && Math.abs(Number(value)) <= MAX_INT4 ? Number(value) : null

function parameterFormat(value: unknown, components: readonly TemplateComponent[]): 'POSITIONAL' | 'NAMED' {
  const format = textOf(value)?.toUpperCase()
  if (format === 'NAMED' || format === 'POSITIONAL') return format
  return components.some(({ text }) => variablesOf(text ?? '').form === 'named') ? 'NAMED' : 'POSITIONAL'
}

/** Keeps unknown members; the members that Doorcode reads get their types. */
function readComponent(value: unknown): TemplateComponent[] {
  const { type, format, text, buttons, ...rest } = objectOf(value) ?? {}
  const component: TemplateComponent = { ...rest, type: (textOf(type) ?? '').toUpperCase() }
  if (textOf(format)) component.format = textOf(format)?.toUpperCase() ?? ''
  if (textOf(text)) component.text = textOf(text) ?? ''
  if (buttons !== undefined) component.buttons = listOf(buttons).map(readButton)
  return component.type === '' ? [] : [component]
}

/** Keeps unreadable buttons too: parameters refer to buttons by position. */
function readButton(value: unknown): TemplateButton {
  const { type, text, url, otp_type: otpType, ...rest } = objectOf(value) ?? {}
  const button: TemplateButton = { ...rest, type: (textOf(type) ?? 'UNKNOWN').toUpperCase() }
  if (textOf(text)) button.text = textOf(text) ?? ''
  if (textOf(url)) button.url = textOf(url) ?? ''
  if (textOf(otpType)) button.otp_type = textOf(otpType)?.toUpperCase() ?? ''
  return button
}

/** WhatsApp's default. WhatsApp drops a message that could not be delivered in this time. */
const MAX_TTL_SECONDS = 600

const codeFields = ({ securityAdvice, expiryMinutes: minutes, copyLabel }: CodeDraft): object => ({
  category: 'AUTHENTICATION',
  ...(minutes !== null && { message_send_ttl_seconds: Math.min(minutes * 60, MAX_TTL_SECONDS) }),
  components: [
    { type: 'BODY', add_security_recommendation: securityAdvice },
    ...(minutes === null ? [] : [{ type: 'FOOTER', code_expiration_minutes: minutes }]),
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: tidy(copyLabel) || undefined }] },
  ],
})

function questionFields({ headerSample, samples, buttons, ...draft }: QuestionDraft): object {
  const [header, body, footer] = [tidy(draft.header), tidy(draft.body), tidy(draft.footer)]
  return {
    category: 'UTILITY',
    parameter_format: variablesOf(`${header} ${body}`).form === 'named' ? 'NAMED' : 'POSITIONAL',
    components: [
      ...(header === ''
        ? []
        : [{ type: 'HEADER', format: 'TEXT', text: header, example: exampleOf('header', header, () => headerSample) }]),
      { type: 'BODY', text: body, example: exampleOf('body', body, (variable) => sampleOf(samples, variable)) },
      ...(footer === '' ? [] : [{ type: 'FOOTER', text: footer }]),
      { type: 'BUTTONS', buttons: buttons.map((label) => ({ type: 'QUICK_REPLY', text: tidy(label) })) },
    ],
  }
}

/** WhatsApp requires a sample for each variable: a header takes a list, a body a list of lists. */
function exampleOf(part: 'header' | 'body', text: string, sampleFor: (name: string) => string): object | undefined {
  const { form, names } = variablesOf(text)
  if (names.length === 0) return undefined
  const samples = names.map((name) => tidy(sampleFor(name)))
  if (form === 'positional') return { [`${part}_text`]: part === 'body' ? [samples] : samples }
  return { [`${part}_text_named_params`]: names.map((name, index) => ({ param_name: name, example: samples[index] })) }
}
