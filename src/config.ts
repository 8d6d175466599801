import { isIP } from 'node:net'
import { LOG_LEVELS, type LogLevel } from './log.ts'
import { parseInstanceKey } from './seal.ts'

export const ROLES = ['api', 'worker', 'dashboard'] as const
export type Role = (typeof ROLES)[number]

export type Config = {
  port: number
  host: string
  metricsPort: number
  twinPort: number
  dataDir: string
  databaseUrl: string | undefined
  databasePool: number
  rateLimit: 'memory' | 'shared'
  /** Undefined with the embedded database: then the data folder holds one. */
  secretKey: Buffer | undefined
  publicUrl: string
  /** Addresses and networks whose word on the visitor's address is taken. */
  trustedProxies: readonly string[]
  roles: ReadonlySet<Role>
  allowPrivateWebhooks: boolean
  logLevel: LogLevel
}

/** Throws a Mistake with a sentence that says what the value must be. */
class Mistake extends Error {}

type Setting<Value> = { default: string; meaning: string; read: (text: string) => Value }

const setting = <Value>(fallback: string, meaning: string, read: (text: string) => Value): Setting<Value> => ({
  default: fallback,
  meaning,
  read,
})

/** Every environment variable (contract §10). docs/configuration.md is compared with this table by a test. */
export const settings = {
  DOORCODE_PORT: setting('3000', 'Port of the API, the provider webhooks and the dashboard.', port),
  DOORCODE_HOST: setting('127.0.0.1', 'Address to listen on. Behind a proxy on another machine: `0.0.0.0`.', filled),
  DOORCODE_METRICS_PORT: setting('9464', 'Port of `/metrics`, on the same address. `0` turns it off.', portOrOff),
  DOORCODE_TWIN_PORT: setting('4100', 'Port of the WhatsApp twin that `npm start` brings up.', port),
  DOORCODE_DATA_DIR: setting('.doorcode', 'Folder of the embedded database and of the instance key.', filled),
  DATABASE_URL: setting(
    '',
    'PostgreSQL 15 or later, as `postgres://user:password@host:5432/name`. Empty: the embedded PostgreSQL.',
    databaseUrl,
  ),
  DOORCODE_DATABASE_POOL: setting('10', 'Most connections to the database per process: 2 to 200.', poolSize),
  DOORCODE_RATE_LIMIT: setting(
    '',
    '`memory` (exact in one process) or `shared` (exact over all nodes). Empty: `shared` with `DATABASE_URL`, else `memory`.',
    rateLimit,
  ),
  DOORCODE_SECRET_KEY: setting(
    '',
    'Instance key that seals codes, tokens and secrets: 32 random bytes in base64 or hex. Required with `DATABASE_URL`; else the data folder holds one.',
    secretKey,
  ),
  DOORCODE_PUBLIC_URL: setting(
    '',
    'Origin under which callers and the provider reach this service, such as `https://doorcode.example.com`. Empty: `http://127.0.0.1:<port>`.',
    origin,
  ),
  DOORCODE_TRUSTED_PROXIES: setting(
    '',
    'Addresses or networks of the proxies in front, such as `10.0.0.5,192.168.0.0/16`: what they say of a visitor’s address is believed. Empty: nobody is.',
    proxies,
  ),
  DOORCODE_ROLES: setting(
    'api,worker,dashboard',
    'What this process does: any of `api`, `worker`, `dashboard`.',
    roles,
  ),
  DOORCODE_ALLOW_PRIVATE_WEBHOOKS: setting(
    '0',
    '`1` lets webhook endpoints be plain HTTP and on private addresses, and any admin name another Graph URL than WhatsApp’s. For development only.',
    flag,
  ),
  DOORCODE_LOG_LEVEL: setting('info', `One of ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}.`, logLevel),
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof settings

export class ConfigInvalid extends Error {
  readonly mistakes: string[]

  constructor(mistakes: string[]) {
    super(
      `The configuration has ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`}:\n  ${mistakes.join('\n  ')}`,
    )
    this.name = 'ConfigInvalid'
    this.mistakes = mistakes
  }
}

/** Reads the environment; throws ConfigInvalid that names every mistake at once. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const mistakes = unknownNames(environment)
  const read = <Name extends SettingName>(name: Name): ReturnType<(typeof settings)[Name]['read']> | undefined => {
    const entry: Setting<unknown> = settings[name]
    try {
      return entry.read((environment[name] ?? '').trim() || entry.default) as ReturnType<
        (typeof settings)[Name]['read']
      >
    } catch (mistake) {
      if (!(mistake instanceof Mistake)) throw mistake
      mistakes.push(`${name} ${mistake.message}`)
      return undefined
    }
  }
  const url = read('DATABASE_URL')
  const key = read('DOORCODE_SECRET_KEY')
  if (url && !key && !mistakes.some((mistake) => mistake.startsWith('DOORCODE_SECRET_KEY'))) {
    mistakes.push(
      'DOORCODE_SECRET_KEY is required with DATABASE_URL: make one with "openssl rand -base64 32" and give every node the same',
    )
  }
  const port = read('DOORCODE_PORT') ?? 0
  const config = {
    port,
    host: read('DOORCODE_HOST') ?? '',
    metricsPort: read('DOORCODE_METRICS_PORT') ?? 0,
    twinPort: read('DOORCODE_TWIN_PORT') ?? 0,
    dataDir: read('DOORCODE_DATA_DIR') ?? '',
    databaseUrl: url,
    databasePool: read('DOORCODE_DATABASE_POOL') ?? 0,
    rateLimit: read('DOORCODE_RATE_LIMIT') ?? (url ? 'shared' : 'memory'),
    secretKey: key,
    publicUrl: read('DOORCODE_PUBLIC_URL') ?? `http://127.0.0.1:${port}`,
    trustedProxies: read('DOORCODE_TRUSTED_PROXIES') ?? [],
    roles: read('DOORCODE_ROLES') ?? new Set<Role>(),
    allowPrivateWebhooks: read('DOORCODE_ALLOW_PRIVATE_WEBHOOKS') ?? false,
    logLevel: read('DOORCODE_LOG_LEVEL') ?? 'info',
  } as const
  if (mistakes.length > 0) throw new ConfigInvalid(mistakes)
  return config
}

/** A misspelt name would be silently without effect. */
const unknownNames = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(environment)
    .filter((name) => name.startsWith('DOORCODE_') && !(name in settings))
    .map((name) => `${name} is not a setting; the settings are ${Object.keys(settings).join(', ')}`)

const HIGHEST_PORT = 65_535

function port(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > HIGHEST_PORT)
    throw new Mistake(`must be a port from 1 to ${HIGHEST_PORT}, not "${text}"`)
  return value
}

