import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MAX_SENDS_IN_SHORT, MIN_SUSPICIOUS, MIN_WRONG, VARIABLE_DIGITS } from '../../src/otp/verifications/limits.ts'
import { countChecks, forgetChecks } from '../../src/otp/verifications/check-counts.ts'
import { type QuotaKind, setQuota } from '../../src/workspaces/quota.ts'
import { blockRecipients, unblockRecipient } from '../../src/workspaces/blocked.ts'
import { codAccount, confirmationPath, quickReplies, refusalPath } from '../world/cod.ts'
import { MISSING, inDocumentedOrder, requestOverRateLimit } from '../world/rejections.ts'
import { verificationsPath } from '../world/verifications.ts'
import { type World, newPhone, startWorld } from '../world/world.ts'

const MISSING_ID = '00000000-0000-4000-8000-000000000000'
const USED_KEY = { headers: { 'idempotency-key': 'used-for-another-request' } }
/** Numbers of one prefix, which is suspicious while no verification of it is approved. */
const PREFIX = newPhone().slice(0, -VARIABLE_DIGITS)
const numberOf = (n: number): string => PREFIX + String(n).padStart(VARIABLE_DIGITS, '0')
/** The first two have as many codes as a recipient may have. */
const [BLOCKED, FLOODED, OF_PREFIX] = [numberOf(1), numberOf(2), numberOf(3)] as const

/** A correct request, and the confirmation of its refusal check. A resend has its verification. */
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
const templateOf = (draft: Draft) => draft.body.template as { name: string; language: string }

const FIRST: readonly Fault[] = [
  { over: 'route', status: 404, code: 'NOT_FOUND', lay: (draft) => void (draft.path += '/no/thing') },
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
    lay: ({ headers }) => void Object.assign(headers, USED_KEY.headers),
  },
]

type Product = 'OTP' | 'COD'

const senderFound = (product: Product): Fault => ({
  over: 'sender found',
  status: 404,
  code: `${product}_SENDER_NOT_FOUND`,
  lay: ({ body }) => void (body.senderId = MISSING_ID),
})

const templateFound = (product: Product): Fault => ({
  over: 'template found',
  status: 404,
  code: `${product}_TEMPLATE_NOT_FOUND`,
  lay: (draft) => void (draft.body.template = { name: 'missing', language: 'en' }),
})

const usable = (product: Product): readonly Fault[] => [
  {
    over: 'sender available',
    status: 409,
    code: `${product}_SENDER_UNAVAILABLE`,
    plan: (draft, world) => void (draft.senderId = pausedSender(world)),
    lay: ({ body }, world) => {
      if (body.senderId === world.senderId) body.senderId = pausedSender(world)
    },
  },
  {
    over: 'template usable',
    status: 409,
    code: `${product}_TEMPLATE_NOT_USABLE`,
    lay: (draft) => {
      const { name, language } = templateOf(draft)
      if (name !== 'missing' && language !== 'fr') draft.body.template = { name: 'summer_offer', language: 'en' }
    },
  },
]

const CONFIGURED: readonly Fault[] = [
  {
    over: 'configured',
    status: 409,
    code: 'COD_NOT_CONFIGURED',
    lay: (_, world) => world.query('delete from cod_settings where workspace_id = $1', [world.workspaceId]),
  },
  {
    over: 'language configured',
    status: 409,
    code: 'COD_LANGUAGE_NOT_CONFIGURED',
    lay: (draft) => {
      const { name } = templateOf(draft)
      if (name !== 'missing') draft.body.template = { name, language: 'fr' }
    },
  },
]

const PARAMETERS: Fault = {
  over: 'parameters',
  status: 422,
  code: 'COD_TEMPLATE_PARAMETERS_INVALID',
  lay: ({ body }) => void (body.parameters = { body: [' '] }),
}

const RECIPIENT_LIMIT: Fault = {
  over: 'limit of the recipient',
  status: 429,
  code: 'OTP_RECIPIENT_LIMITED',
  lay: ({ body }) => {
    if (body.to !== BLOCKED) body.to = FLOODED
  },
}

/** In documented order: a number with an earlier fault also has the later ones. */
const VERIFICATION_LIMITS: readonly Fault[] = [
  {
    over: 'limit of the workspace',
    status: 429,
    code: 'OTP_GUESSING_SUSPECTED',
    lay: (_, { workspaceId, parts, clock }) =>
      countChecks(parts.db, [{ workspaceId, at: clock.now(), right: 0, wrong: MIN_WRONG }]),
  },
  RECIPIENT_LIMIT,
  {
    over: 'limit of the prefix',
    status: 429,
    code: 'OTP_PUMPING_SUSPECTED',
    lay: ({ body }, world) => {
      if (body.to !== BLOCKED && body.to !== FLOODED) body.to = OF_PREFIX
      return endPrefix(world, 'expired')
    },
  },
]

