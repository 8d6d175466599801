import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { PASSWORD, type SignedIn } from './dashboard.ts'
import type { World } from './world.ts'

export const NEW_PASSWORD = 'staple battery horse correct'

type AskOptions = { url?: string; cookie?: string; headers?: Record<string, string>; method?: string }

/** A call of the sign-in library with a page's headers or with others; '' removes a header. */
export async function askAuth(world: World, path: string, body: object, options: AskOptions = {}) {
  const { url = world.first.url, cookie, headers = {}, method = 'POST' } = options
  const all = { 'content-type': 'application/json', origin: url, ...(cookie && { cookie }), ...headers }
  const answer = await fetch(`${url}/dashboard/auth/${path}`, {
    method,
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
  const cookies = answer.headers.getSetCookie()
  return { status: answer.status, headers: answer.headers, text, json, cookies }
}

export const asCookie = (cookies: readonly string[]): string =>
  cookies
    .map((each) => each.split(';')[0] ?? '')
    .filter((each) => !each.endsWith('='))
    .join('; ')

export const trySignIn = (world: World, email: string, password: string, options: AskOptions = {}) =>
  askAuth(world, 'sign-in/email', { email, password }, options)

export const CODE_PERIOD_MS = 30_000

/** RFC 6238 with SHA-1, 6 digits and 30 seconds, as authenticator apps compute it. */
export function totp(uri: string, at = Date.now()): string {
  const base32 = new URL(uri).searchParams.get('secret') ?? assert.fail('the address holds no secret')
  const bits = Array.from(base32, (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / CODE_PERIOD_MS)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

export async function withSecondFactor(world: World, person: SignedIn) {
  const enabled = await askAuth(world, 'two-factor/enable', { password: PASSWORD }, person)
  assert.equal(enabled.status, 200, enabled.text)
  const { totpURI, backupCodes } = enabled.json as { totpURI: string; backupCodes: string[] }
  const verified = await askAuth(world, 'two-factor/verify-totp', { code: totp(totpURI) }, person)
  assert.equal(verified.status, 200, verified.text)
  return { totpURI, backupCodes, cookie: asCookie(verified.cookies) }
}

export const eventsOf = (world: World, { email }: { email: string }) =>
  world
    .query<{ action: string }>('select action from audit_log where target = $1 order by id', [email])
    .then((rows) => rows.map(({ action }) => action))
