import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { DEMO } from '@doorcode/whatsapp-emulator'
import { type SignedIn, faultsOf, rejectedAs, signIn } from '../../world/dashboard.ts'
import { listen } from '../../world/listen.ts'
import { type World, startWorld } from '../../world/world.ts'

type Draft = Parameters<SignedIn['calls']['templates']['submit']['mutate']>[0]['draft']

const confirmation = {
  use: 'confirmation',
  name: 'order_check',
  language: 'en',
  header: '',
  headerSample: '',
  body: 'Hello {{customer}}, please confirm your order {{order}} of {{amount}}, to be paid on delivery.',
  samples: { customer: 'Sara', order: 'A-1001', amount: '250 MAD' },
  footer: '',
  buttons: ['Confirm', 'Cancel', 'Change time'],
} as const satisfies Draft

const code = {
  use: 'otp',
  name: 'sign_in_code',
  language: 'fr',
  securityAdvice: true,
  expiryMinutes: 5,
  copyLabel: '',
} as const satisfies Draft

const ofWorld = ({ workspaceId, account: { accountId } }: World) => ({ workspaceId, accountId })

const submit = (world: World, { calls }: SignedIn, draft: Draft) =>
  calls.templates.submit.mutate({ ...ofWorld(world), draft })

const get = (world: World, { calls }: SignedIn, { name, language }: { name: string; language: string }) =>
  calls.templates.get.query({ ...ofWorld(world), name, language })

const historyOf = (page: Awaited<ReturnType<typeof get>>): string[] =>
  page.changes.map(({ field, before, after }) => `${field}: ${before} → ${after}`)

test('a submitted confirmation template is followed through review and used for orders', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const admin = await signIn(world, 'admin')
  const submitted = await submit(world, admin, confirmation)
  assert.deepEqual([submitted.outcome, 'shown' in submitted && submitted.shown], ['submitted', true])
  await world.emulator.idle()
  await admin.calls.templates.refresh.mutate({ ...ofWorld(world), name: 'order_check', language: 'en' })
  const page = await get(world, admin, confirmation)
  assert.deepEqual([page.template?.status, page.template?.verdicts.confirmation], ['APPROVED', null])
  const created = await world.createConfirmation({
    template: { name: 'order_check', language: 'en' },
    parameters: { body: { customer: 'Ana', order: 'B-7', amount: '10 EUR' } },
  })
  assert.equal(created.status, 'accepted')
  await world.settled()
  const [message] = world.emulator.messages({ to: created.to })
  assert.ok(message)
})

test('a code template from the form delivers a code', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  world.emulator.planReview(DEMO.accountId, { afterMs: 0 })
  assert.deepEqual(await submit(world, admin, code), { outcome: 'submitted', status: 'APPROVED', shown: true })
  const page = await get(world, admin, code)
  assert.deepEqual([page.template?.verdicts.otp, page.template?.sendTtlSeconds], [null, 300])
  await world.sendOtp({ template: { name: code.name, language: code.language } })
})

test('reviews, pauses and qualities appear once, from reports or from syncs', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const { emulator } = world
  world.emulator.planReview(DEMO.accountId, { afterMs: 0 })
  await submit(world, admin, confirmation)
  const template = [...emulator.getAccount(DEMO.accountId).templates.values()].find(
    ({ name }) => name === 'order_check',
  )
  assert.ok(template)
  const lookTwice = async (): Promise<void> => {
    await world.settled()
    await admin.calls.senders.sync.mutate(ofWorld(world))
    await world.after('2m')
  }
  emulator.changeTemplate(template.id, { status: 'PAUSED', quality: 'RED' })
  await lookTwice()
  emulator.changeTemplate(template.id, { status: 'APPROVED', category: 'MARKETING' })
  await admin.calls.senders.sync.mutate(ofWorld(world))
  await lookTwice()
  const history = historyOf(await get(world, admin, confirmation))
  assert.deepEqual(history.toSorted(), [
    'category: UTILITY → MARKETING',
    'quality: UNKNOWN → RED',
    'status: APPROVED → PAUSED',
    'status: PAUSED → APPROVED',
    'status: null → APPROVED',
  ])
})

