import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type QuotaKind, setQuota } from '../../../src/workspaces/quota.ts'
import { blockRecipients, unblockRecipient } from '../../../src/workspaces/blocked.ts'
import { codAccount, confirmationPath, quickReplies, refusalPath } from '../../world/cod.ts'
import { inDocumentedOrder } from '../../world/order-of-checks.ts'
import { askOverRate } from '../../world/over-rate.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

const MISSING_ID = '00000000-0000-4000-8000-000000000000'
const MISSING = `${confirmationPath}/${MISSING_ID}`
const USED_KEY = 'used-for-another-request'
const BLOCKED = newPhone()

/** A correct request, and the confirmation of its refusal check. */
type Draft = {
  path: string
  key: string
  headers: Record<string, string>
  body: Record<string, unknown>
  senderId: string
  to: string
  confirmationStatus: string
  hasCheck: boolean
}

type Fault = {
  status: number
  code: string
  over: string
  /** Runs before the confirmation of a refusal check is created. */
  plan?: (draft: Draft, world: World) => void
  /** Runs directly before the request. */
  lay?: (draft: Draft, world: World) => Promise<unknown> | void
}

const pausedSender = (world: World): string => world.account.senders[1]?.senderId ?? ''
const nameOf = (draft: Draft): string => (draft.body.template as { name: string }).name
const languageOf = (draft: Draft): string => (draft.body.template as { language: string }).language

const FIRST: readonly Fault[] = [
  { over: 'route', status: 404, code: 'NOT_FOUND', lay: (draft) => void (draft.path += '/nothing') },
  {
    over: 'key',
    status: 401,
    code: 'API_KEY_INVALID',
    lay: (draft) => void (draft.key = draft.key.slice(0, -1) + (draft.key.endsWith('A') ? 'E' : 'A')),
  },
  { over: 'rate', status: 429, code: 'RATE_LIMITED' },
  { over: 'input', status: 422, code: 'DEVELOPER_INVALID_INPUT', lay: ({ body }) => void (body.extra = 1) },
  {
    over: 'idempotency',
    status: 409,
    code: 'IDEMPOTENCY_KEY_REUSED',
    lay: ({ headers }) => void (headers['idempotency-key'] = USED_KEY),
  },
]

const TEMPLATE_FOUND: Fault = {
  over: 'template found',
  status: 404,
  code: 'COD_TEMPLATE_NOT_FOUND',
  lay: (draft) => void (draft.body.template = { name: 'missing', language: 'en' }),
}

/** Faults of the settings and later checks, the same for both kinds. */
const rest = (kind: QuotaKind): readonly Fault[] => [
  {
    over: 'configured',
    status: 409,
    code: 'COD_NOT_CONFIGURED',
    lay: (_, world) => world.ask('delete from cod_settings where workspace_id = $1', [world.workspaceId]),
  },
  {
    over: 'language configured',
    status: 409,
    code: 'COD_LANGUAGE_NOT_CONFIGURED',
    lay: (draft) => {
      if (nameOf(draft) !== 'missing') draft.body.template = { name: nameOf(draft), language: 'fr' }
    },
  },
  {
    over: 'sender available',
    status: 409,
    code: 'COD_SENDER_UNAVAILABLE',
    plan: (draft, world) => void (draft.senderId = pausedSender(world)),
    lay: ({ body }, world) => {
      if (body.senderId === world.senderId) body.senderId = pausedSender(world)
    },
  },
  {
    over: 'template usable',
    status: 409,
    code: 'COD_TEMPLATE_NOT_USABLE',
    lay: (draft) => {
      if (nameOf(draft) !== 'missing' && languageOf(draft) === 'en')
        draft.body.template = { name: 'summer_offer', language: 'en' }
    },
  },
  {
    over: 'parameters',
    status: 422,
    code: 'COD_TEMPLATE_PARAMETERS_INVALID',
    lay: ({ body }) => void (body.parameters = { body: [' '] }),
  },
  {
    over: 'recipient',
    status: 422,
    code: 'RECIPIENT_BLOCKED',
    plan: (draft) => void (draft.to = BLOCKED),
    lay: ({ body }) => {
      if ('to' in body) body.to = BLOCKED
    },
  },
  { over: 'quota', status: 429, code: 'COD_QUOTA_EXCEEDED', lay: (_, world) => allow(world, kind, 0) },
]

