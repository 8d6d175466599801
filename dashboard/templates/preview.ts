import type { Bubble, BubbleButton } from '@doorcode/whatsapp-emulator/phone/bubble.tsx'
import type { QuestionDraft, TemplateDraft } from '../../src/providers/template-draft.ts'
import { fill, sampleOf, tidy, variablesOf } from '../../src/providers/template-text.ts'
import type { ApiRequest } from '../code-examples/request.ts'
import { directionOfTexts } from '../texts/language.ts'
import { codeTextsIn } from './examples-by-language.ts'
import type { Use } from './search.ts'

type Button = { type: string; text?: string; url?: string }
type Component = { type: string; format?: string; text?: string; buttons?: Button[] }
type TemplateContent = { category: string; language: string; components: readonly Component[] }

const SAMPLE_CODE = '123456'

/** A template as the phone shows it, filled with the samples that it was reviewed with. */
export function bubbleOf({ category, language, components }: TemplateContent): Bubble {
  const find = (wantedType: string): Component | undefined => components.find(({ type }) => type === wantedType)
  const [header, body, footer] = [find('HEADER'), find('BODY'), find('FOOTER')]
  const isCode = category === 'AUTHENTICATION'
  const shown = (component: Component): string =>
    fill(component.text ?? '', (name) => sampleIn(component, name) ?? (isCode ? SAMPLE_CODE : undefined))
  return {
    side: 'business',
    ...(header && { header: header.text === undefined ? `[${header.format ?? ''}]` : shown(header) }),
    body: body ? shown(body) : '',
    ...(footer?.text !== undefined && { footer: footer.text }),
    buttons: (find('BUTTONS')?.buttons ?? []).map((button) => bubbleButton(button, isCode)),
    direction: directionOfTexts(language),
  }
}

const bubbleButton = ({ type, text, url }: Button, isCode: boolean): BubbleButton => ({
  label: text ?? type,
  kind: type === 'QUICK_REPLY' ? 'reply' : type === 'OTP' || (isCode && url !== undefined) ? 'copy_code' : 'url',
})

/** Samples come as lists, and for a body as a list of lists; named ones with their names. */
function sampleIn(component: Component, name: string): string | undefined {
  const example: unknown = 'example' in component ? component.example : undefined
  if (typeof example !== 'object' || example === null) return undefined
  for (const [key, value] of Object.entries(example as Record<string, unknown>)) {
    const sample = key.endsWith('named_params') ? namedSample(value, name) : numberedSample(value, name)
    if (sample !== undefined) return sample
  }
  return undefined
}

function numberedSample(value: unknown, name: string): string | undefined {
  const list: unknown = Array.isArray(value) && Array.isArray(value[0]) ? value[0] : value
  const sample: unknown = Array.isArray(list) ? list[Number(name) - 1] : undefined
  return typeof sample === 'string' ? sample : undefined
}

function namedSample(value: unknown, name: string): string | undefined {
  const all: unknown[] = Array.isArray(value) ? value : []
  for (const each of all) {
    if (typeof each !== 'object' || each === null) continue
    const { param_name: called, example } = each as Record<string, unknown>
    if (called === name && typeof example === 'string') return example
  }
  return undefined
}

/** A draft as the phone will show it, with an approximation of the text that WhatsApp writes. */
export function bubbleOfDraft(draft: TemplateDraft): Bubble {
  const direction = directionOfTexts(draft.language)
  if (draft.use !== 'otp') return { ...questionBubble(draft), direction }
  const texts = codeTextsIn(draft.language)
  return {
    side: 'business',
    body: draft.securityAdvice ? `${texts.body} ${texts.advice}` : texts.body,
    ...(draft.expiryMinutes !== null && { footer: texts.expiry(draft.expiryMinutes) }),
    buttons: [{ label: tidy(draft.copyLabel) || texts.copy, kind: 'copy_code' }],
    direction,
  }
}

function questionBubble({ header, headerSample, body, samples, footer, buttons }: QuestionDraft): Bubble {
  const text = tidy(header)
  return {
    side: 'business',
    ...(text !== '' && { header: fill(text, () => tidy(headerSample) || undefined) }),
    body: fill(tidy(body), (name) => tidy(sampleOf(samples, name)) || undefined),
    ...(tidy(footer) !== '' && { footer: tidy(footer) }),
    buttons: buttons.map((label) => ({ label: tidy(label) || '…', kind: 'reply' })),
  }
}

/** The sample of the header's parameter, and the names and samples of the body's. */
export type TemplateParameters = {
  header: string | undefined
  body: { form: 'positional' | 'named'; values: [name: string, sample: string][] }
}

/** The parameters that a request must give. */
export function parametersIn({ components }: Pick<TemplateContent, 'components'>): TemplateParameters {
  const find = (wantedType: string): Component | undefined => components.find(({ type }) => type === wantedType)
  const [header, body] = [find('HEADER'), find('BODY')]
  const [ofHeader] = variablesOf(header?.text ?? '').names
  const { form, names } = variablesOf(body?.text ?? '')
  return {
    header: header && ofHeader !== undefined ? (sampleIn(header, ofHeader) ?? ofHeader) : undefined,
    body: { form, values: names.map((name) => [name, (body && sampleIn(body, name)) ?? name]) },
  }
}

/** A complete request that uses the template; docs/api.md has the optional fields. */
export function exampleOf(
  template: TemplateContent & { name: string },
  { use, senderId, baseUrl }: { use: Use; senderId: string | null; baseUrl: string },
): ApiRequest {
  const { name, language } = template
  const who = { to: '+212600000001', senderId: senderId ?? '<Sender ID>' }
  const parameters = use === 'otp' ? {} : exampleParameters(template)
  const [path, body] = {
    otp: ['/otp/messages', { ...who, template: { name, language }, code: '493817' }],
    confirmation: ['/cod-confirmations', { ...who, template: { name, language }, ...parameters, reference: 'A-1001' }],
    refusal: ['/cod-confirmations/<confirmationId>/refusal-check', { template: { name, language }, ...parameters }],
  }[use] as [string, object]
  return { url: baseUrl + path, body }
}

function exampleParameters(template: TemplateContent): object {
  const { header, body } = parametersIn(template)
  const values = body.form === 'named' ? Object.fromEntries(body.values) : body.values.map(([, sample]) => sample)
  const parameters = { ...(header !== undefined && { header }), ...(body.values.length > 0 && { body: values }) }
  return Object.keys(parameters).length > 0 ? { parameters } : {}
}
