import { SECRET_MEMBERS } from '../../lib/log.ts'

const SECRET = '[secret]'
const NUMBER = '[number]'

/** What may identify a person or open something, wherever it is in a text. The longest forms come first. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']*@/gi, `$1${SECRET}@`],
  [/\b(?:Bearer|Basic)\s+[^\s"',;]+/gi, SECRET],
  [/\b(?:whsec|dck|otp)_[A-Za-z0-9+/=_-]+/g, SECRET],
  // contains the recipient's number in another form
  [/\bwamid\.[A-Za-z0-9+/=_-]+/g, '[message of WhatsApp]'],
  [/\bEAA[A-Za-z0-9]+/g, SECRET],
  [/[?&][A-Za-z0-9_.-]*(?:token|key|secret|password|code)=[^&\s"']*/gi, `?${SECRET}`],
  // keys and tokens in hex or base64, longer than ids and hashes of commits; a path has no digits and no capitals
  [/(?<![A-Za-z0-9])[0-9a-f]{41,}(?![A-Za-z0-9])/gi, SECRET],
  [/(?<![A-Za-z0-9+/_-])(?=[A-Za-z+/_-]*\d)(?=[a-z0-9+/_-]*[A-Z])[A-Za-z0-9+/_-]{41,}={0,2}/g, SECRET],
  [/[^\s@<>"'(]+@[^\s@<>"'),;]+\.[a-z]{2,}/gi, '[mail address]'],
  [/\+\d[\d ().-]{5,20}\d/g, NUMBER],
  // numbers without a plus, and codes; not parts of times, ids and places in files
  [/(?<![\w.:/-])\d{4,15}(?![\w:-])/g, NUMBER],
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
    if (Array.isArray(value)) return value.map(redact)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, each]: [string, unknown]) => [
        ofText(name),
        SECRET_NAMES.has(name) && each !== null ? SECRET : isPlainTime(name, each) ? each : redact(each),
      ]),
    )
  }
  return redact
}

const SECRET_NAMES: ReadonlySet<string> = new Set(SECRET_MEMBERS)

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

const isPlainTime = (name: string, value: unknown): boolean =>
  name === 'time' && typeof value === 'string' && TIME.test(value)

/** A line of the log as its members, or as a text if it is not JSON. */
export function readLogLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return line
  }
}
