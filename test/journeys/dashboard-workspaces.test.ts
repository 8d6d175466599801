import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { DAY_MS, later } from '../../src/clock.ts'
import { createWorkspace } from '../../src/workspaces/workspaces.ts'
import { openPage } from '../browser.ts'
import { type SignedIn, signIn } from '../dashboard.ts'
import { type World, startWorld } from '../world.ts'

const usageOf = async ({ workspaceId }: World, { calls }: SignedIn, kind: string) =>
  (await calls.workspaces.usage.query({ workspaceId })).kinds.find((each) => each.kind === kind)

test('an owner creates, switches and deletes workspaces, and cancels a deletion', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [owner, member] = [await signIn(world, 'owner'), await signIn(world, 'member')]
  const page = await openPage(t, world, { as: owner })
  const settings = page.getByRole('link', { name: 'Settings and quotas' })
  await page.goto(`/dashboard/w/${workspaceId}/settings`)
  await page.getByRole('link', { name: 'New workspace' }).click()
  await page.getByRole('heading', { name: 'New workspace' }).waitFor() // the previous page has a field of the same name
  await page.getByLabel('Name').fill('Rosa tests')
  await page.getByRole('radio', { name: /Sandbox/ }).check()
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await page.waitForURL(/overview/)
  await settings.click()
  await page.getByRole('heading', { name: 'Monthly quotas' }).waitFor()
  const [made] = await world.ask<{ id: string; sandbox: boolean; role: string }>(
    `select w.id, w.sandbox, m.role from workspaces w join members m on m.workspace_id = w.id
     where w.name = 'Rosa tests' and m.user_id = $1`,
    [owner.userId],
  )
  assert.deepEqual([made?.sandbox, made?.role], [true, 'owner'])
  await page.getByText(made?.id ?? '').waitFor()
  const choice = page.getByRole('combobox', { name: 'Workspace' })
  await choice.selectOption({ label: 'Test shop' })
  await page.waitForURL(`**/w/${workspaceId}/settings`)
  await choice.selectOption({ label: 'Rosa tests' })
  await page.waitForURL(`**/w/${made?.id}/settings`)

  const dialog = page.getByRole('dialog')
  const remove = { name: 'Delete workspace' }
  await page.getByRole('button', remove).click()
  await dialog.getByLabel('Type Rosa tests to confirm').fill('Rosa')
  assert.ok(await dialog.getByRole('button', remove).isDisabled())
  await dialog.getByLabel('Type Rosa tests to confirm').fill('Rosa tests')
  await dialog.getByRole('button', remove).click()
  await page.waitForURL(`**/w/${workspaceId}/overview`)
  await page.getByText('“Rosa tests” was deleted.').waitFor()
  assert.equal((await owner.calls.session.current.query())?.workspaces.length, 1)

  await settings.click()
  await page.getByRole('button', remove).click()
  await dialog.getByLabel('Type Test shop to confirm').fill('Test shop')
  await dialog.getByRole('button', remove).click()
  await page.getByText(`Requested by ${owner.email}.`).waitFor()
  assert.equal(await page.getByRole('button', remove).count(), 0)
  const readOnly = await openPage(t, world, { as: member })
  await readOnly.goto(`/dashboard/w/${workspaceId}/messages`)
  await readOnly.getByText('An owner can cancel the deletion.').waitFor()
  assert.equal(await readOnly.getByRole('button', { name: 'Cancel deletion' }).count(), 0)
  await page.getByRole('button', { name: 'Cancel deletion' }).click()
  await page.getByText('Deletion cancelled.').waitFor()
  await readOnly.getByText('An owner can cancel the deletion.').waitFor({ state: 'detached' })
})

test('an owner downloads and erases a recipient’s data, and an admin cannot', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [owner, admin] = [await signIn(world, 'owner'), await signIn(world, 'admin')]
  const otp = await world.sendOtp()
  await world.settled()
  const phone = otp.to
  const page = await openPage(t, world, { as: owner })
  await page.goto(`/dashboard/w/${workspaceId}/settings`)
  const section = page.getByRole('region', { name: 'A recipient’s data' })
  const find = async (text: string) => {
    await section.getByLabel('Phone number').fill(text)
    await section.getByRole('button', { name: 'Find' }).click()
  }
  await find(phone.replace('+', '00'))
  await section
    .getByText(`Phone number must be in international format: write it as ${phone}, not ${phone.replace('+', '00')}.`)
    .waitFor()
  await find(phone)
  await section.getByText('1 one-time code').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    section.getByRole('button', { name: 'Download as JSON' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'recipient.json')
  const file = JSON.parse(await text(await download.createReadStream())) as { phone: string; oneTimeCodes: unknown[] }
  assert.deepEqual([file.phone, file.oneTimeCodes.length], [phone, 1])

  const dialog = page.getByRole('dialog', { name: `Erase everything about ${phone}?` })
  const erase = async () => {
    await section.getByRole('button', { name: 'Erase…' }).click()
    const yes = dialog.getByRole('button', { name: 'Erase for good' })
    assert.ok(await yes.isDisabled(), 'it asks for the number')
    await dialog.getByLabel(`Type ${phone} to confirm`).fill(phone)
    await yes.click()
  }
  await erase()
  await section.getByText('1 message and everything that belongs to it were erased.').waitFor()
  assert.notEqual((await world.getOtp(otp)).to, phone)
  await find(phone)
  await section.getByText(`This workspace holds no messages and no block for ${phone}.`).waitFor()
  await erase()
  await section.getByText(`Nothing else was held about ${phone}.`).waitFor()
  const { entries } = await owner.calls.auditLog.list.query({ workspaceId, action: 'recipient.erased' })
  assert.equal(entries.length, 1)

  const readOnly = await openPage(t, world, { as: admin })
  await readOnly.goto(`/dashboard/w/${workspaceId}/settings`)
  await readOnly.getByRole('heading', { name: 'Monthly quotas' }).waitFor()
  assert.equal(await readOnly.getByRole('region', { name: 'A recipient’s data' }).count(), 0)
  await assert.rejects(admin.calls.recipients.find.mutate({ workspaceId, phone }), /requires the role owner/)
})

