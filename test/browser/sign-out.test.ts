import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage } from './browser.ts'
import { PASSWORD, signIn, signInWithPassword } from '../world/dashboard.ts'
import { startWorld } from '../world/world.ts'

test('a sign-out that fails says so, and the person stays signed in', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signIn(world, 'member'), at: 'messages' })
  let isReachable = false
  await page.route('**/auth/sign-out', (route) => (isReachable ? route.continue() : route.abort()))
  const signOut = async () => {
    await page.locator('[data-account]').click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }
  await signOut()
  await page.getByText('Doorcode is not responding.').waitFor()
  assert.match(page.url(), /messages$/)
  isReachable = true
  await signOut()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('the page of another person’s invitation says that a sign-out failed, and signs out at the next try', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [owner, invited] = [await signIn(world, 'owner'), await signIn(world, 'stranger')]
  const { token } = await owner.calls.people.invite.mutate({ workspaceId, email: invited.email, role: 'member' })
  const page = await openPage(t, world, { as: owner })
  await page.goto(`/dashboard/welcome#${token}`)
  await page.route('**/auth/sign-out', (route) => route.abort())
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('Doorcode is not responding.').waitFor()
  await page.unroute('**/auth/sign-out')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('textbox', { name: 'Password' }).waitFor()
})

test('a sign-in whose cookie the browser drops for lack of TLS says so, and where to sign in', async (t) => {
  const world = await startWorld(t)
  const { email } = await signInWithPassword(world, 'member')
  const secure = await world.node({ settings: { DOORCODE_PUBLIC_URL: 'https://doorcode.example' } })
  const page = await openPage(t, { first: secure })
  // on another machine's address, since Chromium keeps secure cookies on this machine's
  await page.route('http://10.0.0.8/**', async (route) => {
    const { pathname } = new URL(route.request().url())
    const headers = { ...route.request().headers(), origin: secure.url }
    await route.fulfill({ response: await route.fetch({ url: secure.url + pathname, headers }) })
  })
  const submit = async (): Promise<void> => {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: false }).first().fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await page.goto('http://10.0.0.8/dashboard/sign-in')
  await submit()
  await page.getByText('only over HTTPS. Open https://doorcode.example instead').waitFor()
  await page.goto('/dashboard/sign-in')
  await submit()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

test('a page leads to the sign-in when its session has ended elsewhere', async (t) => {
  const world = await startWorld(t)
  const member = await signIn(world, 'member')
  const page = await openPage(t, world, { as: member })
  await page.goto(`/dashboard/w/${world.workspaceId}/nothing`) // the session is all that this page asks for
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await world.query('delete from auth."session" where "userId" = $1', [member.userId])
  await page.evaluate(`{
    const now = Date.now
    Date.now = () => now() + 60_000
    window.dispatchEvent(new Event('visibilitychange'))
  }`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('a form whose session has ended keeps its text until the person has signed in again', async (t) => {
  const world = await startWorld(t)
  const owner = await signIn(world, 'owner')
  const page = await openPage(t, world, { as: owner, at: 'settings' })
  const rename = page.getByRole('button', { name: 'Rename' })
  await page.getByLabel('Name', { exact: true }).fill('Rosa')
  await world.query('delete from auth."session" where "userId" = $1', [owner.userId])
  await rename.click()
  const opened = page.waitForEvent('popup')
  await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).click()
  const other = await opened
  await other.getByRole('textbox', { name: 'Email' }).fill(owner.email)
  await other.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await other.close()
  await rename.click()
  await page.getByRole('combobox', { name: 'Workspace' }).getByText('Rosa').waitFor({ state: 'attached' })
})