const endPrefix = (world: World, status: 'approved' | 'expired') =>
  world.query(
    `update otp_verifications set status = $3, ended_at = now(), due_at = null, code_key = null, code_hash = null
     where workspace_id = $1 and recipient like $2 || '%'`,
    [world.workspaceId, PREFIX, status],
  )

const idIn = (path: string): string => /[0-9a-f-]{36}/.exec(path)?.[0] ?? ''

const VERIFICATION: readonly Fault[] = [
  {
    over: 'verification found',
    status: 404,
    code: 'OTP_VERIFICATION_NOT_FOUND',
    lay: (draft) => void (draft.path = draft.path.replace(/[0-9a-f-]{36}/, MISSING_ID)),
  },
  {
    over: 'verification pending',
    status: 409,
    code: 'OTP_VERIFICATION_ENDED',
    lay: ({ path }, world) =>
      world.query(
        `update otp_verifications set status = 'expired', ended_at = now(), due_at = null, code_key = null, code_hash = null
         where id = $1`,
        [idIn(path)],
      ),
  },
]

const ofResend: readonly Fault[] = [
  {
    over: 'recipient',
    status: 422,
    code: 'RECIPIENT_BLOCKED',
    lay: ({ to }, world) => block(world, to),
  },
  {
    over: 'limit of resends',
    status: 429,
    code: 'OTP_RESEND_LIMITED',
    lay: ({ path }, world) =>
      world.query('update otp_verifications set sent_at = array[created_at] where id = $1', [idIn(path)]),
  },
]

const last = (product: Product, kind: QuotaKind): readonly Fault[] => [
  {
    over: 'recipient',
    status: 422,
    code: 'RECIPIENT_BLOCKED',
    plan: (draft) => void (draft.to = BLOCKED),
    lay: ({ body }) => {
      if ('to' in body) body.to = BLOCKED
    },
  },
  { over: 'quota', status: 429, code: `${product}_QUOTA_EXCEEDED`, lay: (_, world) => allow(world, kind, 0) },
]

/** In the order of docs/api.md#order-of-checks: of two faults the earlier one is reported. */
const FAULTS = {
  otp: [...FIRST, senderFound('OTP'), templateFound('OTP'), ...usable('OTP'), ...last('OTP', 'otp')],
  verification: [
    ...FIRST,
    senderFound('OTP'),
    templateFound('OTP'),
    ...usable('OTP'),
    ...last('OTP', 'otp').toSpliced(1, 0, ...VERIFICATION_LIMITS),
  ],
  resend: [
    ...FIRST.filter(({ over }) => over !== 'idempotency'),
    ...VERIFICATION,
    ...usable('OTP').slice(0, 1),
    ...ofResend,
    ...last('OTP', 'otp').slice(1),
  ],
  confirmation: [
    ...FIRST,
    senderFound('COD'),
    templateFound('COD'),
    ...CONFIGURED,
    ...usable('COD'),
    PARAMETERS,
    ...last('COD', 'cod_confirmation'),
  ],
  refusal: [
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
    templateFound('COD'),
    ...CONFIGURED,
    ...usable('COD'),
    PARAMETERS,
    ...last('COD', 'cod_refusal'),
  ],
} satisfies Record<string, readonly Fault[]>

type Kind = keyof typeof FAULTS

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
  await world.sendOtp({}, USED_KEY)
  await world.startVerification({}, USED_KEY)
  for (let sends = 0; sends < MAX_SENDS_IN_SHORT; sends += 1)
    for (const to of [BLOCKED, FLOODED]) await world.startVerification({ to })
  for (let n = 2 * MAX_SENDS_IN_SHORT; n < MIN_SUSPICIOUS; n += 1) await world.startVerification({ to: numberOf(n) })
  const order = await world.createConfirmation({}, USED_KEY)
  await setStatus(world, order, 'confirmed')
  await world.startRefusalCheck(order, {}, USED_KEY)
  return world
}

const setStatus = (world: World, { confirmationId }: { confirmationId: string }, status: string) =>
  world.query('update confirmations set status = $2 where id = $1', [confirmationId, status])