function portOrOff(text: string): number {
  return text === '0' ? 0 : port(text)
}

function filled(text: string): string {
  if (/\p{Cc}/u.test(text)) throw new Mistake('must not hold control characters')
  return text
}

function databaseUrl(text: string): string | undefined {
  if (!text) return undefined
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) {
    throw new Mistake('must look like postgres://user:password@host:5432/name') // never echoed: it holds a password
  }
  return text
}

const POOL_MOST = 200
/** One for the group commit, one for everything else. */
const POOL_LEAST = 2

function poolSize(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < POOL_LEAST || value > POOL_MOST)
    throw new Mistake(`must be a number from ${POOL_LEAST} to ${POOL_MOST}, not "${text}"`)
  return value
}

function rateLimit(text: string): Config['rateLimit'] | undefined {
  if (text === '') return undefined
  if (text !== 'memory' && text !== 'shared') throw new Mistake(`must be "memory" or "shared", not "${text}"`)
  return text
}

function secretKey(text: string): Buffer | undefined {
  if (text === '') return undefined
  const key = parseInstanceKey(text)
  if (!key)
    throw new Mistake(
      'must be 32 random bytes in base64 (44 characters) or hex (64): make one with "openssl rand -base64 32"',
    )
  return key
}

function origin(text: string): string | undefined {
  if (text === '') return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username) {
    throw new Mistake(`must be an origin such as https://doorcode.example.com, with no path, not "${text}"`)
  }
  return url.origin
}

/** To trust everybody is to trust nobody's address: a network must be narrower than all there is. */
const isProxy = (text: string): boolean => {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

function proxies(text: string): readonly string[] {
  if (text === '') return []
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !isProxy(name))
  if (unknown.length > 0) {
    throw new Mistake(
      `must list addresses such as 10.0.0.5 or networks such as 10.0.0.0/8, not "${unknown.join('", "')}"`,
    )
  }
  return names
}

function roles(text: string): ReadonlySet<Role> {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !ROLES.some((role) => role === name))
  if (unknown.length > 0) throw new Mistake(`may name ${ROLES.join(', ')}, not "${unknown.join('", "')}"`)
  return new Set(names as Role[])
}

function flag(text: string): boolean {
  if (text !== '0' && text !== '1') throw new Mistake(`must be 0 or 1, not "${text}"`)
  return text === '1'
}

function logLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((each) => each === text)
  if (!level) throw new Mistake(`must be one of ${LOG_LEVELS.join(', ')}, not "${text}"`)
  return level
}