test('a rejection is shown with its reason', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  world.emulator.planReview(DEMO.accountId, { outcome: 'reject', reason: 'TAG_CONTENT_MISMATCH', afterMs: 0 })
  await submit(world, admin, confirmation)
  const { template } = await get(world, admin, confirmation)
  assert.deepEqual([template?.status, template?.rejectedReason], ['REJECTED', 'TAG_CONTENT_MISMATCH'])
})

test('a used name is rejected at the name, here or at WhatsApp', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const taken = { ...confirmation, name: 'order_confirmation' }
  assert.match((await faultsOf(submit(world, admin, taken)))['draft.name'] ?? '', /already/)
  world.emulator.createTemplate(DEMO.accountId, {
    name: 'order_check',
    language: 'en',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Hello there.' }],
  })
  assert.match((await faultsOf(submit(world, admin, confirmation)))['draft.name'] ?? '', /already/)
  assert.ok((await get(world, admin, confirmation)).template, 'it is shown now')
})

test('a draft’s faults are shown at fields, and nothing reaches WhatsApp', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const before = world.emulator.getAccount(DEMO.accountId).templates.size
  const faults = await faultsOf(
    submit(world, admin, { ...confirmation, name: 'Bad Name', buttons: ['A', 'B', ''], samples: {} }),
  )
  assert.deepEqual(Object.keys(faults).sort(), [
    'draft.buttons.2',
    'draft.name',
    'draft.samples.amount',
    'draft.samples.customer',
    'draft.samples.order',
  ])
  assert.equal(world.emulator.getAccount(DEMO.accountId).templates.size, before)
})

test('a template whose creation was not answered is found, not duplicated', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const proxy = await startLossyProxy(t, world)
  proxy.losesAnswersOf('POST')
  assert.equal((await submit(world, admin, confirmation)).outcome, 'submitted')
  assert.match((await faultsOf(submit(world, admin, confirmation)))['draft.name'] ?? '', /already/)
  assert.ok((await get(world, admin, confirmation)).template)
})

test('the next sync shows a template whose creation is unknown', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const proxy = await startLossyProxy(t, world)
  proxy.losesAnswersOf('POST', 'GET')
  assert.deepEqual(await submit(world, admin, confirmation), { outcome: 'unknown' })
  await assert.rejects(get(world, admin, confirmation), rejectedAs('NOT_FOUND'))
  proxy.losesAnswersOf()
  await admin.calls.senders.sync.mutate(ofWorld(world))
  assert.ok((await get(world, admin, confirmation)).template)
})

test('a deletion affects one language, and shows that the name is blocked', async (t) => {
  // WhatsApp may report the deletion before it answers; here it reports afterwards.
  const world = await startWorld(t, { works: false })
  const admin = await signIn(world, 'admin')
  const id = { name: 'order_confirmation', language: 'en' }
  await admin.calls.templates.remove.mutate({ ...ofWorld(world), ...id })
  const left = [...world.emulator.getAccount(DEMO.accountId).templates.values()].filter(({ name }) => name === id.name)
  assert.deepEqual(
    left.map(({ language }) => language),
    ['ar'],
  )
  const page = await get(world, admin, id)
  assert.deepEqual([page.template, historyOf(page)[0]], [null, 'status: APPROVED → null'])
  const [sync] = await world.query<{ isSoon: boolean }>(
    `select sync_due_at <= $2::timestamptz + interval '2 minutes' as "isSoon" from provider_accounts where id = $1`,
    [world.account.accountId, world.clock.now()],
  )
  assert.deepEqual(sync, { isSoon: true }, 'a sync that began before the deletion may bring the template back')
  await world.node({ works: true })
  await world.settled()
  await admin.calls.senders.sync.mutate(ofWorld(world))
  assert.equal(historyOf(await get(world, admin, id)).length, 2, 'nothing is reported twice')
  const again = await faultsOf(submit(world, admin, { ...confirmation, ...id }))
  assert.match(again['draft.name'] ?? '', /30 days/)
})

test('a deletion without an answer counts once WhatsApp lacks the template', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const proxy = await startLossyProxy(t, world)
  proxy.losesAnswersOf('DELETE')
  const id = { name: 'order_confirmation', language: 'en' }
  await admin.calls.templates.remove.mutate({ ...ofWorld(world), ...id })
  assert.equal((await get(world, admin, id)).template, null)
})

