import { accessSync, constants, readFileSync } from 'node:fs'
import { isIP, isIPv6 } from 'node:net'
import { Client } from 'pg'
import { parseAlertUrl } from './alert-url.ts'
import { nearestName } from './nearest-name.ts'
import { parseOtlpEndpoint, parseOtlpHeaders } from './otlp-settings.ts'
import { type KeyMistake, MAX_KEYS, parseInstanceKeys } from './seal.ts'

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const ROLES = ['api', 'worker', 'dashboard'] as const
export type Role = (typeof ROLES)[number]

class InvalidSetting extends Error {}

function invalid(message: string): never {
  throw new InvalidSetting(message)
}

/** `read` is not called without a value. */
type Setting<Value> = { default: string; meaning: string; read: (text: string) => Value }

const setting = <Value>(fallback: string, meaning: string, read: (text: string) => Value): Setting<Value> => ({
  default: fallback,
  meaning,
  read,
})

const integer =
  (min: number, max: number, noun: string) =>
  (text: string): number =>
    /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max
      ? Number(text)
      : invalid(`must be a ${noun} from ${min} to ${max}, not "${text}"`)

const oneOf =
  <Value extends string>(values: readonly Value[], expected: string) =>
  (text: string): Value =>
    values.find((each) => each === text) ?? invalid(`${expected}, not "${text}"`)

/** `parse` returns the value, or what is wrong. */
const parsed =
  <Value extends object>(parse: (text: string) => Value | string) =>
  (text: string): Value => {
    const value = parse(text)
    return typeof value === 'string' ? invalid(value) : value
  }

const MAX_PORT = 65_535
const port = integer(1, MAX_PORT, 'port')
/** One for group commits, one for everything else. */
const MIN_POOL = 2
const MAX_POOL = 200
/** Balancers check every few seconds. A supervisor must wait longer than this before it kills the process (docs/operations.md#shutting-down). */
export const MAX_DRAIN_SECONDS = 60

