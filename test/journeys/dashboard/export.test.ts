import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportedLists } from '../../../src/admin/export/lists.ts'
import { newId } from '../../../src/lib/ids.ts'
import { lockInAnotherSession } from '../../faults/lock-in-another-session.ts'
import { type SignedIn, signIn } from '../../world/dashboard.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, startWorld } from '../../world/world.ts'

const MISSING_ID = '019f0000-0000-7000-8000-000000000000'

type Options = { workspaceId?: string; headers?: Record<string, string>; signal?: AbortSignal }

/** Follows the page's link like a browser. */
const follow = (
  { first, workspaceId: own }: World,
  as: SignedIn | null,
  list: string,
  { workspaceId = own, headers, signal }: Options = {},
) =>
  fetch(`${first.url}/dashboard/export/${workspaceId}/${list}`, {
    headers: { 'sec-fetch-site': 'same-origin', ...(as && { cookie: as.cookie }), ...headers },
    ...(signal && { signal }),
  })

async function rowsOf(world: World, as: SignedIn, list: string): Promise<string[]> {
  const answer = await follow(world, as, list)
  const bytes = await answer.bytes()
  assert.equal(answer.status, 200, `${list}: ${new TextDecoder().decode(bytes)}`)
  assert.deepEqual(Array.from(bytes.subarray(0, 3)), [0xef, 0xbb, 0xbf])
  return new TextDecoder().decode(bytes).trimEnd().split('\r\n').slice(1)
}

const exportsOf = (world: World) =>
  world.query<{ who: string; target: string; after: object }>(
    `select who, target, after from audit_log where workspace_id = $1 and action = 'list.exported' order by id`,
    [world.workspaceId],
  )

test('an export of a list asks for the role that its page asks for', async (t) => {
  const world = await startWorld(t)
  const { endpointId } = await world.receiver()
  const [member, admin] = [await signIn(world, 'member'), await signIn(world, 'admin')]
  const rejected: string[] = []
  for (const list of Object.keys(exportedLists)) {
    const path = list === 'deliveries' ? `${list}?endpointId=${endpointId}` : list
    const { status } = await follow(world, member, path)
    if (status !== 200) rejected.push(`${list} ${status}`)
    assert.equal((await follow(world, admin, path)).status, 200, list)
  }
  assert.deepEqual(rejected, ['audit-log 403'])
  assert.equal((await follow(world, admin, 'audit-log?of=instance')).status, 403)
  const instance = await follow(world, await signIn(world, 'operator'), 'audit-log?of=instance')
  assert.equal(instance.status, 200)
})

test('an export answers another workspace exactly like a missing one', async (t) => {
  const [world, theirs] = [await startWorld(t), await startWorld(t)]
  const owner = await signIn(world, 'owner')
  for (const list of Object.keys(exportedLists)) {
    const foreign = await follow(world, owner, list, { workspaceId: theirs.workspaceId })
    const missing = await follow(world, owner, list, { workspaceId: MISSING_ID })
    assert.deepEqual([foreign.status, await foreign.text()], [missing.status, await missing.text()])
    assert.equal(foreign.status, 404)
  }
  const { endpointId } = await theirs.receiver()
  const answers = await Promise.all(
    [endpointId, MISSING_ID].map((id) => follow(world, owner, `deliveries?endpointId=${id}`)),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 404],
  )
  assert.deepEqual(await exportsOf(theirs), [])
})

test('only a page of this dashboard with a session may export', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
  assert.equal((await follow(world, null, 'messages')).status, 401)
  assert.equal((await follow(world, member, 'messages', { headers: { 'sec-fetch-site': 'cross-site' } })).status, 401)
  assert.equal((await follow(world, member, 'constructor')).status, 404)
  for (const faulty of ['status=nonsense', 'from=yesterday', 'text=a&text=b', 'text=%00'])
    assert.equal((await follow(world, member, `messages?${faulty}`)).status, 400, faulty)
  assert.deepEqual(await exportsOf(world), [])
})

test('an export has every row of its filters, safe text and no code, and is recorded', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
  const code = '918273'
  const sent = [
    await world.sendOtp({ to: '+212612345678', reference: '=cmd()', code }),
    await world.sendOtp({ reference: 'a,"b"', code }),
  ]
  await world.settled()
  const rows = await rowsOf(world, member, 'messages')
  assert.deepEqual(rows.map((row) => row.slice(0, 36)).sort(), sent.map(({ messageId }) => messageId).sort())
  assert.ok(rows.some((row) => row.includes(`,'+212612345678,`) && row.includes(`,'=cmd(),`)))
  assert.ok(rows.some((row) => row.includes(',"a,""b""",')))
  assert.ok(!rows.join().includes(code))
  assert.equal((await rowsOf(world, member, 'messages?text=%2B212612345678&status=&color=red')).length, 1)
  assert.deepEqual(await exportsOf(world), [
    { who: member.email, target: 'messages', after: {} },
    { who: member.email, target: 'messages', after: { text: '+212612345678' } },
  ])
})

