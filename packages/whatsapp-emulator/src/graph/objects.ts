import type { Account, NumberOfAccount, TemplateOfAccount } from '../accounts/accounts.ts'
import { templateFilter } from '../accounts/template-filters.ts'
import { componentsAsRead } from '../accounts/templates.ts'
import { type Call, missing, requireAccess, requireAccount, requireToken } from './call.ts'
import { type RequestedField, type Edges, type Kind, readFields } from './fields.ts'
import { healthOf } from './health.ts'
import { findMedia, linkTo, mediaKind } from './media.ts'
import { type Link, type Page, readPage } from './paging.ts'

const accountKind: Kind<Account> = {
  name: 'WhatsAppBusinessAccount',
  fields: {
    id: (account) => account.id,
    name: (account) => account.name,
    currency: () => 'USD',
    timezone_id: () => '1',
    message_template_namespace: (account) => `emulator_${account.id}`,
    account_review_status: () => 'APPROVED',
    business_verification_status: () => 'verified',
    owner_business_info: (account) => ({ id: account.businessId, name: account.name }),
    health_status: (account) => healthOf(account, {}),
  },
  defaults: 'id,name,timezone_id,message_template_namespace',
}

const numberKind: Kind<NumberOfAccount> = {
  name: 'WhatsAppBusinessPhoneNumber',
  fields: {
    id: ({ number }) => number.id,
    display_phone_number: ({ number }) => number.displayPhoneNumber,
    verified_name: ({ number }) => number.verifiedName,
    quality_rating: ({ number }) => number.qualityRating,
    quality_score: ({ number }) => ({ score: number.qualityRating }),
    code_verification_status: ({ number }) => number.codeVerificationStatus,
    status: ({ number }) => number.status,
    name_status: ({ number }) => number.nameStatus,
    platform_type: () => 'CLOUD_API',
    throughput: ({ number }) => ({ level: number.throughput }),
    account_mode: ({ number }) => (number.allowedRecipients === undefined ? 'LIVE' : 'SANDBOX'),
    is_pin_enabled: ({ number }) => number.pin !== undefined,
    is_official_business_account: () => false,
    whatsapp_business_manager_messaging_limit: ({ number }) => number.messagingLimit,
    webhook_configuration: ({ account }) => ({ application: account.callbackUrl }),
    health_status: ({ account, number }) => healthOf(account, { number }),
  },
  defaults: 'verified_name,code_verification_status,display_phone_number,quality_rating,platform_type,throughput,id',
}

const templateKind: Kind<TemplateOfAccount> = {
  name: 'MessageTemplate',
  fields: {
    id: ({ template }) => template.id,
    name: ({ template }) => template.name,
    language: ({ template }) => template.language,
    status: ({ template }) => template.status,
    category: ({ template }) => template.category,
    sub_category: ({ template }) => template.subCategory,
    previous_category: ({ template }) => template.previousCategory,
    parameter_format: ({ template }) => template.parameterFormat,
    components: ({ account, template }) => componentsAsRead(template, account.otpButtons),
    quality_score: ({ template }) => ({ score: template.qualityScore, date: Math.floor(template.createdAt / 1000) }),
    rejected_reason: ({ template }) => template.rejectedReason,
    message_send_ttl_seconds: ({ template }) => template.ttlSeconds,
    health_status: ({ account, template }) => healthOf(account, { template }),
  },
  defaults: 'name,parameter_format,components,language,status,category,sub_category,id',
}

/** One path for four kinds of object, which only the id distinguishes. */
export function readObject(call: Call): Record<string, unknown> {
  const { id, parts } = call
  const fields = call.query['fields']
  const token = requireToken(call)
  const read = <Row extends { account: Account }>(kind: Kind<Row>, row: Row) => {
    requireAccess(token, row.account)
    return readFields(kind, fields)(row)
  }
  const numberRow = parts.accounts.findNumber(id)
  if (numberRow !== undefined) return read(numberKind, numberRow)
  const templateRow = parts.accounts.findTemplateById(id)
  if (templateRow !== undefined) return read(templateKind, templateRow)
  const file = findMedia(call, id, token)
  if (file !== undefined) return readFields(mediaKind, fields)({ file, url: linkTo(call, file) })
  if (parts.accounts.find(id) === undefined) throw missing(id)
  const account = requireAccount(call)
  return readFields(accountKind, fields, edgesOf(account, linkOf(call)))(account)
}

/** The lists of an account that can be read with it, as `phone_numbers.limit(2){id}`. */
function edgesOf(account: Account, { address, token }: Link): Edges {
  const read =
    (list: typeof listNumbers) =>
    ({ name, parameters, inner }: RequestedField): Page => {
      const query = { ...parameters, ...(inner === undefined ? {} : { fields: inner }) }
      const url = new URL(address)
      url.pathname = `${url.pathname}/${name}`
      url.search = new URLSearchParams(query).toString()
      return list(account, query, { address: url.href, token })
    }
  return { phone_numbers: read(listNumbers), message_templates: read(listTemplates) }
}

export function listNumbers(account: Account, query: Record<string, unknown>, link: Link): Page {
  const pick = readFields(numberKind, query['fields'])
  const rows = Array.from(account.numbers.values(), (number) => pick({ account, number }))
  return readPage(rows, query, link)
}

export function listTemplates(account: Account, query: Record<string, unknown>, link: Link): Page {
  const pick = readFields(templateKind, query['fields'])
  const templates = [...account.templates.values()].filter(templateFilter(query))
  const rows = templates.map((template) => pick({ account, template }))
  return readPage(rows, query, link)
}

export function linkOf(call: Call): Link {
  const { protocol, host, originalUrl } = call.request
  return { address: `${protocol}://${host}${originalUrl}`, token: requireToken(call) }
}
