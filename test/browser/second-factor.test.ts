import { test } from 'node:test'
import { openPage } from './browser.ts'
import { PASSWORD, signInWithPassword } from '../world/dashboard.ts'
import { CODE_PERIOD_MS, totp } from '../world/sign-in-calls.ts'
import { startWorld } from '../world/world.ts'

test('a second factor is set up with an app and required at sign-in', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'member')
  const page = await openPage(t, world, { as: person, at: 'account' })
  await page.getByRole('button', { name: 'Turn on two-factor authentication' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Current password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Next' }).click()
  await dialog.getByRole('img', { name: /QR code/ }).waitFor()
  const secret = ((await dialog.getByText(/^[A-Z2-7]{4} /).textContent()) ?? '').replaceAll(' ', '')
  const uri = `otpauth://totp/Doorcode?secret=${secret}`
  await dialog.getByLabel('6-digit code from the app').fill('000000')
  await dialog.getByRole('button', { name: 'Turn on', exact: true }).click()
  await dialog.getByText('Wrong code').waitFor()
  await dialog.getByLabel('6-digit code from the app').fill(totp(uri))
  // The codes are shown once: Escape must not close the dialog, not even at the moment when they appear.
  await page.evaluate(`new MutationObserver((_, observer) => {
    if (!/\\b\\w{5}-\\w{5}\\b/.test(document.querySelector('[role=dialog]').textContent)) return
    observer.disconnect()
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  }).observe(document.body, { childList: true, subtree: true })`)
  await dialog.getByRole('button', { name: 'Turn on', exact: true }).click()
  await dialog.getByText(/^[\w]{5}-[\w]{5}/).waitFor()
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'I have saved them' }).click()
  await page.getByRole('button', { name: 'Generate new backup codes' }).waitFor()

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.waitForURL(/\/sign-in/, { waitUntil: 'commit' })
  await page.goto(`/dashboard/w/${world.workspaceId}/people`)
  await page.waitForURL('**/sign-in?*')
  await page.getByLabel('Email address').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Authenticator code').waitFor() // a code that was computed before may be too old for the server
  await page.getByLabel('Authenticator code').fill(totp(uri, Date.now() + CODE_PERIOD_MS))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`**/w/${world.workspaceId}/people`, { waitUntil: 'commit' })
})
