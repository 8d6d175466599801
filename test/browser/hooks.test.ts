import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSeriousFaults } from './accessibility.ts'
import { openPage } from './browser.ts'
import { signIn } from '../world/dashboard.ts'
import { postHook, supabaseBody, supabaseHeaders } from '../world/hooks.ts'
import { newPhone, startWorld } from '../world/world.ts'

test('an auth hook that is made on its page accepts codes, and its secret appears once', async (t) => {
  const world = await startWorld(t)
  Object.assign(world.parts.config, { publicUrl: world.first.url })
  const { workspaceId } = world
  const admin = await signIn(world, 'admin')
  const page = await openPage(t, world, { as: admin, at: 'hooks' })
  await page.getByRole('button', { name: 'Create auth hook' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create auth hook' }).click()
  await dialog.getByText('Choose at least one template.').first().waitFor()
  await dialog.getByLabel('Name').fill('Shop')
  await dialog.getByLabel('login_code (ar)').check()
  await dialog.getByLabel('login_code (en_US)').check()
  await dialog.getByRole('button', { name: 'Create auth hook' }).click()
  const secret =
    (await dialog
      .getByText(/^v1,whsec_/)
      .first()
      .textContent()) ?? ''
  const url =
    (await dialog
      .getByText(/\/hooks\//)
      .first()
      .textContent()) ?? ''
  assert.deepEqual(await findSeriousFaults(page, '[role=dialog]'), [])
  const phone = newPhone()
  const body = supabaseBody({ phone, code: '493817' })
  const answer = await postHook(url, body, supabaseHeaders(body, world.clock.now(), [secret]))
  assert.equal(answer.status, 200, answer.text)
  const stored = await world.query('select template_language from messages where workspace_id = $1', [workspaceId])
  assert.deepEqual(stored, [{ template_language: 'ar' }], 'the first one chosen is the fallback')
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.ok(!(await page.content()).includes(secret))

  await page.getByRole('button', { name: 'Actions for Shop' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete auth hook' }).click()
  await page.getByText('Auth hook deleted.').waitFor()
  const late = await postHook(url, body, supabaseHeaders(body, world.clock.now(), ['v1,whsec_AAAA']))
  assert.equal(late.status, 401)
})