/** In the order of docs/api.md#order-of-checks: of two faults the earlier one is answered. */
const CONFIRMATION_FAULTS: readonly Fault[] = [
  ...FIRST,
  {
    over: 'sender found',
    status: 404,
    code: 'COD_SENDER_NOT_FOUND',
    lay: ({ body }) => void (body.senderId = MISSING_ID),
  },
  TEMPLATE_FOUND,
  ...rest('cod_confirmation'),
]

const REFUSAL_FAULTS: readonly Fault[] = [
  ...FIRST,
  {
    over: 'confirmation found',
    status: 404,
    code: 'COD_CONFIRMATION_NOT_FOUND',
    lay: (draft) => void (draft.path = draft.path.replace(/[0-9a-f-]{36}/, MISSING_ID)),
  },
  {
    over: 'eligible',
    status: 409,
    code: 'COD_CONFIRMATION_NOT_ELIGIBLE',
    plan: (draft) => void (draft.confirmationStatus = 'accepted'),
  },
  {
    over: 'no check yet',
    status: 409,
    code: 'COD_REFUSAL_CHECK_EXISTS',
    plan: (draft) => void (draft.hasCheck = true),
  },
  TEMPLATE_FOUND,
  ...rest('cod_refusal'),
]

const allow = (world: World, kind: QuotaKind, monthlyUnits: number) =>
  setQuota(world.parts.db, { workspaceId: world.workspaceId, kind, monthlyUnits })

async function startFaultyWorld(t: TestContext): Promise<World> {
  const french = (name: string, ...labels: string[]) => ({
    name,
    language: 'fr',
    category: 'UTILITY' as const,
    components: [{ type: 'BODY', text: 'Bonjour.' }, quickReplies(...labels)],
  })
  const world = await startWorld(t, {
    works: false,
    account: codAccount(
      french('order_confirmation', 'a', 'b', 'c'),
      french('delivery_refusal', 'a', 'b'),
      french('summer_offer', 'a'),
    ),
  })
  await world.codSettings()
  const order = await world.createConfirmation({}, { headers: { 'idempotency-key': USED_KEY } })
  await setStatus(world, order, 'confirmed')
  await world.startRefusalCheck(order, {}, { headers: { 'idempotency-key': USED_KEY } })
  return world
}

const setStatus = (world: World, { confirmationId }: { confirmationId: string }, status: string) =>
  world.ask('update confirmations set status = $2 where id = $1', [confirmationId, status])

type FaultyCheck = { check: 'confirmation' | 'refusal'; faults: readonly Fault[] }

async function askWith(world: World, { check, faults }: FaultyCheck) {
  await restore(world)
  const draft: Draft = {
    path: confirmationPath,
    key: await world.freshKey(),
    headers: {},
    body: { ...world.confirmationBody() },
    senderId: world.senderId,
    to: newPhone(),
    confirmationStatus: 'confirmed',
    hasCheck: false,
  }
  if (check === 'refusal') {
    for (const fault of faults) fault.plan?.(draft, world)
    await makeConfirmation(world, draft)
  }
  const recipients = [{ phone: BLOCKED, reason: null }]
  await blockRecipients(world.parts, { workspaceId: world.workspaceId, by: null, recipients })
  await world.ask('update senders set paused_at = now() where id = $1', [pausedSender(world)])
  const goodKey = draft.key
  for (const fault of faults) await fault.lay?.(draft, world)
  const { path, key, body, headers } = draft
  const ask = () => world.request('POST', path, { key, body, headers })
  return faults.some(({ over }) => over === 'rate') ? askOverRate(world, { key: goodKey, path: MISSING }, ask) : ask()
}

async function restore(world: World): Promise<void> {
  const { workspaceId } = world
  await world.codSettings()
  await allow(world, 'cod_confirmation', 1_000)
  await allow(world, 'cod_refusal', 1_000)
  await unblockRecipient(world.parts.db, { workspaceId, phone: BLOCKED })
  await world.ask('update senders set paused_at = null where id = $1', [pausedSender(world)])
}

