import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { readResources, translatorOf } from '../../locales/resources.ts'
import type { Language, PlainCode } from '../../locales/text.ts'
import { createLink, createSetupLink } from '../../src/admin/auth/links.ts'
import { eventTypes } from '../../src/events/event-types.ts'
import { openPage, openWithin } from './browser.ts'
import { isComplete } from './chromium.ts'
import { signIn } from '../world/dashboard.ts'
import { waitFor } from '../world/wait-for.ts'
import { type World, newPhone, startWorld } from '../world/world.ts'

/** One is enough: every language has every text (test/guards/locales.test.ts), so a key is shown in all languages or in none. */
const LANGUAGE: Language = 'ar'

const ROOT = path.resolve(import.meta.dirname, '../..')
const ENGLISH = readResources('en')

/** Keys of texts, such as `http.must_not_be_empty`. An event type may look like one. */
function keysIn(text: string): string[] {
  const words = text.match(/\b[a-z][a-z_]*\.[a-z0-9_]+/g) ?? []
  return words.filter((word) => {
    if (word in eventTypes) return false
    const [namespace = '', key = ''] = word.split('.')
    const texts = ENGLISH[namespace] ?? {}
    return key in texts || `${key}_one` in texts || `${key}_other` in texts
  })
}

/** Empties the fields of all forms and submits each, past the browser's own checks. */
const SUBMIT_EMPTY = `(() => {
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
  const area = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set
  const forms = [...document.querySelectorAll('form')]
  for (const form of forms) {
    form.noValidate = true
    for (const field of form.querySelectorAll('input:not([type=radio]):not([type=checkbox]), textarea')) {
      if (field.readOnly || field.disabled || field.value === '') continue
      ;(field.tagName === 'TEXTAREA' ? area : set).call(field, '')
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }
    for (const box of form.querySelectorAll('input[type=checkbox]:checked')) box.click()
  }
  return new Promise((resolve) => requestAnimationFrame(() => {
    for (const form of forms) form.requestSubmit()
    resolve()
  }))
})()`

/** With the titles and placeholders, which \`innerText\` leaves out. */
const SHOWN = `[document.body.innerText, ...[...document.querySelectorAll('[aria-label],[title],[placeholder]')]
  .flatMap((each) => ['aria-label', 'title', 'placeholder'].map((name) => each.getAttribute(name) ?? ''))].join('\\n')`

/** Submits the forms that are open, and reads the page when they are rejected. `silent`: they ignore an empty submission. */
async function assertNoKeys(page: Page, where: string, { silent = false } = {}): Promise<void> {
  await page.locator('form').first().waitFor()
  const rejected = page.locator('[aria-invalid=true], [data-invalid=true], [data-error=true], [role=alert]')
  const loading = page.locator('form [data-loading=true]')
  await page.evaluate(SUBMIT_EMPTY)
  await waitFor(`${where}: a form to be rejected`, async () => {
    if ((await loading.count()) > 0) return false
    if (silent || (await rejected.count()) > 0) return true
    await page.evaluate(SUBMIT_EMPTY) // a form that the page showed later than another
    return false
  })
  assert.deepEqual(keysIn(await page.evaluate<string>(SHOWN)), [], where)
}

test('empty forms of signed-out pages show no key of a text', async (t) => {
  const world = await startWorld(t)
  await world.query('delete from operators')
  const { db, clock } = world.parts
  const member = await signIn(world, 'member')
  const invite = { purpose: 'invitation', workspaceId: world.workspaceId, role: 'member', createdBy: null } as const
  const at = clock.now()
  const tokens = [
    (await createSetupLink(world.parts))?.split('#')[1],
    (await createLink(db, { ...invite, email: 'new@shop.example', at })).token,
    (await createLink(db, { ...invite, email: member.email, at })).token,
    (await createLink(db, { purpose: 'password', email: member.email, endsSecondFactor: false, createdBy: null, at }))
      .token,
  ]
  const page = await openPage(t, world, { language: LANGUAGE })
  await page.goto('/dashboard/sign-in')
  await assertNoKeys(page, 'sign-in')
  for (const [index, token] of tokens.entries()) {
    await page.goto('about:blank') // otherwise only the fragment changes
    await page.goto(`/dashboard/welcome#${token}`)
    await assertNoKeys(page, `link ${index}`)
  }
})

test('a new account or password that a browser without TLS cannot sign in with says so, and where to sign in', async (t) => {
  const world = await startWorld(t)
  const first = await world.node({ settings: { DOORCODE_PUBLIC_URL: 'https://doorcode.example' } })
  const member = await signIn(world, 'member')
  const { db, clock } = world.parts
  const at = clock.now()
  const invitation = { purpose: 'invitation', workspaceId: world.workspaceId, role: 'member', createdBy: null } as const
  const invited = await createLink(db, { ...invitation, email: 'tls@shop.example', at })
  const reset = { purpose: 'password', email: member.email, endsSecondFactor: false, createdBy: null } as const
  const { token } = await createLink(db, { ...reset, at })
  const page = await openPage(t, { first }, { unused: true })
  // Chromium keeps secure cookies on this machine's own addresses; other browsers do not.
  await page.addInitScript(`Object.defineProperty(document, 'cookie', { get: () => '', set() {} })`)
  for (const [link, button] of [
    [invited.token, 'Create account'],
    [token, 'Set password and sign in'],
  ]) {
    await page.goto('about:blank')
    await page.goto(`/dashboard/welcome#${link}`)
    if (link === invited.token) await page.getByLabel('Your name').fill('Ana')
    await page.getByRole('textbox', { name: 'Password' }).fill('a long enough secret of mine')
    await page.getByRole('button', { name: button ?? '' }).click()
    await page.getByRole('alert').getByText('Open https://doorcode.example instead').waitFor()
  }
})