async function sendWith(world: World, kind: Kind, faults: readonly Fault[]) {
  await restore(world)
  const draft: Draft = {
    path: kind === 'otp' ? '/api/v1/otp/messages' : kind === 'verification' ? verificationsPath : confirmationPath,
    key: await world.freshKey(),
    headers: {},
    body: {
      ...(kind === 'otp'
        ? world.otpBody()
        : kind === 'verification'
          ? world.verificationBody()
          : world.confirmationBody()),
    },
    senderId: world.senderId,
    to: newPhone(),
    confirmationStatus: 'confirmed',
    hasCheck: false,
  }
  if (kind === 'refusal' || kind === 'resend') {
    for (const fault of faults) fault.plan?.(draft, world)
    await (kind === 'refusal' ? makeConfirmation : makeVerification)(world, draft)
  }
  await block(world, BLOCKED)
  await world.query('update senders set paused_at = now() where id = $1', [pausedSender(world)])
  const goodKey = draft.key
  for (const fault of faults) await fault.lay?.(draft, world)
  const { path, key, body, headers } = draft
  const send = () => world.request('POST', path, { key, body, headers })
  if (!faults.some(({ over }) => over === 'rate')) return send()
  return requestOverRateLimit(world, { key: goodKey, path: MISSING }, send)
}

const block = (world: World, phone: string) =>
  blockRecipients(world.parts, { workspaceId: world.workspaceId, by: null, recipients: [{ phone, reason: null }] })

async function restore(world: World): Promise<void> {
  const { workspaceId } = world
  await world.codSettings()
  for (const kind of ['otp', 'cod_confirmation', 'cod_refusal'] as const) await allow(world, kind, 1_000)
  await unblockRecipient(world.parts.db, { workspaceId, phone: BLOCKED })
  await forgetChecks(world.parts.db, workspaceId)
  await endPrefix(world, 'approved')
  await world.query('update senders set paused_at = null where id = $1', [pausedSender(world)])
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

async function makeVerification(world: World, draft: Draft): Promise<void> {
  const { verificationId } = await world.startVerification({ senderId: draft.senderId, to: draft.to })
  const earlier = `update otp_verifications set sent_at = array[created_at - interval '1 minute'] where id = $1`
  await world.query(earlier, [verificationId])
  draft.path = `${verificationsPath}/${verificationId}/resend`
  draft.body = {}
}

for (const [kind, faults] of Object.entries(FAULTS) as [Kind, readonly Fault[]][]) {
  test(`of two errors a request (${kind}) gets the first in documented order`, async (t) => {
    const codes = faults.map(({ code }) => code)
    assert.deepEqual(codes, await inDocumentedOrder(codes))
    const world = await startFaultyWorld(t)
    for (const [index, earlier] of faults.entries()) {
      for (const later of faults.slice(index + 1)) {
        const answer = await sendWith(world, kind, [earlier, later])
        const what = `${earlier.over} before ${later.over}: ${answer.text}`
        assert.deepEqual([answer.status, answer.body.code], [earlier.status, earlier.code], what)
      }
    }
  })

  test(`each error rejects a request (${kind}) with its code and leaves no message, key or unit`, async (t) => {
    const world = await startFaultyWorld(t)
    const stored = () =>
      world.query(
        `select (select count(*) from messages where workspace_id = $1),
                (select sum(used) from quota_usage where workspace_id = $1)`,
        [world.workspaceId],
      )
    for (const fault of faults) {
      const before = kind === 'refusal' || kind === 'resend' ? undefined : await stored() // what it belongs to is stored first
      const answer = await sendWith(world, kind, [fault])
      assert.deepEqual([answer.status, answer.body.code], [fault.status, fault.code], fault.over)
      if (before) assert.deepEqual(await stored(), before, fault.over)
    }
    assert.equal((await sendWith(world, kind, [])).status, 202, 'without a fault it is accepted')
  })
}

for (const [path, missing] of [
  ['/api/v1/otp/messages', 'NOT_FOUND'],
  [verificationsPath, 'OTP_VERIFICATION_NOT_FOUND'],
  [confirmationPath, 'COD_CONFIRMATION_NOT_FOUND'],
] as const) {
  test(`a GET of ${path} with several errors gets the first in documented order`, async (t) => {
    const world = await startWorld(t)
    const key = await world.freshKey()
    const faulty = `${path}/no-uuid?extra=1`
    const codeOf = async (path: string, request: object) => (await world.request('GET', path, request)).body.code
    assert.equal(await codeOf(faulty, { key: null }), 'API_KEY_INVALID')
    assert.equal(await codeOf(faulty, { key }), 'DEVELOPER_INVALID_INPUT')
    assert.equal(await codeOf(`${path}/${MISSING_ID}`, { key }), missing)
    const used = await world.freshKey() // whose earlier requests do not count
    const send = () => world.request('GET', faulty, { key: used })
    const limited = await requestOverRateLimit(world, { key: used, path: MISSING }, send)
    assert.equal(limited.body.code, 'RATE_LIMITED')
  })
}
