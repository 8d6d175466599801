import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { startWorld } from '../world/world.ts'

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
  await page.waitForURL(/quickstart/)
  await settings.click()
  await page.getByRole('heading', { name: 'Monthly quotas' }).waitFor()
  const [made] = await world.query<{ id: string; sandbox: boolean; role: string }>(
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
  const readOnly = await openPage(t, world, { as: member, at: 'messages' })
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
  const otp = await world.submitOtp()
  const phone = otp.to
  const page = await openPage(t, world, { as: owner, at: 'settings' })
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

  const readOnly = await openPage(t, world, { as: admin, at: 'settings' })
  await readOnly.getByRole('heading', { name: 'Monthly quotas' }).waitFor()
  assert.equal(await readOnly.getByRole('region', { name: 'A recipient’s data' }).count(), 0)
  await assert.rejects(admin.calls.recipients.find.mutate({ workspaceId, phone }), /requires the role owner/)
})

/** A person with two workspaces, of which the first has sent to a number and blocked it, and how to go to the second. */
async function openOfTwo(t: TestContext) {
  const world = await startWorld(t)
  const owner = await signIn(world, 'owner')
  const other = await owner.calls.workspaces.create.mutate({ name: 'Other shop', sandbox: true })
  const { to } = await world.submitOtp()
  await owner.calls.blocked.add.mutate({ workspaceId: world.workspaceId, phone: to })
  const page = await openPage(t, world, { as: owner })
  const switchFrom = async (section: string) => {
    await page.getByRole('combobox', { name: 'Workspace' }).selectOption(other.workspaceId)
    await page.locator(`nav a[href$="/w/${other.workspaceId}/${section}"]`).waitFor()
  }
  return { page, to, workspaceId: world.workspaceId, other: other.workspaceId, switchFrom }
}

test('a recipient found in one workspace cannot be erased in the next', async (t) => {
  const { page, to, workspaceId, other, switchFrom } = await openOfTwo(t)
  await page.goto(`/dashboard/w/${workspaceId}/settings`)
  const section = page.getByRole('region', { name: 'A recipient’s data' })
  await section.getByLabel('Phone number').click()
  await page.keyboard.type(to)
  await page.keyboard.press('Enter')
  await section.getByRole('button', { name: 'Erase…' }).waitFor()
  await switchFrom('settings')
  await page.getByText(other).waitFor()
  assert.equal(await section.getByRole('button', { name: 'Erase…' }).count(), 0)
  assert.equal(await section.getByLabel('Phone number').inputValue(), '')
})

test('a list never shows the rows of the former workspace', async (t) => {
  const { page, to, workspaceId, other, switchFrom } = await openOfTwo(t)
  await page.goto(`/dashboard/w/${workspaceId}/blocked`)
  const row = page.getByRole('row').filter({ hasText: to })
  await row.waitFor()
  const held = Promise.withResolvers<void>()
  await page.route('**/blocked.list*', async (route) => {
    if (route.request().postData()?.includes(other)) await held.promise
    await route.continue()
  })
  await switchFrom('blocked')
  await page.getByRole('main').locator('[aria-busy=true]').waitFor()
  assert.equal(await row.count(), 0)
  held.resolve()
})

test('a workspace that a long list leaves out opens by its address, and is renamed', async (t) => {
  const world = await startWorld(t)
  const owner = await signIn(world, 'owner')
  const { workspaceId } = await owner.calls.workspaces.create.mutate({ name: 'zz of many', sandbox: false })
  const others = await world.query<{ id: string }>(
    `with made as (insert into workspaces (id, name, sandbox, created_at)
       select gen_random_uuid(), 'one of many', false, now() from generate_series(1, 200) returning id)
     insert into members (workspace_id, user_id, role, created_at) select id, $1, 'owner', now() from made
     returning workspace_id as id`,
    [owner.userId],
  )
  const ids = others.map(({ id }) => id)
  t.after(() => world.query('delete from members where workspace_id = any($1)', [ids]))
  t.after(() => world.query('delete from workspaces where id = any($1)', [ids]))
  const page = await openPage(t, world, { as: owner })
  await page.goto(`/dashboard/w/${workspaceId}/settings`)
  const chosen = page.getByRole('combobox', { name: 'Workspace' }).getByRole('option', { selected: true })
  assert.equal(await chosen.textContent(), 'zz of many')
  await page.getByLabel('Name', { exact: true }).fill('zz renamed')
  await page.getByRole('button', { name: 'Rename' }).click()
  await chosen.and(page.getByText('zz renamed')).waitFor({ state: 'attached' })
})