test('the summary of a form’s errors has the order of its fields', async (t) => {
  const world = await startWorld(t)
  await world.query('delete from operators')
  const page = await openPage(t, world)
  await page.goto(`/dashboard/welcome#${(await createSetupLink(world.parts))?.split('#')[1]}`)
  await page.getByRole('button', { name: 'Create account' }).click()
  const summary = page.getByRole('alert').filter({ hasText: '3 errors' })
  await summary.waitFor()
  const errors = await summary.getByRole('button').allInnerTexts()
  assert.deepEqual(
    errors.map((each) => each.split(' ')[0]),
    ['Your', 'Email', 'Password'],
  )
})

/** The forms of signed-in pages: the file that has the form, the page, the buttons that open it, and whether it is silent. */
const FORMS: readonly { file: string; page: string; opens?: readonly PlainCode[]; silent?: true }[] = [
  { file: 'cod-settings/languages.tsx', page: 'cod-settings?tab=texts', silent: true },
  { file: 'workspaces/settings.tsx', page: 'settings' },
  { file: 'workspaces/quotas.tsx', page: 'settings', opens: ['page_workspaces.change'], silent: true },
  { file: 'ui/dialog/confirm-dialog.tsx', page: 'senders', opens: ['page_senders.delete'], silent: true },
  { file: 'senders/account-card.tsx', page: 'senders', opens: ['page_senders.renew'] },
  { file: 'senders/connect.tsx', page: 'senders', opens: ['page_senders.connect', 'page_senders.emulator_other'] },
  { file: 'account/account.tsx', page: 'account' },
  { file: 'account/second-factor.tsx', page: 'account', opens: ['page_account.turn_on'] },
  { file: 'templates/new-template.tsx', page: 'templates/new' },
  { file: 'ui/dialog/confirm-dialog.tsx', page: 'template', opens: ['page_templates.remove'], silent: true },
  { file: 'blocked/blocked.tsx', page: 'blocked', opens: ['page_blocked.add'] },
  { file: 'workspaces/recipient-data.tsx', page: 'settings' },
  { file: 'hooks/hook-dialogs.tsx', page: 'hooks', opens: ['page_hooks.create'] },
  { file: 'keys/key-dialogs.tsx', page: 'keys', opens: ['page_keys.create'] },
  { file: 'endpoints/settings-form.tsx', page: 'endpoints', opens: ['page_endpoints.add'] },
  { file: 'endpoints/resend-events.tsx', page: 'endpoint', opens: ['page_endpoints.many'] },
  { file: 'people/dialogs.tsx', page: 'people', opens: ['page_people.invite'] },
  { file: 'phone/send.tsx', page: 'phone' },
  { file: 'workspaces/new-workspace.tsx', page: '/dashboard/new-workspace' },
]

/** The forms of signed-out pages, and what all forms are made with. */
const ELSEWHERE = ['session/welcome.tsx', 'session/sign-in.tsx', 'ui/form/server-form.tsx']

test('the table of forms names every file of the dashboard that has a form', async () => {
  const found: string[] = []
  for await (const file of glob('**/*.tsx', { cwd: path.join(ROOT, 'dashboard') }))
    if ((await readFile(path.join(ROOT, 'dashboard', file), 'utf8')).match(/<(form|ServerForm)\b/)) found.push(file)
  assert.deepEqual(found.sort(), [...new Set([...FORMS.map(({ file }) => file), ...ELSEWHERE])].sort())
})

test('empty forms of signed-in pages show no key of a text', async (t) => {
  const world = await startWorld(t, { sandbox: true, cod: {} })
  const { endpointId } = await world.receiver()
  await world.askToConfirm({ to: newPhone() })
  const owner = await signIn(world, 'owner')
  const place = placesIn(world, endpointId)
  const { t: text } = translatorOf(LANGUAGE)
  const page = await openPage(t, world, { as: owner, language: LANGUAGE })
  await page.goto(place('overview'))
  await isComplete(page)
  for (const { file, page: name, opens = [], silent } of FORMS) {
    await openWithin(page, place('system')) // closes the form before
    await openWithin(page, place(name))
    for (const code of opens)
      await page
        .getByRole('button', { name: text(code), disabled: false })
        .first()
        .click()
    await assertNoKeys(page, file, { silent: silent === true })
  }
})

const placesIn =
  ({ workspaceId, account }: World, endpointId: string) =>
  (name: string): string => {
    if (name.startsWith('/')) return name
    const paths: Record<string, string> = {
      endpoint: `endpoints/${endpointId}`,
      template: `templates/${account.accountId}/login_code/fr`,
    }
    return `/dashboard/w/${workspaceId}/${paths[name] ?? name}`
  }