test('the export of a chart has the rows of its table, for its days and filters', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
  const read = await world.sendOtp()
  await world.whatsapp.reports(read, ['sent', 'delivered', 'read'])
  const failed = await world.sendOtp()
  await world.whatsapp.reports(failed, [{ status: 'failed', errors: [131026] }])
  const { today } = await member.calls.charts.all.query({ workspaceId: world.workspaceId, range: { last: 1 } })
  const days = `from=${today}&to=${today}`
  assert.deepEqual(await rowsOf(world, member, `messages-by-day?${days}`), [`${today},2,0`])
  assert.deepEqual(await rowsOf(world, member, `messages-by-day?${days}&language=nn`), [`${today},0,0`])
  const funnel = await rowsOf(world, member, `code-funnel?${days}`)
  assert.deepEqual(
    funnel.map((row) => row.split(',').slice(0, 3)),
    [
      ['accepted', '2', '1'],
      ['sent', '1', '0.5'],
      ['delivered', '1', '0.5'],
      ['read', '1', '0.5'],
      ['failed', '1', '0.5'],
      ['open', '0', '0'],
      ['undelivered', '0', '0'],
    ],
  )
  assert.deepEqual(await rowsOf(world, member, `failures-by-cause?${days}`), ['RECIPIENT_UNREACHABLE,1,0.5'])
  assert.equal((await follow(world, member, `messages-by-day?from=${today}`)).status, 400)
  assert.deepEqual((await exportsOf(world)).map(({ target, after }) => ({ target, after })).at(-1), {
    target: 'failures-by-cause',
    after: { from: today, to: today },
  })
})

test('an export by language has its column titles in the reader’s language', async (t) => {
  const world = await startWorld(t)
  const answer = await follow(world, await signIn(world, 'member'), 'templates?language=ar&locale=fr')
  assert.equal(answer.status, 200)
  const [titles = '', ...rows] = (await answer.text()).trimEnd().split('\r\n')
  assert.match(titles, /^Nom,Langue,/)
  assert.ok(rows.length > 0 && rows.every((row) => row.includes(',ar,')))
})

test('a sandbox’s export shows one clock in all lists', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const moved = 3 * 86_400_000
  await world.query(
    `insert into clock_moves (workspace_id, moved_at, by_ms) values ($1, now() - interval '1 hour', $2)`,
    [world.workspaceId, moved],
  )
  await admin.calls.blocked.add.mutate({ workspaceId: world.workspaceId, phone: '+212612345678' })
  const [row = ''] = await rowsOf(world, admin, 'blocked')
  const shown = Date.parse(row.split(',')[2] ?? '')
  assert.ok(Math.abs(shown - Date.now() - moved) < 60_000, row)
})

const LONG_ROWS = 2_500

/** More bytes than the buffers between a server and its reader take. */
async function addLongRows(world: World): Promise<void> {
  await world.query(
    `insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, correlation_id,
       api_key_id, quota_unit, created_at, status, priority, submit_by)
     select id, $1, 'otp', $2, '+212600000001', repeat('x', 8000), 'en_US', gen_random_uuid(), 'key', n, now(), 'sent', 0, now()
     from unnest($3::uuid[]) with ordinality as made (id, n)`,
    [world.workspaceId, world.senderId, Array.from({ length: LONG_ROWS }, newId)],
  )
}

test('an export reads only as fast as its client, few run concurrently, and losing access ends it', async (t) => {
  const world = await startWorld(t, { works: false })
  await addLongRows(world)
  const [owner, member, other] = [
    await signIn(world, 'owner'),
    await signIn(world, 'member'),
    await signIn(world, 'member'),
  ]
  const readers = [new AbortController(), new AbortController()]
  const slow = await Promise.all(readers.map(({ signal }) => follow(world, member, 'messages', { signal })))
  assert.deepEqual(
    slow.map(({ status }) => status),
    [200, 200],
  )
  assert.equal((await follow(world, member, 'messages')).status, 429)
  assert.equal((await follow(world, other, 'keys')).status, 200)
  for (const reader of readers) reader.abort()
  await waitFor('a place', async () => (await follow(world, member, 'keys')).status === 200)
  assert.equal((await rowsOf(world, member, 'messages')).length, LONG_ROWS)

  const answer = await follow(world, member, 'messages')
  await owner.calls.people.remove.mutate({ workspaceId: world.workspaceId, userId: member.userId })
  await assert.rejects(() => answer.text(), /terminated/)
})

test('a reader that leaves before its export takes a place keeps none', async (t) => {
  const world = await startWorld(t, { works: false })
  const member = await signIn(world, 'member')
  const unlock = await lockInAnotherSession(t, world.parts.db, 'lock table members in access exclusive mode')
  const reader = new AbortController()
  const left = Promise.allSettled(
    Array.from({ length: 2 }, () => follow(world, member, 'keys', { signal: reader.signal })),
  )
  await waitFor('both to wait', async () => (await world.query(WAITS)).length === 2)
  reader.abort()
  await left
  await fetch(`${world.first.url}/healthz`) // the server has seen that they left
  await unlock()
  await waitFor('both exports', async () => (await exportsOf(world)).length === 2)
  assert.equal((await follow(world, member, 'keys')).status, 200)
})

const WAITS = `select from pg_locks where not granted and relation = 'members'::regclass
  and database = (select oid from pg_database where datname = current_database())`

test('the exports of one workspace leave places for the others', async (t) => {
  const [world, theirs] = [await startWorld(t, { works: false }), await startWorld(t, { works: false })]
  await addLongRows(world)
  const [first, second, third] = [
    await signIn(world, 'member'),
    await signIn(world, 'member'),
    await signIn(world, 'member'),
  ]
  const end = new AbortController()
  t.after(() => end.abort())
  const open: Response[] = [] // fetch ends a response that is collected as garbage
  for (const member of [first, first, second, second])
    open.push(await follow(world, member, 'messages', { signal: end.signal }))
  assert.equal((await follow(world, third, 'keys')).status, 429)
  assert.deepEqual(
    open.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  assert.equal((await follow(theirs, await signIn(theirs, 'member'), 'keys')).status, 200)
  end.abort()
  await waitFor('a place', async () => (await follow(world, third, 'keys')).status === 200)
})
