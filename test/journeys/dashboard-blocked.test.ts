import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCKED_PAGE } from '../../src/workspaces/blocked.ts'
import { findSeriousFaults } from '../accessibility.ts'
import { openPage } from '../browser.ts'
import { type SignedIn, signIn } from '../dashboard.ts'
import { type World, newPhone, startWorld } from '../world.ts'

const codeTo = async (world: World, to: string): Promise<unknown> =>
  (await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody({ to }) })).body.code

const blockedOf = async ({ workspaceId }: World, { calls }: SignedIn) =>
  (await calls.blocked.list.query({ workspaceId })).rows

test('an import shows faulty lines, progress and failures, and warns before leaving', async (t) => {
  const world = await startWorld(t)
  const admin = await signIn(world, 'admin')
  const page = await openPage(t, world, { as: admin })
  await page.goto(`/dashboard/w/${world.workspaceId}/keys`)
  await page.getByRole('link', { name: 'Blocked recipients' }).click()
  await page.getByRole('button', { name: 'Import a list' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import a list' })
  const [first, second] = [newPhone(), newPhone()]
  const lines = ['phone,reason', `${first},abusive`, '212612345678', 'nobody', `${second};"asked, twice"`]
  await dialog.getByLabel('Lines').fill(lines.join('\n'))
  await dialog.getByRole('button', { name: 'Check lines' }).click()
  await dialog.getByText('2 lines are ready to import.').waitFor()
  assert.deepEqual(await dialog.getByRole('row').allInnerTexts(), [
    'Line\tPhone\tError',
    '3\t212612345678\tmust start with + and the country code. Did you mean this number? +212612345678',
    '4\tnobody\tnot a phone number',
  ])
  assert.deepEqual(await blockedOf(world, admin), [])
  await dialog.getByRole('button', { name: 'Block 2 recipients' }).click()
  await dialog.getByText('2 lines were not imported').waitFor()
  assert.equal(await dialog.getByLabel('Lines').inputValue(), '212612345678\nnobody')
  const rows = await blockedOf(world, admin)
  assert.deepEqual(
    new Set(rows.map(({ phone, reason, blockedBy }) => `${phone} ${reason} ${blockedBy}`)),
    new Set([`${first} abusive ${admin.email}`, `${second} asked, twice ${admin.email}`]),
  )
  assert.equal(await codeTo(world, first), 'RECIPIENT_BLOCKED')

  const secondBatch = Promise.withResolvers<void>()
  let batches = 0
  await page.route('**/blocked.import?batch=1', async (route) => {
    batches += 1
    if (batches === 1) return route.continue()
    await secondBatch.promise
    return route.abort()
  })
  const total = async (): Promise<number | null> =>
    (await admin.calls.blocked.list.query({ workspaceId: world.workspaceId, order: 'phone' })).total
  const phones = Array.from({ length: 1_000 }, (_, n) => `+2126120${10_000 + n}`)
  await dialog.getByLabel('Lines').fill(phones.join('\n'))
  await dialog.getByRole('button', { name: 'Check lines' }).click()
  await dialog.getByRole('button', { name: 'Block 1,000 recipients' }).click()
  await dialog.getByText('500 of 1,000').waitFor()
  const bar = dialog.getByRole('progressbar', { name: 'Blocking numbers' })
  assert.equal(await bar.getAttribute('aria-valuenow'), '50')
  assert.equal(await dialog.getByRole('status').textContent(), 'Blocking numbers 50%')
  await page.keyboard.press('Escape')
  await bar.waitFor()
  await page.evaluate('history.back()')
  await page.getByRole('dialog', { name: 'Leave during the import?' }).waitFor()
  assert.deepEqual(await findSeriousFaults(page, '[role=dialog]'), [])
  await page.getByRole('button', { name: 'Stay' }).click()
  secondBatch.resolve()
  await dialog.getByText('Stopped. 500 recipients are blocked.').waitFor()
  assert.equal(await total(), 502)
  await page.unroute('**/blocked.import?batch=1')
  await dialog.getByRole('button', { name: 'Check lines' }).click()
  await dialog.getByRole('button', { name: 'Block 500 recipients' }).click()
  await dialog.getByText('500 recipients blocked.', { exact: true }).waitFor()
  assert.equal(await total(), 1_002)
})

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
  const log = await world.ask<{ action: string; before: { reason: string } | null }>(
    'select action, before from audit_log where workspace_id = $1 order by id',
    [workspaceId],
  )
  assert.deepEqual(
    log.map(({ action }) => action),
    ['recipient.blocked', 'recipient.unblocked'],
  )
  assert.equal(log[1]?.before?.reason, 'abusive')
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
  const [admin, member] = [await signIn(world, 'admin'), await signIn(world, 'member')]
  const wrong = [{ phone: '0612345678' }, { phone: '' }, { phone: newPhone(), reason: 'x'.repeat(201) }]
  for (const each of wrong) {
    await assert.rejects(admin.calls.blocked.add.mutate({ workspaceId, ...each }), /Some fields are not valid/)
  }
  const lines = Array.from({ length: 501 }, (_, n) => ({ line: n + 1, phone: newPhone(), reason: '' }))
  await assert.rejects(admin.calls.blocked.import.mutate({ workspaceId, lines }), /Some fields are not valid/)
  const mine = { workspaceId, phone: newPhone() }
  await assert.rejects(member.calls.blocked.add.mutate(mine), /requires the role admin/)
  await assert.rejects(member.calls.blocked.remove.mutate(mine), /requires the role admin/)
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
