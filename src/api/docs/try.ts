import { isUuid } from '../../lib/ids.ts'
import type { ApiDocument } from './openapi.ts'

/** A sender and a template for one-time codes that exist, for the examples of requests. */
export type RequestExample = { senderId: string; template: { name: string; language: string } }

export const TRY_PATH = '/docs/try.js'

/**
 * Reads what a link to the reference brings: `/docs#try?sender=…&template=…&language=…&key=…`. Browsers send no fragment, so the
 * key reaches neither the server nor its log; it leaves the address before the page is shown.
 */
export const TRY_SCRIPT = `const element = document.getElementById('api-reference')
const given = new URLSearchParams(location.hash.startsWith('#try?') ? location.hash.slice(5) : '')
if (given.size > 0) {
  history.replaceState(null, '', location.pathname)
  const key = given.get('key')
  given.delete('key')
  element.dataset.url = '/openapi.json?' + given
  const configuration = JSON.parse(element.dataset.configuration)
  if (key) configuration.authentication = { preferredSecurityScheme: 'bearerAuth', securitySchemes: { bearerAuth: { token: key } } }
  element.dataset.configuration = JSON.stringify(configuration)
}
`

const TEMPLATE_NAME = /^[a-z0-9_]{1,512}$/
const LANGUAGE = /^[A-Za-z_]{2,15}$/

/** Returns undefined if the query has no valid sender and template. */
export function readExample({ sender, template, language }: Record<string, unknown>): RequestExample | undefined {
  if (typeof sender !== 'string' || typeof template !== 'string' || typeof language !== 'string') return undefined
  if (!isUuid(sender) || !TEMPLATE_NAME.test(template) || !LANGUAGE.test(language)) return undefined
  return { senderId: sender.toLowerCase(), template: { name: template, language } }
}

/** The fragment of a link to the reference. */
export const tryFragment = ({ senderId, template }: RequestExample, key: string): string =>
  `#try?${new URLSearchParams({ sender: senderId, template: template.name, language: template.language, key }).toString()}`

/** Stand for an example in the text of the document, which contains them nowhere else. */
const BLANK: RequestExample = { senderId: '{{sender}}', template: { name: '{{template}}', language: '{{language}}' } }

/**
 * The document with blanks for the sender in its requests, and for the template in those that send a code. `fillIn` replaces
 * them: any visitor can ask for an example, and writing the document takes far longer than sending it.
 */
export const withBlanks = (document: ApiDocument): string =>
  JSON.stringify(document, (name, value: unknown) => {
    if (name !== 'example' || typeof value !== 'object' || value === null || !('senderId' in value)) return value
    const sendsCode = !('parameters' in value) // templates of orders have parameters
    return { ...value, senderId: BLANK.senderId, ...(sendsCode && { template: BLANK.template }) }
  })

/** The values of an example need no escapes in JSON: see `readExample`. */
export const fillIn = (text: string, { senderId, template }: RequestExample): string =>
  text
    .replaceAll(BLANK.senderId, senderId)
    .replaceAll(BLANK.template.name, template.name)
    .replaceAll(BLANK.template.language, template.language)