/** All environment variables. A test compares docs/configuration.md with this table. */
export const settings = {
  DOORCODE_PORT: setting('3000', 'Port of the API, the provider webhooks and the dashboard.', port),
  DOORCODE_HOST: setting('127.0.0.1', 'Address to listen on. Behind a proxy on another machine: `0.0.0.0`.', nonEmpty),
  DOORCODE_METRICS_PORT: setting('9464', 'Port of `/metrics`, on the same address. `0` turns it off.', portOrOff),
  DOORCODE_EMULATOR_PORT: setting(
    '4100',
    'Port of the WhatsApp emulator that `npm start` and `npm run emulator` run.',
    port,
  ),
  DOORCODE_DATA_DIR: setting('.doorcode', 'Folder of the embedded database and of the instance key.', nonEmpty),
  DATABASE_URL: setting(
    '',
    'PostgreSQL 15 or later, as `postgres://user:password@host:5432/name`. Empty: the embedded PostgreSQL.',
    databaseUrl,
  ),
  DATABASE_URL_FILE: setting('', 'File that contains the value of `DATABASE_URL`, such as a mounted secret.', nonEmpty),
  DOORCODE_DATABASE_POOL: setting(
    '10',
    'Maximum number of database connections per process: 2 to 200.',
    integer(MIN_POOL, MAX_POOL, 'number'),
  ),
  DOORCODE_RATE_LIMIT: setting(
    '',
    '`memory` (exact in one process) or `shared` (exact over all nodes). Empty: `shared` with `DATABASE_URL`, otherwise `memory`.',
    oneOf(['memory', 'shared'] as const, 'must be "memory" or "shared"'),
  ),
  DOORCODE_SECRET_KEY: setting(
    '',
    'Instance key that encrypts codes, tokens and secrets: 32 random bytes in base64 or hex. During a rotation: several keys, newest first, separated by commas or line ends. Required with `DATABASE_URL`; otherwise the key is a file in the data folder.',
    secretKeys,
  ),
  DOORCODE_SECRET_KEY_FILE: setting(
    '',
    'File that contains the value of `DOORCODE_SECRET_KEY`, such as a mounted secret.',
    nonEmpty,
  ),
  DOORCODE_PUBLIC_URL: setting(
    '',
    'Origin at which backends, WhatsApp and people reach this service, such as `https://doorcode.example.com`. The dashboard accepts requests for this host, and rejects host names that it does not know. Empty: `http://<DOORCODE_HOST>:<port>`, or `http://127.0.0.1:<port>` if it listens on all addresses.',
    origin,
  ),
  DOORCODE_TRUSTED_PROXIES: setting(
    '',
    'Addresses or networks of the reverse proxies, such as `10.0.0.5,192.168.0.0/16`: what they report about a visitor’s address is trusted. Empty: no proxy is trusted.',
    proxies,
  ),
  DOORCODE_ROLES: setting(
    'api,worker,dashboard',
    'What this process does: any of `api`, `worker`, `dashboard`.',
    roles,
  ),
  DOORCODE_ALLOW_PRIVATE_WEBHOOKS: setting(
    '0',
    '`1` allows webhook endpoints over plain HTTP and on private addresses, and lets any admin set a Graph URL other than WhatsApp’s. For development only.',
    (text) => oneOf(['0', '1'], 'must be 0 or 1')(text) === '1',
  ),
  DOORCODE_API_KEY: setting('', 'Only for the command `listen`: the API key with which it reads events.', nonEmpty),
  DOORCODE_WEBHOOK_SECRET: setting(
    '',
    'Only for the command `listen`: the secret, `whsec_…`, with which it signs the webhooks. Empty: a new one for each run.',
    webhookSecret,
  ),
  DOORCODE_KEEP_CONTENT_DAYS: setting(
    '90',
    'Days after which texts, rendered messages, provider payloads, webhook bodies and the responses to them are removed: at least 30, `0` keeps them forever. Not more than `DOORCODE_KEEP_RECORDS_DAYS`. See [retention.md](retention.md).',
    keptDays,
  ),
  DOORCODE_KEEP_RECORDS_DAYS: setting(
    '400',
    'Days after which messages, confirmations, events, attempts and reports are removed: at least 30, `0` keeps them forever.',
    keptDays,
  ),
  DOORCODE_KEEP_AUDIT_DAYS: setting(
    '730',
    'Days after which audit log entries are removed: at least 30, `0` keeps them forever.',
    keptDays,
  ),
  DOORCODE_ALERT_URL: setting(
    '',
    'Where a worker sends an [alert](doctor.md#alerts) when a finding of `doctor` begins or ends: `https://…`, or `smtps://user:password@host:465/?from=…&to=…` for mail (`smtp://`: port 587 and STARTTLS). Private addresses and `http://` are allowed, since only operators can set it. Empty: nowhere.',
    parsed(parseAlertUrl),
  ),
  DOORCODE_ALERT_URL_FILE: setting(
    '',
    'File that contains the value of `DOORCODE_ALERT_URL`, such as a mounted secret.',
    nonEmpty,
  ),
  DOORCODE_ALERT_SECRET: setting(
    '',
    'Secret, `whsec_…`, with which alerts to a URL are signed as [webhooks](webhooks.md) are. Required with an `https://` or `http://` `DOORCODE_ALERT_URL`.',
    webhookSecret,
  ),
  DOORCODE_ALERT_SECRET_FILE: setting(
    '',
    'File that contains the value of `DOORCODE_ALERT_SECRET`, such as a mounted secret.',
    nonEmpty,
  ),
  DOORCODE_DRAIN_SECONDS: setting(
    '0',
    'Seconds for which the process still accepts requests after SIGTERM, SIGINT or SIGHUP: 0 to 60. Meanwhile `/readyz` returns 503, so that a load balancer chooses another process.',
    integer(0, MAX_DRAIN_SECONDS, 'number'),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    '',
    'Where [traces](tracing.md) go: an OTLP receiver for HTTP, such as `http://collector:4318`. Empty: nothing is traced.',
    parsed(parseOtlpEndpoint),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    '',
    'Headers for that receiver, such as `authorization=Bearer%20…,x-team=shop`: values are percent-encoded.',
    parsed(parseOtlpHeaders),
  ),
  OTEL_SERVICE_NAME: setting('doorcode', 'The name of this service in traces.', nonEmpty),
  DOORCODE_LOG_LEVEL: setting(
    'info',
    `One of ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}.`,
    oneOf(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`),
  ),
} as const satisfies Record<string, Setting<unknown>>

const ALL_ADDRESSES = new Set(['0.0.0.0', '::'])

/** When DOORCODE_PUBLIC_URL is empty. A URL cannot name every host: fe80::1%eth0 is one of them. */
export function defaultPublicUrl({ host, port }: { host: string; port: number }): string {
  const name = ALL_ADDRESSES.has(host) ? '127.0.0.1' : isIPv6(host) ? `[${host}]` : host
  const url = `http://${name}:${port}`
  return URL.canParse(url) ? url : `http://127.0.0.1:${port}`
}

export type SettingName = keyof typeof settings

export class ConfigError extends Error {
  readonly mistakes: string[]

  constructor(mistakes: string[]) {
    super(
      `The configuration has ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`}:\n  ${mistakes.join('\n  ')}`,
    )
    this.name = 'ConfigError'
    this.mistakes = mistakes
  }
}

export type Config = ReturnType<typeof readConfig>

type Environment = Readonly<Record<string, string | undefined>>

/** Throws a ConfigError that lists every mistake. */
export function readConfig(environment: Environment, { needsKey = true }: { needsKey?: boolean } = {}) {
  const mistakes = unknownNames(environment)
  const fromFiles = readSecretFiles(environment, mistakes)
  const valueOf = (name: SettingName): string => (fromFiles[name] ?? environment[name] ?? '').trim()
  const find = <Name extends SettingName>(name: Name): ReturnType<(typeof settings)[Name]['read']> | undefined => {
    const { default: fallback, read }: Setting<unknown> = settings[name]
    const text = valueOf(name) || fallback
    try {
      return text === '' ? undefined : (read(text) as ReturnType<(typeof settings)[Name]['read']>)
    } catch (mistake) {
      if (!(mistake instanceof InvalidSetting)) throw mistake
      mistakes.push(`${name} ${mistake.message}`)
      return undefined
    }
  }
  const databaseUrl = find('DATABASE_URL')
  const isKeyMissing = valueOf('DOORCODE_SECRET_KEY') === '' && valueOf('DOORCODE_SECRET_KEY_FILE') === ''
  if (needsKey && databaseUrl && isKeyMissing) {
    mistakes.push(
      'DOORCODE_SECRET_KEY is required with DATABASE_URL: generate one with "openssl rand -base64 32" and use the same key on every node; in a file, set DOORCODE_SECRET_KEY_FILE',
    )
  }
  const alertTarget = find('DOORCODE_ALERT_URL')
  const alertSecret = find('DOORCODE_ALERT_SECRET')
  const isSecretMissing = valueOf('DOORCODE_ALERT_SECRET') === '' && valueOf('DOORCODE_ALERT_SECRET_FILE') === ''
  if (alertTarget?.kind === 'webhook' && isSecretMissing) {
    mistakes.push(
      'DOORCODE_ALERT_SECRET is required with this DOORCODE_ALERT_URL: generate it with "echo whsec_$(openssl rand -base64 32)" and give it to the receiver',
    )
  }
  const otlp = find('OTEL_EXPORTER_OTLP_ENDPOINT')
  const otlpHeaders = find('OTEL_EXPORTER_OTLP_HEADERS') ?? {}
  const contentDays = find('DOORCODE_KEEP_CONTENT_DAYS')
  const recordsDays = find('DOORCODE_KEEP_RECORDS_DAYS') ?? 0
  const keep = { contentDays: contentDays ?? 0, recordsDays, auditDays: find('DOORCODE_KEEP_AUDIT_DAYS') ?? 0 }
  if (recordsDays > 0 && contentDays !== undefined && (contentDays === 0 || contentDays > recordsDays)) {
    mistakes.push(
      `DOORCODE_KEEP_CONTENT_DAYS must be from ${MIN_KEPT_DAYS} to ${recordsDays}, the value of DOORCODE_KEEP_RECORDS_DAYS, not ${contentDays}: content is removed with its record at the latest`,
    )
  }
  const port = find('DOORCODE_PORT') ?? 0
  const host = find('DOORCODE_HOST') ?? ''
  const config = {
    port,
    host,
    metricsPort: find('DOORCODE_METRICS_PORT') ?? 0,
    emulatorPort: find('DOORCODE_EMULATOR_PORT') ?? 0,
    dataDir: find('DOORCODE_DATA_DIR') ?? '',
    databaseUrl,
    databasePool: find('DOORCODE_DATABASE_POOL') ?? 0,
    rateLimit: find('DOORCODE_RATE_LIMIT') ?? (databaseUrl ? 'shared' : 'memory'),
    /** Newest first. Undefined with the embedded database, whose key is in the data folder. */
    secretKeys: find('DOORCODE_SECRET_KEY'),
    publicUrl: find('DOORCODE_PUBLIC_URL') ?? defaultPublicUrl({ host, port }),
    /** Addresses and networks whose X-Forwarded-For is trusted. */
    trustedProxies: find('DOORCODE_TRUSTED_PROXIES') ?? [],
    roles: find('DOORCODE_ROLES') ?? new Set(),
    allowPrivateWebhooks: find('DOORCODE_ALLOW_PRIVATE_WEBHOOKS') ?? false,
    apiKey: find('DOORCODE_API_KEY'),
    webhookSecret: find('DOORCODE_WEBHOOK_SECRET'),
    alertTarget,
    alertSecret,
    /** Undefined: nothing is traced. */
    tracing: otlp && {
      endpoint: otlp.href,
      headers: otlpHeaders,
      serviceName: find('OTEL_SERVICE_NAME') ?? '',
    },
    /** Days; 0 keeps forever. */
    keep,
    drainSeconds: find('DOORCODE_DRAIN_SECONDS') ?? 0,
    logLevel: find('DOORCODE_LOG_LEVEL') ?? 'info',
    program: nameOfProgram(environment),
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return config
}

/** The program's name as its user types it, for commands to copy: texts write it as “doorcode”. */
export const nameOfProgram = (environment: Environment): string =>
  NPM_SCRIPTS.has(environment['npm_lifecycle_event']) ? 'npm run -s doorcode --' : 'doorcode'

/** The scripts of package.json that start this program: `npm run doorcode` and `npm start`. */
const NPM_SCRIPTS: ReadonlySet<string | undefined> = new Set(['doorcode', 'start'])

/** Settings that can be read from a separate file, which is how Docker, Kubernetes and systemd pass secrets. */
export const SECRETS = [
  'DATABASE_URL',
  'DOORCODE_SECRET_KEY',
  'DOORCODE_ALERT_URL',
  'DOORCODE_ALERT_SECRET',
] as const satisfies readonly SettingName[]

/** No secret is this long; a longer file is probably the wrong one. */
const MAX_SECRET_BYTES = 4_096

function readSecretFiles(environment: Environment, mistakes: string[]): { [Name in SettingName]?: string } {
  const read: { [Name in SettingName]?: string } = {}
  for (const name of SECRETS) {
    const setting = `${name}_FILE` as const
    const file = (environment[setting] ?? '').trim()
    if (file === '') continue
    try {
      if ((environment[name] ?? '').trim() !== '') invalid(`and ${name} are both set: remove one of them`)
      read[name] = readSecret(file, name)
    } catch (mistake) {
      if (!(mistake instanceof InvalidSetting)) throw mistake
      mistakes.push(`${setting} ${mistake.message}`)
    }
  }
  return read
}

/** An error of the file system names its path and reason, never its content. */
function readSecret(file: string, name: SettingName): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    return invalid(
      `names a file that cannot be read (${(error as Error).message}): mount the secret there, readable by the user who runs Doorcode`,
    )
  }
  const text = bytes.toString('utf8').trim()
  if (text === '') return invalid(`names the file ${file}, which is empty: write the value of ${name} into it`)
  return bytes.length <= MAX_SECRET_BYTES ? text : invalid(`names the file ${file}, which is too long for a secret`)
}

/** The examples of clients read it: docs/quickstart-codes.md */
const OF_CLIENTS = 'DOORCODE_URL'

/** A misspelt name would have no effect, without a warning. */
const unknownNames = (environment: Environment): string[] =>
  Object.keys(environment)
    .filter((name) => name.startsWith('DOORCODE_') && !(name in settings))
    .map((name) => {
      if (name === OF_CLIENTS)
        return `${name} is for programs that call Doorcode, not for Doorcode: run this in another terminal, or unset ${name} first`
      const meant = nearestName(name, Object.keys(settings))
      return `${name} is not a setting.${meant === undefined ? '' : ` Did you mean ${meant}?`} docs/configuration.md lists all settings`
    })

function nonEmpty(text: string): string {
  return /\p{Cc}/u.test(text) ? invalid('must not contain control characters') : text
}

/** The error does not repeat the value: it contains a password. */
function databaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    return invalid('must look like postgres://user:password@host:5432/name')
  const { searchParams } = new URL(text)
  for (const name of TLS_FILES) assertReadable(name, searchParams.get(name))
  const url = withExplicitSslMode(text, searchParams)
  assertReadByDriver(url)
  return url
}

/** For the driver these modes are names of verify-full, and it warns in each process that this will change. */
const withExplicitSslMode = (url: string, parameters: URLSearchParams): string =>
  parameters.get('uselibpqcompat') === 'true'
    ? url
    : url.replace(/(\?(?:.*&)?sslmode=)(prefer|require|verify-ca)(?=[&#]|$)/, '$1verify-full')

function assertReadByDriver(url: string): void {
  try {
    void new Client(url) // does not connect
  } catch (error) {
    invalid(
      error instanceof URIError
        ? 'contains a "%" that does not start a valid escape: write each literal "%" in the user, password or name as "%25"'
        : `cannot be used: ${(error as Error).message}`,
    )
  }
}

/** Files that the driver reads for each connection. */
const TLS_FILES = ['sslrootcert', 'sslcert', 'sslkey'] as const

function assertReadable(name: (typeof TLS_FILES)[number], file: string | null): void {
  if (!file) return
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    invalid(
      `names an ${name} that cannot be read (${(error as Error).message}): mount it there, readable by the user who runs Doorcode`,
    )
  }
}

/** The error names positions, never keys. */
function secretKeys(text: string): readonly Buffer[] {
  const { keys, mistakes } = parseInstanceKeys(text)
  if (mistakes.length === 0) return keys
  return invalid(mistakes.map((mistake) => inWords(mistake)).join('; '))
}

function inWords(mistake: KeyMistake): string {
  switch (mistake.code) {
    case 'form':
      return `must be 32 random bytes in base64 (44 characters) or hex (64)${mistake.of > 1 ? `, and key ${mistake.position} of ${mistake.of} is not` : ''}: generate one with "openssl rand -base64 32"`
    case 'repeated':
      return `has the same key at positions ${mistake.first} and ${mistake.position}: remove one of them`
    case 'too_many':
      return `has ${mistake.of} keys, and may have at most ${MAX_KEYS}: remove those that no row needs (“doorcode secrets status”)`
  }
}

/** Standard Webhooks: 24 to 64 bytes. */
function webhookSecret(text: string): string {
  const bytes = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)
    ? Buffer.from(text.slice('whsec_'.length), 'base64').length
    : 0
  return bytes >= 24 && bytes <= 64 ? text : invalid('must be whsec_ and 24 to 64 bytes in base64')
}

function origin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username)
    return invalid(`must be an origin such as https://doorcode.example.com, with no path, not "${text}"`)
  return url.origin
}

function readList(text: string, isKnown: (name: string) => boolean, expected: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !isKnown(name))
  return unknown.length === 0 ? names : invalid(`${expected}, not "${unknown.join('", "')}"`)
}

function proxies(text: string): readonly string[] {
  return readList(text, isProxy, 'must list addresses such as 10.0.0.5 or networks such as 10.0.0.0/8')
}

/** A network must be narrower than all addresses: trusting everyone makes forwarded addresses worthless. */
function isProxy(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

function roles(text: string): ReadonlySet<Role> {
  return new Set(
    readList(text, (name) => ROLES.some((role) => role === name), `may name ${ROLES.join(', ')}`) as Role[],
  )
}

/** Nothing that is still in use is older (docs/retention.md#why-at-least-30-days). */
const MIN_KEPT_DAYS = 30
/** A hundred years. */
const MAX_KEPT_DAYS = 36_500

function keptDays(text: string): number {
  const days = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return days === 0 || (days >= MIN_KEPT_DAYS && days <= MAX_KEPT_DAYS)
    ? days
    : invalid(
        `must be 0, which keeps everything, or a number of days from ${MIN_KEPT_DAYS} to ${MAX_KEPT_DAYS}, not "${text}"`,
      )
}

function portOrOff(text: string): number {
  return /^\d+$/.test(text) && Number(text) <= MAX_PORT
    ? Number(text)
    : invalid(`must be 0 or a port from 1 to ${MAX_PORT}, not "${text}"`)
}