test('the list is filtered by use, status, language and text', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'member')
  const { workspaceId } = world
  const names = async (filter: object): Promise<string[]> =>
    (await calls.templates.list.query({ workspaceId, ...filter })).templates.map(
      ({ name, language }) => `${name} ${language}`,
    )
  assert.deepEqual(await names({ use: 'otp' }), ['login_code ar', 'login_code en_US', 'login_code fr'])
  assert.deepEqual(await names({ use: 'confirmation' }), ['order_confirmation ar', 'order_confirmation en'])
  assert.deepEqual(await names({ use: 'refusal' }), ['delivery_refusal en'])
  assert.deepEqual(await names({ use: 'none' }), ['order_delayed en', 'order_shipped en', 'summer_offer en'])
  assert.deepEqual(await names({ status: 'PAUSED' }), ['order_delayed en'])
  assert.deepEqual(await names({ language: 'ar', search: 'LOGIN' }), ['login_code ar'])
  assert.deepEqual(await names({ search: 'beach' }), ['summer_offer en'])
  assert.deepEqual(await names({ search: 'type' }), [], 'what the form of a template is called is no text of it')
})

test('paging shows each template once', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'member')
  await world.query(
    `insert into templates (workspace_id, account_id, name, language, provider_template_id, status, category,
       parameter_format, components, quality, rejected_reason, send_ttl_seconds)
     select workspace_id, account_id, 'many_' || n, language, provider_template_id, status, category,
       parameter_format, components, quality, rejected_reason, send_ttl_seconds
     from templates, generate_series(1, 130) n where workspace_id = $1 and name = 'order_confirmation'`,
    [world.workspaceId],
  )
  const seen: string[] = []
  let cursor: { accountId: string; name: string; language: string } | undefined
  do {
    const page = await calls.templates.list.query({
      workspaceId: world.workspaceId,
      use: 'confirmation',
      ...(cursor && { cursor }),
    })
    seen.push(...page.templates.map(({ name, language }) => `${name} ${language}`))
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  assert.equal(seen.length, 262)
  assert.equal(new Set(seen).size, 262)
})

test('a member changes no template, and another workspace’s looks missing', async (t) => {
  const [world, other] = [await startWorld(t), await startWorld(t)]
  const member = await signIn(world, 'member')
  const admin = await signIn(world, 'admin')
  const id = { name: 'login_code', language: 'fr' }
  const mine = { ...ofWorld(world), ...id }
  await assert.rejects(submit(world, member, confirmation), rejectedAs('FORBIDDEN'))
  await assert.rejects(member.calls.templates.remove.mutate(mine), rejectedAs('FORBIDDEN'))
  await assert.rejects(member.calls.templates.refresh.mutate(mine), rejectedAs('FORBIDDEN'))
  const theirs = { ...mine, accountId: other.account.accountId }
  await assert.rejects(admin.calls.templates.get.query(theirs), rejectedAs('NOT_FOUND'))
  await assert.rejects(admin.calls.templates.remove.mutate(theirs), rejectedAs('NOT_FOUND'))
  await assert.rejects(admin.calls.templates.refresh.mutate(theirs), rejectedAs('NOT_FOUND'))
  await assert.rejects(
    admin.calls.templates.submit.mutate({ ...ofWorld(world), accountId: other.account.accountId, draft: confirmation }),
    rejectedAs('NOT_FOUND'),
  )
})

/** A proxy that loses the emulator's answers after the emulator has acted. */
async function startLossyProxy(t: TestContext, world: World) {
  let lossy: readonly string[] = []
  const server = createServer((request, response) => {
    void buffer(request).then(async (body) => {
      const { authorization = '' } = request.headers
      const answer = await fetch(`${world.emulator.url}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { authorization, ...(body.length > 0 && { 'content-type': 'application/json' }) },
        ...(body.length > 0 && { body }),
      })
      if (lossy.includes(request.method ?? '')) return response.destroy()
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })
  })
  const url = `http://${await listen(t, server)}`
  await world.query('update provider_accounts set graph_url = $2 where id = $1', [world.account.accountId, url])
  return {
    losesAnswersOf(...methods: string[]): void {
      lossy = methods
    },
  }
}
