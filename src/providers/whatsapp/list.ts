import { createHmac } from 'node:crypto'
import { keptSentences } from '../../sentences.ts'
import { parametersOf } from '../../templates/parameters.ts'
import {
  type OnPage,
  type ProviderAccount,
  type ProviderNumber,
  ProviderRefused,
  type ProviderTemplate,
  ProviderUnreachable,
  type TemplateButton,
  type TemplateComponent,
} from '../provider.ts'
import { call } from './call.ts'
import { INT4_MOST } from './errors.ts'
import type { Graph } from './graph.ts'
import { type JsonObject, identifier, listOf, objectOf, storable, textOf } from './json.ts'

const PAGE_ITEMS = 100
/** The provider allows 6,000 templates per account. */
const PAGES_MOST = 100

// Only what is read: one field that the provider does not know fails the whole call (§5.1).
const NUMBER_FIELDS = 'id,display_phone_number,verified_name,quality_rating,status,throughput'
const TEMPLATE_FIELDS =
  'id,name,language,status,category,parameter_format,components,quality_score,rejected_reason,message_send_ttl_seconds'

export async function list(
  graph: Graph,
  account: ProviderAccount,
  onPage: OnPage = async () => {},
): Promise<{ numbers: ProviderNumber[]; templates: ProviderTemplate[] }> {
  const numbers = await readPages(graph, account, {
    what: 'listing the phone numbers',
    path: `/${account.wabaId}/phone_numbers?fields=${NUMBER_FIELDS}`,
    onItems: (count) => onPage({ numbers: count, templates: null }),
  })
  await onPage({ numbers: numbers.length, templates: 0 })
  const templates = await readPages(graph, account, {
    what: 'listing the templates',
    path: `/${account.wabaId}/message_templates?fields=${TEMPLATE_FIELDS}`,
    onItems: (count) => onPage({ numbers: numbers.length, templates: count }),
  })
  return { numbers: numbers.flatMap(readNumber), templates: templates.flatMap(readTemplate) }
}

/**
 * The `name` filter of the list matches parts of names in practice (§5.1), so what it finds is looked through here.
 */
export async function findTemplate(
  graph: Graph,
  account: ProviderAccount,
  { name, language }: { name: string; language: string },
): Promise<ProviderTemplate | undefined> {
  const found = await readPages(graph, account, {
    what: 'looking for the template',
    path: `/${account.wabaId}/message_templates?fields=${TEMPLATE_FIELDS}&name=${encodeURIComponent(name)}`,
  })
  return found.flatMap(readTemplate).find((template) => template.name === name && template.language === language)
}

/**
 * The proof ties the token to the app secret: with another app's secret Graph refuses the call, where otherwise each
 * webhook would be refused by us, later and silently.
 */
export async function subscribe(graph: Graph, account: ProviderAccount & { appSecret: string }): Promise<void> {
  const proof = createHmac('sha256', account.appSecret).update(account.accessToken).digest('hex')
  await call(graph, account, {
    what: 'subscribing to webhooks',
    method: 'POST',
    path: `/${account.wabaId}/subscribed_apps?appsecret_proof=${proof}`,
  })
}

/** Names of the apps that get the account's webhooks. */
export async function subscribers(graph: Graph, account: ProviderAccount): Promise<string[]> {
  const { data } = await call(graph, account, {
    what: 'asking who gets the webhooks',
    method: 'GET',
    path: `/${account.wabaId}/subscribed_apps`,
  })
  return listOf(storable(data)).map((each) => {
    const app = objectOf(objectOf(each)?.whatsapp_business_api_data)
    return textOf(app?.name) ?? textOf(app?.id) ?? ''
  })
}

type Listing = { what: string; path: string; onItems?: (count: number) => Promise<void> }

const CURSOR_INVALID = 131_059

async function readPages(graph: Graph, account: ProviderAccount, listing: Listing): Promise<JsonObject[]> {
  try {
    return await readPagesOnce(graph, account, listing)
  } catch (error) {
    if (!(error instanceof ProviderRefused) || error.error.code !== CURSOR_INVALID) throw error
    return readPagesOnce(graph, account, listing)
  }
}

