import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMAND_LINE } from '../../../src/admin/audit/audit.ts'
import { perform } from '../../../src/admin/actions/action.ts'
import { hookActions } from '../../../src/admin/actions/hooks.ts'
import { HOOK_KINDS, type HookKind } from '../../../src/otp/hooks/kinds.ts'
import { DatabaseUnavailable } from '../../../src/lib/db/connection.ts'
import { failingDb, spyOnDb } from '../../database/db-spy.ts'
import { assertVerified } from '../../world/verified.ts'
import { createHook, postHook, supabaseBody, supabaseHeaders, zitadelHeaders } from '../../world/hooks.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

const CODE = '493817'
const SIGNING_KEY = 'kV3nQvZ8sT1wYb6eRm4x'
const isGroupCommit = (name: string): boolean => name.endsWith('_otp_messages_within_quota')
const SENTENCE = 'The service is unavailable. Try again later.'

/** What each product understands, and shows or writes to its log. */
const UNAVAILABLE: Record<HookKind, unknown> = {
  supabase: { error: { http_code: 503, message: SENTENCE } },
  zitadel: { code: 'SERVICE_UNAVAILABLE', message: SENTENCE },
  logto: SENTENCE,
  generic: { code: 'SERVICE_UNAVAILABLE', message: SENTENCE },
}

/** A hook of this kind, and what its product does to send the same code, and to try again. */
async function product(world: World, kind: HookKind) {
  const hook = await createHook(world, kind)
  const phone = newPhone()
  const id = { workspaceId: world.workspaceId, hookId: hook.hookId }
  if (kind === 'zitadel')
    await perform(hookActions.rotate, { ...world.parts, actor: COMMAND_LINE }, { ...id, secret: SIGNING_KEY })
  const bodies: Record<HookKind, string> = {
    supabase: supabaseBody({ phone, code: CODE }),
    zitadel: JSON.stringify({ contextInfo: { recipientPhoneNumber: phone }, args: { code: CODE } }),
    logto: JSON.stringify({ to: phone, payload: { code: CODE } }),
    generic: JSON.stringify({ to: phone, code: CODE }),
  }
  const body = bodies[kind]
  const headers = (): Record<string, string> => {
    const now = world.clock.now()
    if (kind === 'supabase') return supabaseHeaders(body, now, [hook.secret ?? ''])
    return kind === 'zitadel' ? zitadelHeaders(body, now, SIGNING_KEY) : { authorization: `Bearer ${hook.secret}` }
  }
  return { kind, phone, send: (url = world.first.url) => postHook(`${url}/hooks/${hook.hookId}`, body, headers()) }
}

async function assertUnavailable({ kind, send }: Awaited<ReturnType<typeof product>>): Promise<void> {
  const { status, headers, body, text } = await send()
  assert.deepEqual([status, headers.get('retry-after')], [503, '1'], text)
  assert.deepEqual(body ?? text, UNAVAILABLE[kind])
}

test('a hook whose group commit is held up answers in time what its product shows, and the code is sent once', async (t) => {
  const release = Promise.withResolvers<void>()
  t.after(() => release.resolve())
  const held: Promise<unknown[]>[] = []
  let holds = true
  const world = await startWorld(t, {
    wrapDb: (db) =>
      spyOnDb(db, ({ statement, run }) => {
        if (!holds || !isGroupCommit(statement.name)) return run()
        const late = release.promise.then(run)
        held.push(late)
        return late
      }),
  })
  const products = []
  for (const kind of HOOK_KINDS) products.push(await product(world, kind))
  await Promise.all(products.map(assertUnavailable)) // nothing was released: each answer came without the commit
  assert.ok(held.length > 0)
  const metrics = await world.parts.metrics.registry.metrics()
  assert.match(metrics, /auth_hooks_rejected_total\{reason="time"\} 4/)

  // The products try again. Another node accepts the codes before the held-up commits of the first go on.
  holds = false
  const other = await world.node()
  for (const { send } of products) assert.equal((await send(other.url)).status, 200)
  release.resolve()
  for (const { send } of products) assert.equal((await send()).status, 200)
  await Promise.all(held)
  await world.settled()
  const messages = await world.query<{ id: string; recipient: string }>(
    'select id, recipient from messages where workspace_id = $1',
    [world.workspaceId],
  )
  assert.deepEqual(messages.map(({ recipient }) => recipient).sort(), products.map(({ phone }) => phone).sort())
  for (const { id } of messages) assert.equal(await world.codeOn({ messageId: id }), CODE)
  const used = await world.query('select used from quota_usage where workspace_id = $1', [world.workspaceId])
  assert.deepEqual(used, [{ used: products.length }])
  await assertVerified(world)
})

test('a hook without a database answers what its product shows, and reveals nothing', async (t) => {
  let isDown = false
  const world = await startWorld(t, {
    mayLogErrors: true,
    wrapDb: failingDb((name) => isDown && isGroupCommit(name) && new DatabaseUnavailable(new Error('inner secret'))),
  })
  const products = []
  for (const kind of HOOK_KINDS) products.push(await product(world, kind))
  isDown = true
  await Promise.all(products.map(assertUnavailable))
  isDown = false
  for (const { send } of products) assert.equal((await send()).status, 200)
})
