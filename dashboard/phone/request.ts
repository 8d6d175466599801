import type { RouterOutputs } from '../api.ts'
import type { ApiRequest } from '../code-examples/request.ts'

export type Sendable = RouterOutputs['phone']['sendable']
export type Kind = keyof Sendable['templates']
export type SendableTemplate = Sendable['templates'][Kind][number]

/** The form input; only the members of the chosen kind are used. `values`: by position. */
export type Draft = { code: string; reference: string; header: string; values: Readonly<Record<number, string>> }

type Place = { to: string; senderId: string; confirmationId: string | undefined }

type Named = { name: string; language: string }
type Parameters = { header?: string; body?: string[] | Record<string, string> }

/** A request to the API: its path and its body. */
export type SendRequest = { path: string } & (
  | { kind: 'otp'; body: { to: string; senderId: string; template: Named; code: string; reference?: string } }
  | {
      kind: 'confirmation'
      body: { to: string; senderId: string; template: Named; parameters?: Parameters; reference: string }
    }
  | { kind: 'refusal'; confirmationId: string; body: { template: Named; parameters?: Parameters } }
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
  if (header === null && body.names.length === 0) return undefined
  const texts = body.names.map((_, index) => draft.values[index] ?? '')
  const values =
    body.form === 'named' ? Object.fromEntries(body.names.map((name, index) => [name, texts[index] ?? ''])) : texts
  return { ...(header !== null && { header: draft.header }), ...(texts.length > 0 && { body: values }) }
}

/** As the code examples show it. */
export const apiRequestOf = (baseUrl: string, { path, body }: SendRequest): ApiRequest => ({
  url: baseUrl + path,
  body,
})

export const someCode = (random: () => number): string => String(Math.floor(random() * 1_000_000)).padStart(6, '0')

/** Example parameters that make a readable first message about the order of the request. */
export const exampleOf = (index: number, reference = 'A-1042'): string =>
  ['Sara', reference, '349 MAD', '12:00-18:00'][index] ?? '…'
