import type { Answers } from '../api.ts'

export type Sendable = Answers['phone']['sendable']
export type Kind = keyof Sendable['templates']
export type SendableTemplate = Sendable['templates'][Kind][number]

/** What somebody has typed; only the members that the kind has are used. `values`: by their places. */
export type Draft = { code: string; reference: string; header: string; values: Readonly<Record<number, string>> }

type Place = { to: string; senderId: string; confirmationId: string | undefined }

type Named = { name: string; language: string }
type Parameters = { header?: string; body?: string[] | Record<string, string> }

/** One of the API's requests: where it goes, and its body. */
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
  const given = parameters && { parameters }
  switch (kind) {
    case 'otp': {
      const body = { to, senderId, template: named, code, ...(reference !== '' && { reference }) }
      return { kind, path: '/otp/messages', body }
    }
    case 'confirmation':
      return { kind, path: '/cod-confirmations', body: { to, senderId, template: named, ...given, reference } }
    case 'refusal': {
      const path = `/cod-confirmations/${confirmationId}/refusal-check`
      return { kind, path, confirmationId, body: { template: named, ...given } }
    }
  }
}

function parametersOf({ header, body }: SendableTemplate, draft: Draft): Parameters | undefined {
  if (header === null && body.names.length === 0) return undefined
  const texts = body.names.map((_, place) => draft.values[place] ?? '')
  const values =
    body.form === 'named' ? Object.fromEntries(body.names.map((name, place) => [name, texts[place] ?? ''])) : texts
  return { ...(header !== null && { header: draft.header }), ...(texts.length > 0 && { body: values }) }
}

/** Runs as it stands where DOORCODE_API_KEY is set. */
export const curlOf = (baseUrl: string, { path, body }: SendRequest): string =>
  [
    `curl ${quoted(baseUrl + path)}`,
    `-H "Authorization: Bearer $DOORCODE_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ')

/** Nothing inside single quotes means anything to a shell but the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Six digits that nobody chose. */
export const someCode = (random: () => number): string => String(Math.floor(random() * 1_000_000)).padStart(6, '0')

/** What a parameter may be, so that a first message reads like one, and tells of the order that the request is about. */
export const exampleOf = (place: number, reference = 'A-1042'): string =>
  ['Sara', reference, '349 MAD', '12:00-18:00'][place] ?? '…'
