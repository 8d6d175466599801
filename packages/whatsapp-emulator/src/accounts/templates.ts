import { z } from 'zod'
import { EMULATOR_LIMITS } from '../limits.ts'
import { otpTexts } from './template-texts.ts'

/** A component of a creation. Meta keeps adding members, so unknown ones pass through. */
const buttonSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  url: z.string().optional(),
  example: z.unknown().optional(),
  otp_type: z.string().optional(),
  autofill_text: z.string().optional(),
  package_name: z.string().optional(),
  signature_hash: z.string().optional(),
  supported_apps: z.array(z.looseObject({ package_name: z.string(), signature_hash: z.string() })).optional(),
  zero_tap_terms_accepted: z.boolean().optional(),
  phone_number: z.string().optional(),
})

const componentSchema = z.looseObject({
  type: z.string(),
  format: z.string().optional(),
  text: z.string().optional(),
  example: z.record(z.string(), z.unknown()).optional(),
  add_security_recommendation: z.boolean().optional(),
  code_expiration_minutes: z.int().optional(),
  buttons: z.array(buttonSchema).optional(),
})

const KEPT_STATUSES = ['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'IN_APPEAL', 'LIMIT_EXCEEDED'] as const
export const TEMPLATE_STATUSES = [...KEPT_STATUSES, 'PENDING_DELETION', 'DELETED', 'ARCHIVED'] as const

export const CATEGORIES = ['AUTHENTICATION', 'MARKETING', 'UTILITY'] as const

export const QUALITY_SCORES = ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] as const

export const templateChangeSchema = z.strictObject({
  status: z.enum(TEMPLATE_STATUSES).optional(),
  category: z.enum(CATEGORIES).optional(),
  quality: z.enum(QUALITY_SCORES).optional(),
  reason: z.string().optional(),
})

/** How Meta's reviewers treat the next created templates. */
export const reviewSchema = z.strictObject({
  outcome: z.enum(['approve', 'reject', 'never']).default('approve'),
  /** 0 answers the creation itself with the outcome. */
  afterMs: z.number().min(0).max(EMULATOR_LIMITS.scriptDelayMs).default(2_000),
  /** For a rejection. */
  reason: z
    .enum([
      'ABUSIVE_CONTENT',
      'CATEGORY_NOT_AVAILABLE',
      'INCORRECT_CATEGORY',
      'INVALID_FORMAT',
      'PROMOTIONAL',
      'SCAM',
      'TAG_CONTENT_MISMATCH',
    ])
    .default('INVALID_FORMAT'),
  /** The template comes out of the review in this category. */
  category: z.enum(CATEGORIES).optional(),
  /** How many creations this applies to. Default: all from now on. */
  times: z.int().min(1).optional(),
})

/** A template in the creation form, with any status. */
export const templateSeedSchema = z.strictObject({
  id: z
    .string()
    .regex(/^\d{1,20}$/)
    .optional(),
  name: z.string().min(1),
  language: z.string().min(2),
  category: z.enum(CATEGORIES),
  components: z.array(componentSchema).min(1),
  parameter_format: z.enum(['POSITIONAL', 'NAMED']).optional(),
  message_send_ttl_seconds: z.int().optional(),
  sub_category: z.string().optional(),
  status: z.enum(TEMPLATE_STATUSES).default('APPROVED'),
  rejected_reason: z.string().optional(),
  quality_score: z.enum(QUALITY_SCORES).default('UNKNOWN'),
})

export type TemplateButton = z.infer<typeof buttonSchema>
export type TemplateComponent = z.infer<typeof componentSchema>
export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number]
type TemplateCategory = (typeof CATEGORIES)[number]
export type TemplateSeed = z.input<typeof templateSeedSchema>
export type ReviewSeed = z.input<typeof reviewSchema>
export type ReviewPlan = z.output<typeof reviewSchema>
export type ParameterFormat = 'POSITIONAL' | 'NAMED'

export type Template = {
  readonly id: string
  readonly name: string
  readonly language: string
  category: TemplateCategory
  previousCategory: TemplateCategory | undefined
  subCategory: string | undefined
  status: TemplateStatus
  rejectedReason: string
  qualityScore: string
  readonly parameterFormat: ParameterFormat
  /** The components as created. `componentsAsRead` makes what clients read. */
  readonly components: readonly TemplateComponent[]
  ttlSeconds: number | undefined
  readonly createdAt: number
  readonly shape: TemplateShape
}

/** What a send needs from a template, computed once. */
type TemplateShape = ReturnType<typeof shapeOf>
export type TextPart = { text: string; parameters: readonly string[] }
export type ButtonShape = {
  type: string
  text: string
  url: string | undefined
  /** The parameter that a send must or may give. */
  takes: 'nothing' | 'code' | 'url_suffix' | 'payload' | 'coupon'
}

export function makeTemplate(seed: z.output<typeof templateSeedSchema>, id: string, createdAt: number): Template {
  const components = seed.components.map((component) => ({ ...component, type: component.type.toUpperCase() }))
  return {
    id,
    name: seed.name,
    language: seed.language,
    category: seed.category,
    previousCategory: undefined,
    subCategory: seed.sub_category,
    status: seed.status,
    rejectedReason: seed.rejected_reason ?? 'NONE',
    qualityScore: seed.quality_score,
    parameterFormat: seed.parameter_format ?? 'POSITIONAL',
    components,
    ttlSeconds: seed.message_send_ttl_seconds,
    createdAt,
    shape: shapeOf(components, seed),
  }
}

