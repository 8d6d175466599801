import type { RouterOutputs } from '../api.ts'
import type { ApiRequest } from '../code-examples/request.ts'
import type { TemplateParameters } from '../templates/preview.ts'

export type Sendable = RouterOutputs['phone']['sendable']
export type Kind = keyof Sendable['templates']
export type SendableTemplate = { name: string; language: string } & TemplateParameters

/** The form input; only the members of the chosen kind are used. `values`: by position. */
export type Draft = {
  code: string
  reference: string
  header: string | undefined
  values: Readonly<Record<number, string>>
}

type Place = { to: string; senderId: string; confirmationId: string | undefined }

type TemplateName = { name: string; language: string }
type Parameters = { header?: string; body?: string[] | Record<string, string> }

/** A request to the API: its path and its body. */
export type SendRequest = { path: string } & (
  | { kind: 'otp'; body: { to: string; senderId: string; template: TemplateName; code: string; reference?: string } }
  | {
      kind: 'confirmation'
      body: { to: string; senderId: string; template: TemplateName; parameters?: Parameters; reference: string }
    }
  | { kind: 'refusal'; confirmationId: string; body: { template: TemplateName; parameters?: Parameters } }
)

export function requestOf(kind: Kind, template: SendableTemplate, draft: Draft, place: Place): SendRequest {
  const { to, senderId, confirmationId = '' } = place
  const { code, reference } = draft
  const named = { name: template.name, language: template.language }
  const parameters = parametersOf(template, draft)
  const withParameters = parameters && { parameters }
  switch (kind) {
    case 'otp': {
      const body = { to, senderId, template: named, code, ...(reference !== '' && { reference }) }
      return { kind, path: '/otp/messages', body }
    }
    case 'confirmation':
      return { kind, path: '/cod-confirmations', body: { to, senderId, template: named, ...withParameters, reference } }
    case 'refusal': {
      const path = `/cod-confirmations/${confirmationId}/refusal-check`
      return { kind, path, confirmationId, body: { template: named, ...withParameters } }
    }
  }
}

function parametersOf({ header, body }: SendableTemplate, draft: Draft): Parameters | undefined {
  if (header === undefined && body.values.length === 0) return undefined
  const texts = body.values.map(([name, sample], index) => draft.values[index] ?? firstValue(name, sample, draft))
  const values =
    body.form === 'named' ? Object.fromEntries(body.values.map(([name], index) => [name, texts[index] ?? ''])) : texts
  return {
    ...(header !== undefined && { header: draft.header ?? header }),
    ...(texts.length > 0 && { body: values }),
  }
}

/** The request that the code examples show. */
export const apiRequestOf = (baseUrl: string, { path, body }: SendRequest): ApiRequest => ({
  url: baseUrl + path,
  body,
})

export const someCode = (random: () => number): string => String(Math.floor(random() * 1_000_000)).padStart(6, '0')

type Meaning = 'customer' | 'order' | 'total'

const NAMES = {
  customer: /customer|client|^(first_?)?name$/i,
  order: /order|reference|commande/i,
  total: /amount|total|price|montant/i,
} as const satisfies Record<Meaning, RegExp>

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))

/** What a variable is for, by its name, or for a numbered one by the sample of the template. */
export function meaningOf(name: string, sample: string): Meaning | undefined {
  if (!/^\d+$/.test(name)) return (['customer', 'order', 'total'] as const).find((each) => NAMES[each].test(name))
  if (!/\p{N}/u.test(sample)) return name === '1' ? 'customer' : undefined
  const [code = ''] = /[A-Z]{3}/.exec(sample) ?? []
  if (CURRENCIES.has(code) || /\p{Sc}/u.test(sample)) return 'total'
  // A template without a sample has the variable's number in its place.
  return sample !== name && /^#?[\p{L}\p{N}_/-]+$/u.test(sample) ? 'order' : undefined
}

/** A variable for the order begins with the request's reference, other variables with their samples. */
export function firstValue(name: string, sample: string, { reference }: Pick<Draft, 'reference'>): string {
  if (meaningOf(name, sample) === 'order') return reference
  return sample === name ? '…' : sample
}
