import { type Events, type EventsOptions, readEvents } from './events.ts'
import { DEFAULT_RETRIES, MAX_RETRIES } from './retry.ts'
import {
  type CallOptions,
  type KeyOptions,
  type Limits,
  type Methods,
  type OperationName,
  type Route,
  routes,
} from './routes.ts'
import { type Fetch, send } from './send.ts'

const DEFAULT_TIMEOUT_MS = 10_000
/** The longest that a timer can wait. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export type ClientOptions = Limits & {
  /** The address of the instance, such as https://doorcode.example.com. */
  url: string
  /** A complete key, `dck_…`. It belongs on servers only. */
  apiKey: string
  /** Default: the `fetch` of the runtime. */
  fetch?: Fetch
}

export type Client = Methods & {
  /** Reads the events of the workspace one after the other, and waits for new ones. */
  events(options: EventsOptions): Events
}

/** Throws a TypeError if an option has the wrong form. */
export function createClient(options: ClientOptions): Client {
  const settings = readOptions(options)
  const methods = Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [
      name,
      (input: Fields = {}, more: CallOptions & KeyOptions = {}) =>
        call(settings, { operation: name as OperationName, route, input, options: more }),
    ]),
  ) as object as Methods
  return { ...methods, events: (given) => readEvents(methods.listEvents, given) }
}

type Fields = Record<string, unknown>

type Settings = { origin: string; apiKey: string; fetch: Fetch; timeoutMs: number; maxRetries: number }

const API_KEY = /^dck_[a-z2-7]{12}_[\w-]{43}$/

function readOptions({ url, apiKey, timeoutMs, maxRetries, fetch: given }: ClientOptions): Settings {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/.test(parsed.protocol) || !/^\/(api\/v1\/?)?$/.test(parsed.pathname))
    throw new TypeError(
      '"url" must be the address of an instance without a path, such as https://doorcode.example.com.',
    )
  if (!API_KEY.test(apiKey))
    throw new TypeError('"apiKey" is incomplete: a key is dck_, 12 characters, _ and 43 characters.')
  // A method of another object must not become the receiver of the global function.
  const send: Fetch = given ?? ((target, init) => fetch(target, init))
  return { origin: parsed.origin, apiKey, fetch: send, ...readLimits({ timeoutMs, maxRetries }) }
}

function readLimits({
  timeoutMs = DEFAULT_TIMEOUT_MS,
  maxRetries = DEFAULT_RETRIES,
}: {
  timeoutMs: number | undefined
  maxRetries: number | undefined
}) {
  if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) throw new TypeError('"timeoutMs" must be a positive number.')
  if (!Number.isInteger(maxRetries) || maxRetries < 0 || maxRetries > MAX_RETRIES)
    throw new TypeError(`"maxRetries" must be a whole number from 0 to ${MAX_RETRIES}.`)
  return { timeoutMs, maxRetries }
}

type Given = { operation: OperationName; route: Route; input: Fields; options: CallOptions & KeyOptions }

async function call(settings: Settings, { operation, route, input, options }: Given): Promise<unknown> {
  const { path, rest } = fillPath(operation, route, input)
  const url = new URL(settings.origin + path)
  const headers = new Headers({ authorization: `Bearer ${settings.apiKey}`, accept: 'application/json' })
  const idempotencyKey = route.takesKey ? (options.idempotencyKey ?? crypto.randomUUID()) : undefined
  if (idempotencyKey !== undefined) headers.set('idempotency-key', asHeader(idempotencyKey))
  if (options.correlationId !== undefined) headers.set('x-correlation-id', options.correlationId)
  const limits = readLimits({
    timeoutMs: options.timeoutMs ?? settings.timeoutMs,
    maxRetries: options.maxRetries ?? settings.maxRetries,
  })
  let body: string | undefined
  let waitMs = 0
  if (route.method === 'GET') {
    for (const [name, value] of Object.entries(rest as Record<string, string | number | undefined>))
      if (value !== undefined) url.searchParams.set(name, String(value))
    waitMs = Number(rest['wait'] ?? 0) * 1000
  } else {
    headers.set('content-type', 'application/json')
    body = JSON.stringify(rest)
  }
  const { signal } = options
  const timeoutMs = Math.min(limits.timeoutMs + (waitMs > 0 ? waitMs : 0), MAX_TIMEOUT_MS)
  return send({
    operation,
    route,
    url,
    headers,
    body,
    timeoutMs,
    maxRetries: limits.maxRetries,
    idempotencyKey,
    signal,
    fetch: settings.fetch,
  })
}

/** Separates the fields of the path from those of the query or the body. */
function fillPath(operation: OperationName, { path }: Route, input: Fields): { path: string; rest: Fields } {
  const rest = { ...input }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    if (typeof value !== 'string' || value === '') throw new TypeError(`${operation} needs ${name}.`)
    delete rest[name]
    return encodeURIComponent(value)
  })
  return { path: filled, rest }
}

/** Headers hold bytes. Doorcode reads them as UTF-8. */
const asHeader = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))
