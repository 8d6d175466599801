/** The receiver of spans, or what is wrong. Neither function repeats the value, which may contain a password. */
export function parseOtlpEndpoint(text: string): URL | string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash
    ? url
    : 'must be a URL such as http://collector:4318, without a user, a password, ? and #'
}

const HEADERS_FORM = 'must look like name=value,other=value, with percent-encoded values'
const HEADER = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=([\x21-\x7e]*)\s*$/
const HEADER_VALUE = /^[\t\x20-\x7e]*$/

export function parseOtlpHeaders(text: string): Readonly<Record<string, string>> | string {
  try {
    const headers = text.split(',').map((pair): [string, string] => {
      const [, name = '', value = ''] = HEADER.exec(pair) ?? []
      return [name, decodeURIComponent(value)]
    })
    const areValid = headers.every(([name, value]) => name !== '' && HEADER_VALUE.test(value))
    return areValid ? Object.fromEntries(headers) : HEADERS_FORM
  } catch {
    return HEADERS_FORM // no percent-encoding
  }
}
