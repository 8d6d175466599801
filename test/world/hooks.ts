import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { hookActions } from '../../src/admin/actions/hooks.ts'
import { COMMAND_LINE } from '../../src/admin/audit/audit.ts'
import { perform } from '../../src/admin/actions/action.ts'
import { keyIdOf } from '../../src/otp/hooks/hooks.ts'
import type { HookKind } from '../../src/otp/hooks/kinds.ts'
import { type World, newPhone } from './world.ts'

export const TEMPLATES = [
  { name: 'login_code', language: 'en_US' },
  { name: 'login_code', language: 'ar' },
]

type Created = { hookId: string; url: string; secret: string | null }

/** A hook of the world's workspace; `url` is on its first node. */
export async function createHook(
  { parts, workspaceId, senderId, first }: World,
  kind: HookKind,
  more: { secret?: string; pointers?: { phone?: string; code?: string; language?: string } } = {},
): Promise<Created> {
  const operator = { ...parts, actor: COMMAND_LINE }
  const input = { workspaceId, kind, name: kind, senderId, templates: TEMPLATES, ...more }
  const created = await perform(hookActions.create, operator, input)
  return { ...created, url: `${first.url}/hooks/${created.hookId}` }
}

export type HookAnswer = { status: number; headers: Headers; text: string; body: unknown }

export async function postHook(url: string, body: string, headers: Record<string, string>): Promise<HookAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json'
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

let sent = 0

/** Signs as Supabase does: a new id for each try, and the signatures of all secrets joined by ", ". */
export function supabaseHeaders(body: string, at: Date, secrets: readonly string[]): Record<string, string> {
  const id = `msg_${(sent += 1)}`
  const signatures = secrets.map((secret) => new Webhook(secret.replace('v1,', '')).sign(id, at, body))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(', '),
  }
}

/** `changedTo`: the number that a user who has `phone`, or none, adds to the account; null for a Supabase before 2.180, which does not name it. */
type CodeFields = { phone: string; code: string; locale?: string; changedTo?: string | null }

export const supabaseBody = ({ phone, code, locale, changedTo }: CodeFields): string =>
  JSON.stringify({
    metadata: { uuid: crypto.randomUUID(), time: new Date().toISOString(), name: 'send-sms', ip_address: '127.0.0.1' },
    user: { id: crypto.randomUUID(), phone, user_metadata: locale === undefined ? {} : { locale } },
    sms: { otp: code, sms_type: 'sms', phone: changedTo === null ? undefined : (changedTo ?? phone) },
  })

/** Calls a Supabase hook as Supabase does. */
export async function callSupabase(
  world: World,
  { url, secret }: Pick<Created, 'url' | 'secret'>,
  fields: CodeFields,
): Promise<HookAnswer> {
  const body = supabaseBody(fields)
  return postHook(url, body, supabaseHeaders(body, world.clock.now(), [secret ?? '']))
}

/** The message of a code that Supabase sends, which must be accepted. */
export async function sendThroughHook(
  world: World,
  hook: Created,
  fields: Partial<CodeFields> = {},
): Promise<{ messageId: string; to: string; code: string }> {
  const { phone, code } = { phone: newPhone(), code: '493817', ...fields }
  const { status, text, body } = await callSupabase(world, hook, { ...fields, phone, code })
  assert.deepEqual([status, body], [200, {}], text)
  const [{ id } = { id: '' }] = await world.query<{ id: string }>(
    'select id from messages where workspace_id = $1 and recipient = $2 and api_key_id = $3 order by id desc',
    [world.workspaceId, phone, keyIdOf(hook.hookId)],
  )
  return { messageId: id, to: phone, code }
}

/** As ZITADEL documents it: https://zitadel.com/docs/guides/integrate/actions/testing-request-signature */
export function zitadelHeaders(body: string, at: Date, signingKey: string): Record<string, string> {
  const time = Math.floor(at.getTime() / 1000)
  const signature = createHmac('sha256', signingKey).update(`${time}.${body}`).digest('hex')
  return { 'zitadel-signature': `t=${time},v1=${signature}` }
}
