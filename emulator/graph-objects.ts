import { refuse } from './errors.ts'
import { readFields } from './fields.ts'
import { missing, requireAccess, requireAccount, requireNumber, requireToken } from './graph-access.ts'
import { healthOf } from './health.ts'
import { readPage } from './paging.ts'
import { findText } from './reading.ts'
import { requireMessagingProduct } from './send.ts'
import { componentsAsRead } from './templates.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Account, NumberOfAccount, TemplateOfAccount } from './accounts.ts'
import type { Fields } from './fields.ts'
import type { Parts } from './parts.ts'
import type { Template } from './templates.ts'

const accountFields: Fields<Account> = {
  id: (account) => account.id,
  name: (account) => account.name,
  currency: () => 'USD',
  timezone_id: () => '1',
  message_template_namespace: (account) => `twin_${account.id}`,
  account_review_status: () => 'APPROVED',
  business_verification_status: () => 'verified',
  owner_business_info: (account) => ({ id: account.businessId, name: account.name }),
  health_status: (account) => healthOf(account, {}),
}

const numberFields: Fields<NumberOfAccount & { id: string }> = {
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
}
const USUAL_NUMBER_FIELDS = [
  'verified_name',
  'code_verification_status',
  'display_phone_number',
  'quality_rating',
  'platform_type',
  'throughput',
  'id',
]

const templateFields: Fields<TemplateOfAccount & { id: string }> = {
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
}
const USUAL_TEMPLATE_FIELDS = [
  'name',
  'parameter_format',
  'components',
  'language',
  'status',
  'category',
  'sub_category',
  'id',
]

type Request = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>

/** Reading of accounts, numbers and templates, and the registration of a number. */
export function objectRoutes(server: FastifyInstance, parts: Parts): void {
  server.get('/:id', (request: Request) => readObject(parts, request))

  server.get('/:id/phone_numbers', (request: Request) => {
    const account = requireAccount(parts, request, request.params.id)
    const rows = [...account.numbers.values()].map((number) => ({ id: number.id, account, number }))
    const pick = readFields('WhatsAppBusinessPhoneNumber', numberFields, USUAL_NUMBER_FIELDS, request.query['fields'])
    return readPage(rows, pick, request.query, addressOf(request))
  })

  server.get('/:id/message_templates', (request: Request) => {
    const account = requireAccount(parts, request, request.params.id)
    const rows = [...account.templates.values()]
      .filter(templateFilter(request.query))
      .map((template) => ({ id: template.id, account, template }))
    const pick = readFields('MessageTemplate', templateFields, USUAL_TEMPLATE_FIELDS, request.query['fields'])
    return readPage(rows, pick, request.query, addressOf(request))
  })

  server.post('/:id/register', (request: Request) => {
    const { account, number } = requireNumber(parts, request, request.params.id)
    const pin = findText(requireMessagingProduct(request.body)['pin'], 'pin')
    if (pin === undefined || !/^\d{6}$/.test(pin)) refuse(100, 'pin must be 6 digits')
    if (number.pin !== undefined && number.pin !== pin) refuse(133005)
    number.pin = pin
    number.status = 'CONNECTED'
    parts.accounts.changed(account)
    return { success: true }
  })

  server.post('/:id/deregister', (request: Request) => {
    const { account, number } = requireNumber(parts, request, request.params.id)
    number.status = 'DISCONNECTED'
    parts.accounts.changed(account)
    return { success: true }
  })
}

/** One path for three kinds of object, as ids alone tell them apart. */
function readObject(parts: Parts, request: Request): Record<string, unknown> {
  const { id } = request.params
  const asked = request.query['fields']
  const token = requireToken(parts, request)
  const numberRow = parts.accounts.findNumber(id)
  if (numberRow !== undefined) {
    requireAccess(parts, token, numberRow.account)
    return readFields('WhatsAppBusinessPhoneNumber', numberFields, USUAL_NUMBER_FIELDS, asked)({ ...numberRow, id })
  }
  const templateRow = parts.accounts.findTemplateById(id)
  if (templateRow !== undefined) {
    requireAccess(parts, token, templateRow.account)
    return readFields('MessageTemplate', templateFields, USUAL_TEMPLATE_FIELDS, asked)({ ...templateRow, id })
  }
  if (parts.accounts.find(id) === undefined) throw missing(id)
  const account = requireAccount(parts, request, id)
  return readFields(
    'WhatsAppBusinessAccount',
    accountFields,
    ['id', 'name', 'timezone_id', 'message_template_namespace'],
    asked,
  )(account)
}

/** `name` is a contains-style match, as clients have found. */
function templateFilter(query: Record<string, unknown>): (template: Template) => boolean {
  const wanted = (name: string) => findText(query[name], name)
  const [name, language, status, category] = [wanted('name'), wanted('language'), wanted('status'), wanted('category')]
  return (template) =>
    (name === undefined || template.name.includes(name)) &&
    (language === undefined || template.language === language) &&
    (status === undefined || template.status === status.toUpperCase()) &&
    (category === undefined || template.category === category.toUpperCase())
}

function addressOf(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}${request.originalUrl}`
}
