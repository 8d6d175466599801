import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCKED_PAGE } from '../../../src/workspaces/blocked.ts'
import { type SignedIn, signIn } from '../../world/dashboard.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

const codeTo = async (world: World, to: string): Promise<unknown> =>
  (await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody({ to }) })).body.code

const blockedOf = async ({ workspaceId }: World, { calls }: SignedIn) =>
  (await calls.blocked.list.query({ workspaceId })).rows

test('a blocked number is found in any form, and can be unblocked', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [admin, member] = [await signIn(world, 'admin'), await signIn(world, 'member')]
  const phone = '+212612345678'
  await admin.calls.blocked.add.mutate({ workspaceId, phone: ' +212 612-345678 ', reason: ' abusive ' })
  assert.equal(await codeTo(world, phone), 'RECIPIENT_BLOCKED')
  for (const text of ['+212 612 345 678', '00212612345678', '212612345678', '٠٠٢١٢٦١٢٣٤٥٦٧٨', '06 12 34', '345678']) {
    const { rows } = await member.calls.blocked.list.query({ workspaceId, text })
    assert.deepEqual(
      rows.map((row) => [row.phone, row.reason]),
      [[phone, 'abusive']],
      text,
    )
  }
  for (const text of ['Ana', '999', '1'])
    assert.deepEqual((await member.calls.blocked.list.query({ workspaceId, text })).rows, [], text)
  assert.deepEqual(await admin.calls.blocked.add.mutate({ workspaceId, phone, reason: 'again' }), {
    phone,
    added: false,
  })
  await admin.calls.blocked.remove.mutate({ workspaceId, phone })
  assert.equal(await codeTo(world, phone), undefined)
  await assert.rejects(admin.calls.blocked.remove.mutate({ workspaceId, phone }), /no such blocked recipient/)
})

test('the list is paged by time and number without loss or repetition', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const { calls } = await signIn(world, 'admin')
  const phones = Array.from({ length: BLOCKED_PAGE * 2 + 3 }, (_, n) => `+2126123${String(10_000 + n)}`)
  const lines = phones.map((phone, n) => ({ line: n + 1, phone, reason: '' }))
  const { added } = await calls.blocked.import.mutate({ workspaceId, lines })
  assert.equal(added, phones.length)
  assert.deepEqual(await calls.blocked.import.mutate({ workspaceId, lines: lines.slice(0, 3) }), {
    added: 0,
    already: 3,
    faulty: [],
  })
  for (const order of ['latest', 'phone'] as const) {
    const seen: string[] = []
    let cursor: { phone: string; blockedAt: string } | null | undefined
    for (let pages = 0; pages < 4 && cursor !== null; pages += 1) {
      const page = await calls.blocked.list.query({ workspaceId, order, ...(cursor && { cursor }) })
      seen.push(...page.rows.map(({ phone }) => phone))
      cursor = page.next
    }
    assert.equal(cursor, null)
    assert.deepEqual(seen, order === 'phone' ? phones : phones.toReversed())
  }
})

test('an invalid number, reason or list is explained and adds nothing', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const admin = await signIn(world, 'admin')
  const wrong = [{ phone: '0612345678' }, { phone: '' }, { phone: newPhone(), reason: 'x'.repeat(201) }]
  for (const each of wrong) {
    await assert.rejects(admin.calls.blocked.add.mutate({ workspaceId, ...each }), /Some fields are not valid/)
  }
  const lines = Array.from({ length: 501 }, (_, n) => ({ line: n + 1, phone: newPhone(), reason: '' }))
  await assert.rejects(admin.calls.blocked.import.mutate({ workspaceId, lines }), /Some fields are not valid/)
  assert.deepEqual(await blockedOf(world, admin), [])
})

test('another workspace’s blocked number is not visible, removable or blocked here', async (t) => {
  const [mine, theirs] = [await startWorld(t), await startWorld(t)]
  const [admin, foreign] = [await signIn(mine, 'admin'), await signIn(theirs, 'admin')]
  const phone = newPhone()
  await foreign.calls.blocked.add.mutate({ workspaceId: theirs.workspaceId, phone })
  const { workspaceId } = mine
  assert.deepEqual((await admin.calls.blocked.list.query({ workspaceId, text: phone })).rows, [])
  await assert.rejects(admin.calls.blocked.remove.mutate({ workspaceId, phone }), /no such blocked recipient/)
  assert.equal(await codeTo(mine, phone), undefined)
  assert.equal((await blockedOf(theirs, foreign)).length, 1)
})