async function makeConfirmation(world: World, draft: Draft): Promise<void> {
  const order = await world.createConfirmation({ senderId: draft.senderId, to: draft.to })
  if (draft.hasCheck) {
    await setStatus(world, order, 'confirmed')
    await world.startRefusalCheck(order)
  }
  await setStatus(world, order, draft.confirmationStatus)
  draft.path = refusalPath(order)
  draft.body = { ...world.refusalBody() }
}

for (const [check, faults] of [
  ['confirmation', CONFIRMATION_FAULTS],
  ['refusal', REFUSAL_FAULTS],
] as const) {
  test(`of two errors a ${check} check gets the first in documented order`, async (t) => {
    const codes = faults.map(({ code }) => code)
    assert.deepEqual(codes, await inDocumentedOrder(codes))
    const world = await startFaultyWorld(t)
    for (const [index, earlier] of faults.entries()) {
      for (const later of faults.slice(index + 1)) {
        const answer = await askWith(world, { check, faults: [earlier, later] })
        const what = `${earlier.over} before ${later.over}: ${answer.text}`
        assert.deepEqual([answer.status, answer.body.code], [earlier.status, earlier.code], what)
      }
    }
  })

  test(`each error rejects a ${check} check with its code and leaves nothing`, async (t) => {
    const world = await startFaultyWorld(t)
    const stored = () =>
      world.ask(
        `select (select count(*) from messages where workspace_id = $1 and check_kind = $2),
                (select sum(used) from quota_usage where workspace_id = $1 and kind = 'cod_' || $2)`,
        [world.workspaceId, check],
      )
    for (const fault of faults) {
      const before = check === 'confirmation' ? await stored() : undefined
      const answer = await askWith(world, { check, faults: [fault] })
      assert.deepEqual([answer.status, answer.body.code], [fault.status, fault.code], fault.over)
      if (before) assert.deepEqual(await stored(), before, fault.over)
    }
    assert.equal((await askWith(world, { check, faults: [] })).status, 202, 'without a fault it is accepted')
  })
}

test('a GET with several errors gets the first in documented order', async (t) => {
  const world = await startWorld(t)
  const key = await world.freshKey()
  const codeOf = async (path: string, options: object) => (await world.request('GET', path, options)).body.code
  assert.equal(await codeOf(`${confirmationPath}/no-uuid?extra=1`, { key: null }), 'API_KEY_INVALID')
  assert.equal(await codeOf(`${confirmationPath}/no-uuid?extra=1`, { key }), 'DEVELOPER_INVALID_INPUT')
  assert.equal(await codeOf(MISSING, { key }), 'COD_CONFIRMATION_NOT_FOUND')
  const ask = () => world.request('GET', `${confirmationPath}/no-uuid`, { key })
  assert.equal((await askOverRate(world, { key, path: MISSING }, ask)).body.code, 'RATE_LIMITED')
})

test('a refusal check needs a confirmation that was sent and did not fail', async (t) => {
  const world = await startWorld(t, { works: false })
  await world.codSettings()
  for (const [status, code] of [
    ['accepted', 'COD_CONFIRMATION_NOT_ELIGIBLE'],
    ['failed', 'COD_CONFIRMATION_NOT_ELIGIBLE'],
    ['awaiting_answer', undefined],
    ['confirmed', undefined],
    ['cancelled', undefined],
    ['rescheduling', undefined],
    ['rescheduled', undefined],
    ['no_response', undefined],
  ] as const) {
    const order = await world.createConfirmation()
    await world.ask(
      `update confirmations set status = $2, failure_code = case when $2 = 'failed' then 'UNKNOWN' end,
         reschedule = case when $2 = 'rescheduled' then '{}'::jsonb end where id = $1`,
      [order.confirmationId, status],
    )
    const answer = await world.request('POST', refusalPath(order), { body: world.refusalBody() })
    assert.equal(answer.body.code, code, status)
  }
})