async function readPagesOnce(
  graph: Graph,
  account: ProviderAccount,
  { what, path, onItems }: Listing,
): Promise<JsonObject[]> {
  const items: JsonObject[] = []
  let after = ''
  for (let page = 0; page < PAGES_MOST; page += 1) {
    const cursor = after === '' ? '' : `&after=${encodeURIComponent(after)}`
    const body = await call(graph, account, { what, method: 'GET', path: `${path}&limit=${PAGE_ITEMS}${cursor}` })
    if (!Array.isArray(body.data)) throw new ProviderUnreachable(what, details.noList.en)
    items.push(...listOf(body.data).map((each) => objectOf(storable(each)) ?? {}))
    await onItems?.(items.length)
    const paging = objectOf(body.paging)
    after = textOf(objectOf(paging?.cursors)?.after) ?? ''
    // The last page has a cursor too: only `next` tells that there is more. Its link holds the token and is not followed.
    if (paging?.next === undefined || after === '') return items
  }
  // Half a list must not pass for the whole: what it lacks would be taken for deleted.
  throw new ProviderUnreachable(what, details.tooMany({ pages: PAGES_MOST, items: PAGE_ITEMS }).en)
}

const details = keptSentences({
  noList: { en: 'what answers is not the Graph API', ar: 'من يجيب ليس واجهة واتساب' },
  tooMany: { en: 'more than {pages} pages of {items}', ar: 'أكثر من {pages} صفحة في كل منها {items}' },
})

function readNumber(from: JsonObject): ProviderNumber[] {
  const phoneNumberId = identifier(from.id)
  if (!phoneNumberId) return []
  return [
    {
      phoneNumberId,
      phone: phoneOf(textOf(from.display_phone_number) ?? ''),
      verifiedName: textOf(from.verified_name) ?? null,
      status: textOf(from.status) ?? 'UNKNOWN',
      throughput: textOf(objectOf(from.throughput)?.level) ?? null,
      quality: textOf(from.quality_rating) ?? null,
    },
  ]
}

/** "+1 631-555-0100" → "+16315550100" */
function phoneOf(displayed: string): string {
  const digits = displayed.replaceAll(/\D/g, '')
  return digits === '' ? '' : `+${digits}`
}

/** WhatsApp's own limit, and what an index holds. */
const TEMPLATE_NAME_MOST = 512

function readTemplate(from: JsonObject): ProviderTemplate[] {
  const name = textOf(from.name)
  const language = identifier(from.language)
  if (!name || name.length > TEMPLATE_NAME_MOST || !language) return []
  const components = listOf(from.components).flatMap(readComponent)
  const rejectedReason = textOf(from.rejected_reason)
  return [
    {
      providerTemplateId: textOf(from.id) ?? '',
      name,
      language,
      status: textOf(from.status) ?? 'UNKNOWN',
      category: textOf(from.category) ?? 'UNKNOWN',
      parameterFormat: parameterFormat(from.parameter_format, components),
      components,
      quality: textOf(objectOf(from.quality_score)?.score) ?? textOf(from.quality_score) ?? null,
      rejectedReason: rejectedReason === 'NONE' ? null : (rejectedReason ?? null),
      sendTtlSeconds: secondsOf(from.message_send_ttl_seconds),
    },
  ]
}

/** WhatsApp allows 30 days at the most, for which -1 stands (§2.8). Null: the default of the category. */
const secondsOf = (value: unknown): number | null =>
  Number.isInteger(value) && Math.abs(Number(value)) <= INT4_MOST ? Number(value) : null

function parameterFormat(given: unknown, components: readonly TemplateComponent[]): 'POSITIONAL' | 'NAMED' {
  const format = textOf(given)?.toUpperCase()
  if (format === 'NAMED' || format === 'POSITIONAL') return format
  return components.some(({ text }) => parametersOf(text ?? '').form === 'named') ? 'NAMED' : 'POSITIONAL'
}

/** All members stay; those that we read have the types that we read them with. */
function readComponent(given: unknown): TemplateComponent[] {
  const { type, format, text, buttons, ...rest } = objectOf(given) ?? {}
  const component: TemplateComponent = { ...rest, type: (textOf(type) ?? '').toUpperCase() }
  if (textOf(format)) component.format = textOf(format)?.toUpperCase() ?? ''
  if (textOf(text)) component.text = textOf(text) ?? ''
  if (buttons !== undefined) component.buttons = listOf(buttons).map(readButton)
  return component.type === '' ? [] : [component]
}

/** One that cannot be read stays too: it holds a place, and places are what parameters go by. */
function readButton(given: unknown): TemplateButton {
  const { type, text, url, otp_type: otpType, ...rest } = objectOf(given) ?? {}
  const button: TemplateButton = { ...rest, type: (textOf(type) ?? 'UNKNOWN').toUpperCase() }
  if (textOf(text)) button.text = textOf(text) ?? ''
  if (textOf(url)) button.url = textOf(url) ?? ''
  if (textOf(otpType)) button.otp_type = textOf(otpType)?.toUpperCase() ?? ''
  return button
}
