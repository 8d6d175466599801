import { SECRET_MEMBERS } from '../../lib/log.ts'

const SECRET = '[secret]'
const NUMBER = '[number]'

const DATE = String.raw`(?:19|20)\d\d-[01]\d-[0-3]\d`
const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1?\d?\d)`
/** Decimals, versions and IPv4 addresses, which never begin like 06.12. Others with points are numbers of phones. */
const WITH_POINTS = String.raw`(?!0\d)(?:\d+\.\d+|(?:\d{1,2}\.){2}\d{1,3}|(?:${OCTET}\.){3}${OCTET})(?![.\d])`
/** At least 9 digits, such as 0612-34-56-78 and (06) 12 34 56 78. */
const GROUPED_NUMBER = new RegExp(
  String.raw`(?<![\w\p{Nd}./-]|\p{Nd}:)(?!${DATE}|${WITH_POINTS})(?=(?:[ ().-]{0,2}\p{Nd}){9})` +
    String.raw`\p{Nd}{1,4}(?:[ ().-]{1,2}(?!${DATE})\p{Nd}{2,10})+(?!\w)`,
  'gu',
)

/** What may identify a person or open something, wherever it is in a text. The longest forms come first. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // user and password; a password may have "/" and "@"; text that begins with a port and a path is not a password
  [/([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/@"':]*:(?!\d{1,5}[/?#])[^\s"']*|[^\s/@"']*)@/gi, `$1${SECRET}@`],
  [/\b(?:Bearer|Basic)\s+[^\s"',;]+/gi, SECRET],
  [/\b(?:whsec|dck|otp)_[A-Za-z0-9+/=_-]+/g, SECRET],
  // contains the recipient's number in another form
  [/\bwamid\.[A-Za-z0-9+/=_-]+/g, '[message of WhatsApp]'],
  [/\bEAA[A-Za-z0-9]+/g, SECRET],
  [/[?&][A-Za-z0-9_.-]*(?:token|key|secret|password|code)=[^&\s"']*/gi, `?${SECRET}`],
  // keys and tokens in hex or base64, longer than ids and hashes of commits; a path has no digits and no capitals
  [/(?<![A-Za-z0-9])[0-9a-f]{41,}(?![A-Za-z0-9])/gi, SECRET],
  [/(?<![A-Za-z0-9+/_-])(?=[A-Za-z+/_-]*\d)(?=[a-z0-9+/_-]*[A-Z])[A-Za-z0-9+/_-]{41,}={0,2}/g, SECRET],
  // by its name; one to three digits are a figure of a finding
  [
    /\b(\w*(?:password|secret|token|api[_-]?key|authorization)[\\"']*\s*[:=]\s*)(?!(?:\d{1,3}|null|undefined|none|true|false)\b)(?:"[^"]*"|'[^']*'|[^\s"',;&]+)/gi,
    `$1${SECRET}`,
  ],
  [
    /\b((?:code|pin|otp)[\\"']*\s*[:=][\s\\"']*)(?!\d[\dA-Z]P\d\d\b)(?=[a-z]*\p{Nd})[a-z\p{Nd}]{4,15}(?![a-z\p{Nd}])/giu,
    `$1${SECRET}`,
  ],
  [/[^\s@<>"'(]+@[^\s@<>"'),;]+\.[a-z]{2,}/gi, '[mail address]'],
  [/(?:\+|%2B)\p{Nd}[\p{Nd} ().-]{5,20}\p{Nd}/giu, NUMBER],
  [GROUPED_NUMBER, NUMBER],
  // codes in two groups; not the status and the size in a proxy's log
  [/(?<![\w\p{Nd}./-]|\p{Nd}:|HTTP\/\d(?:\.\d)?" )\p{Nd}{3,4}[ -]\p{Nd}{3,4}(?![\w\p{Nd}:-])/gu, NUMBER],
  // longer than ports and numbers of lines; not parts of ids
  [/(?:(?<=%[\dA-F]{2})|(?<![\w\p{Nd}.-]))\p{Nd}{9,15}(?![\w\p{Nd}])/giu, NUMBER],
  // numbers without a plus, and codes; not parts of times, ids and places in files
  [/(?<![\w\p{Nd}.:/-])\p{Nd}{4,15}(?![\w\p{Nd}:-])/gu, NUMBER],
]

/** `known`: values of this instance that must not appear, such as its keys. */
export function createRedactor(known: readonly string[]): (value: unknown) => unknown {
  const secrets = [...new Set(known)].filter((each) => each.length > 3).sort((one, other) => other.length - one.length)
  const ofText = (text: string): string => {
    let result = text
    for (const secret of secrets) result = result.replaceAll(secret, SECRET)
    for (const [pattern, replacement] of PATTERNS) result = result.replace(pattern, replacement)
    return result
  }
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return ofText(value)
    if (typeof value === 'number') return hasDigitsOfPhone(value) ? NUMBER : value
    if (Array.isArray(value)) return value.map(redact)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, each]: [string, unknown]) => [
        ofText(name),
        SECRET_NAMES.has(name) && each !== null ? SECRET : isFigure(name, each) ? each : redact(each),
      ]),
    )
  }
  return redact
}

/** 9 to 15. Doorcode's own figures are smaller. */
const hasDigitsOfPhone = (value: number): boolean => Number.isInteger(value) && value >= 1e8 && value < 1e15

const SECRET_NAMES: ReadonlySet<string> = new Set(SECRET_MEMBERS)

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

const SQLSTATE = /^[\dA-Z]{5}$/

/** A time, a code of PostgreSQL, or a size in bytes, that an application logged. */
const isFigure = (name: string, value: unknown): boolean =>
  typeof value === 'string'
    ? (name === 'time' && TIME.test(value)) || (name === 'errorCode' && SQLSTATE.test(value))
    : typeof value === 'number' && FIGURES.test(name)

const FIGURES = /^(?:time|timestamp|rss)$|bytes$/i

/** A line of the log as its members, or as a text if it is not JSON. */
export function readLogLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return line
  }
}