/** Milliseconds that Meta tries to deliver a message of this template. */
export function ttlMs(template: Template): number {
  const THIRTY_DAYS_S = 30 * 24 * 60 * 60
  const standard = template.category === 'AUTHENTICATION' ? 600 : THIRTY_DAYS_S
  const seconds = template.ttlSeconds === -1 ? THIRTY_DAYS_S : (template.ttlSeconds ?? standard)
  return seconds * 1000
}

/**
 * The components as Graph answers them. An OTP button comes back as a URL button whose link ends in `otp{{1}}`;
 * some partners' mirrors keep the OTP form, hence the choice.
 */
export function componentsAsRead(template: Template, otpButtons: 'URL' | 'OTP'): TemplateComponent[] {
  if (template.category !== 'AUTHENTICATION') return [...template.components]
  return template.components.map((component) => {
    const { type, buttons = [] } = component
    if (type === 'BODY') return { ...component, text: template.shape.body.text, example: { body_text: [['123456']] } }
    if (type === 'FOOTER') return { ...component, text: template.shape.footer }
    if (type !== 'BUTTONS') return component
    return { ...component, buttons: buttons.map((button) => buttonAsRead(template, button, otpButtons)) }
  })
}

export function variablesIn(text: string): string[] {
  const found = Array.from(text.matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g), (match) => match[1] ?? '')
  return [...new Set(found)]
}

function shapeOf(components: readonly TemplateComponent[], { category, language }: TemplateSeed) {
  const find = (type: string) => components.find((component) => component.type === type)
  const [header, body, footer] = [find('HEADER'), find('BODY'), find('FOOTER')]
  const texts = category === 'AUTHENTICATION' ? otpTexts(language) : undefined
  const advice = body?.add_security_recommendation === true ? ` ${texts?.security}` : ''
  const minutes = footer?.code_expiration_minutes
  return {
    header: header?.text === undefined ? undefined : textPart(header.text),
    body: textPart(texts === undefined ? (body?.text ?? '') : texts.body + advice),
    footer:
      minutes === undefined || texts === undefined
        ? footer?.text
        : texts.footer.replace('{{minutes}}', String(minutes)),
    buttons: (find('BUTTONS')?.buttons ?? []).map((button) => buttonShape(button, language)),
  }
}

function textPart(text: string): TextPart {
  return { text, parameters: variablesIn(text) }
}

const TAKES: Record<string, ButtonShape['takes']> = {
  OTP: 'code',
  URL: 'url_suffix',
  QUICK_REPLY: 'payload',
  COPY_CODE: 'coupon',
}

function buttonShape(button: TemplateButton, language: string): ButtonShape {
  const type = button.type.toUpperCase()
  const text = type === 'OTP' ? otpButtonText(button, language) : (button.text ?? '')
  const isFixed = type === 'URL' && variablesIn(button.url ?? '').length === 0
  return { type, text, url: button.url, takes: isFixed ? 'nothing' : (TAKES[type] ?? 'nothing') }
}

function otpButtonText(button: TemplateButton, language: string): string {
  const kind = button.otp_type?.toUpperCase() === 'ONE_TAP' ? 'autofill' : 'copy'
  return (kind === 'autofill' ? button.autofill_text : button.text) ?? otpTexts(language)[kind]
}

function buttonAsRead(template: Template, button: TemplateButton, form: 'URL' | 'OTP'): TemplateButton {
  if (button.type.toUpperCase() !== 'OTP') return button
  const text = otpButtonText(button, template.language)
  const otpType = (button.otp_type ?? 'COPY_CODE').toUpperCase()
  if (form === 'OTP') return { ...button, type: 'OTP', otp_type: otpType, text }
  const link = (code: string) =>
    `https://www.whatsapp.com/otp/code/?${otpQuery(template, button, otpType)}&code=otp${code}`
  return { type: 'URL', text, url: link('{{1}}'), example: [link('123456')] }
}

function otpQuery(template: Template, button: TemplateButton, otpType: string): string {
  const minutes = template.components.find((component) => component.type === 'FOOTER')?.code_expiration_minutes
  const apps = appsOf(button)
  const query = [`otp_type=${otpType}`]
  if (minutes !== undefined) query.push(`code_expiration_minutes=${minutes}`)
  if (apps.length > 0) {
    query.push(`cta_display_name=${encodeURIComponent(otpButtonText(button, template.language))}`)
    query.push(`package_name=${encodeURIComponent(apps.map((app) => app.package_name).join(','))}`)
    query.push(`signature_hash=${encodeURIComponent(apps.map((app) => app.signature_hash).join(','))}`)
  }
  return query.join('&')
}

export function appsOf({ supported_apps, package_name, signature_hash }: TemplateButton) {
  if (supported_apps !== undefined) return supported_apps
  return package_name === undefined || signature_hash === undefined ? [] : [{ package_name, signature_hash }]
}
