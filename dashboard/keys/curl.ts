export type FirstCall = {
  baseUrl: string
  apiKey: string
  to: string
  senderId: string
  template: { name: string; language: string }
}

/** An example code: the backend generates its own. */
const EXAMPLE_CODE = '493817'

/** A request that a shell can run unchanged. */
export function curlOf({ baseUrl, apiKey, to, senderId, template }: FirstCall): string {
  const body = JSON.stringify({ to, senderId, template, code: EXAMPLE_CODE, reference: 'first' })
  return [
    `curl ${quoted(`${baseUrl}/otp/messages`)}`,
    `-H ${quoted(`Authorization: Bearer ${apiKey}`)}`,
    `-H ${quoted('Content-Type: application/json')}`,
    `-d ${quoted(body)}`,
  ].join(' \\\n  ')
}

/** Inside single quotes, a shell interprets only the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
