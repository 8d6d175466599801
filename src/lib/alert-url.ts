/** Where alerts of the doctor go. */
export type AlertTarget =
  | { kind: 'webhook'; url: string }
  | {
      kind: 'mail'
      host: string
      port: number
      /** TLS from the first byte. Otherwise STARTTLS, which is required if there is a password. */
      secure: boolean
      auth: { user: string; pass: string } | undefined
      from: string
      to: readonly string[]
    }

export const MAX_ALERT_RECIPIENTS = 10
const MAIL_PORTS = { 'smtp:': 587, 'smtps:': 465 } as const
const ADDRESS = /^[^\s@<>,;"\p{Cc}]+@[^\s@<>,;"\p{Cc}]+$/u

/** The target, or what is wrong. Neither repeats the value, which may contain a password. */
export function parseAlertUrl(text: string): AlertTarget | string {
  if (!URL.canParse(text)) return FORMS
  const url = new URL(text)
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    // Node would send them as an Authorization header; the signature is what proves where an alert comes from.
    return url.username || url.password
      ? 'must not contain a user or a password: alerts are signed with DOORCODE_ALERT_SECRET'
      : { kind: 'webhook', url: url.href }
  }
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') return FORMS
  return parseMail(url, url.protocol)
}

const FORMS =
  'must look like https://receiver.example/path or smtps://user:password@host:465/?from=doorcode@shop.example&to=ops@shop.example'

function parseMail(url: URL, protocol: keyof typeof MAIL_PORTS): AlertTarget | string {
  const unknown = [...url.searchParams.keys()].filter((name) => name !== 'from' && name !== 'to')
  if (url.hostname === '' || !['', '/'].includes(url.pathname) || url.hash || unknown.length > 0) return FORMS
  const from = url.searchParams.get('from') ?? ''
  const to = url.searchParams.getAll('to').flatMap((each) => each.split(',').map((address) => address.trim()))
  if (!ADDRESS.test(from)) return 'must name the address that sends the mail, as ?from=doorcode@shop.example'
  if (to.length === 0 || !to.every((each) => ADDRESS.test(each)))
    return 'must name the addresses that get the mail, as &to=ops@shop.example,night@shop.example'
  if (to.length > MAX_ALERT_RECIPIENTS) return `may name at most ${MAX_ALERT_RECIPIENTS} addresses that get the mail`
  const [user, pass] = [decoded(url.username), decoded(url.password)]
  if (user === undefined || pass === undefined) return 'has a user or a password that is not percent-encoded correctly'
  return {
    kind: 'mail',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || MAIL_PORTS[protocol]),
    secure: protocol === 'smtps:',
    auth: user === '' ? undefined : { user, pass },
    from,
    to,
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