test('only owners and operators can create a workspace', async (t) => {
  const world = await startWorld(t)
  const [admin, operator] = [await signIn(world, 'admin'), await signIn(world, 'operator')]
  const input = { name: 'Another', sandbox: false }
  assert.equal(await admin.calls.workspaces.mayCreate.query(), false)
  await assert.rejects(admin.calls.workspaces.create.mutate(input), /Only operators and owners/)
  const { workspaceId } = await operator.calls.workspaces.create.mutate(input)
  const { name, sandbox } = await operator.calls.workspaces.get.query({ workspaceId })
  assert.deepEqual({ name, sandbox }, input)
})

test('an admin renames the workspace, a member cannot, and the log has both names', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [admin, member] = [await signIn(world, 'admin'), await signIn(world, 'member')]
  await assert.rejects(member.calls.workspaces.rename.mutate({ workspaceId, name: 'Mine' }), /requires the role admin/)
  await assert.rejects(admin.calls.workspaces.rename.mutate({ workspaceId, name: '  ' }), /Some fields are not valid/)
  await admin.calls.workspaces.rename.mutate({ workspaceId, name: ' Rosa ' })
  assert.equal((await member.calls.workspaces.get.query({ workspaceId })).name, 'Rosa')
  const [entry] = await world.ask(
    `select who, before, after from audit_log where workspace_id = $1 and action = 'workspace.renamed'`,
    [workspaceId],
  )
  assert.deepEqual(entry, { who: admin.email, before: { name: 'Test shop' }, after: { name: 'Rosa' } })
})

test('only an owner sets a quota, which applies to the next request', async (t) => {
  const world = await startWorld(t, { otpQuota: 1 })
  const { workspaceId } = world
  const [admin, owner] = [await signIn(world, 'admin'), await signIn(world, 'owner')]
  const post = async () => (await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })).status
  assert.deepEqual([await post(), await post()], [202, 429])
  assert.deepEqual((await usageOf(world, admin, 'otp'))?.forecast, { will: 'is_out' })
  const input = { workspaceId, kind: 'otp' as const, monthlyUnits: 2 }
  await assert.rejects(admin.calls.workspaces.setQuota.mutate(input), /requires the role owner/)
  await owner.calls.workspaces.setQuota.mutate(input)
  assert.deepEqual([await post(), await post()], [202, 429])
  for (const monthlyUnits of [-1, 1.5, 2_147_483_648]) {
    await assert.rejects(
      owner.calls.workspaces.setQuota.mutate({ ...input, monthlyUnits }),
      /Some fields are not valid/,
    )
  }
})

test('the forecast uses each kind’s units of the last seven days', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const member = await signIn(world, 'member')
  await world.codSettings()
  const now = world.clock.now()
  const noonOfTheFirst = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 12))
  await showsTime(world, noonOfTheFirst)
  for (let each = 0; each < 4; each += 1) await world.sendOtp()
  const order = await world.createConfirmation()
  await world.settled()
  await world.customer(order).taps('Confirm')
  await world.startRefusalCheck(order)
  assert.equal((await usageOf(world, member, 'otp'))?.forecast.will, 'is_too_early')
  const noonOfTheThird = later(noonOfTheFirst, 2 * DAY_MS)
  await showsTime(world, noonOfTheThird)
  await world.ask(`update quotas set monthly_units = 8 where workspace_id = $1 and kind = 'otp'`, [workspaceId])
  await world.ask(`update quotas set monthly_units = 2 where workspace_id = $1 and kind like 'cod%'`, [workspaceId])
  const runsOutInDays = async (kind: string): Promise<number | undefined> => {
    const usage = await usageOf(world, member, kind)
    if (usage?.forecast.will !== 'runs_out') return undefined
    return Math.round((Date.parse(usage.forecast.at) - noonOfTheThird.getTime()) / DAY_MS)
  }
  for (const kind of ['otp', 'cod_confirmation', 'cod_refusal']) assert.equal(await runsOutInDays(kind), 2, kind)
})

test('a sandbox’s month follows its own clock', async (t) => {
  const world = await startWorld(t)
  const operator = await signIn(world, 'operator')
  const { workspaceId } = await createWorkspace(world.parts, { name: 'Sandbox', sandbox: true })
  const monthOf = async (): Promise<string> => (await operator.calls.workspaces.usage.query({ workspaceId })).month
  const now = world.clock.now()
  const present = await monthOf()
  const toNext = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime()
  await world.ask('update workspaces set clock_offset_ms = $2 where id = $1', [workspaceId, toNext + 60_000])
  const following = await monthOf()
  assert.ok(following > present)
  assert.equal(following.slice(8), '01')
})

/** A sandbox with a moved clock; its stored times are in its own time. */
async function showsTime(world: World, at: Date): Promise<void> {
  const offset = at.getTime() - world.clock.now().getTime()
  await world.ask('update workspaces set sandbox = true, clock_offset_ms = $2 where id = $1', [
    world.workspaceId,
    offset,
  ])
}
