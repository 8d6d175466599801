import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { freePort } from '../programs/program.ts'
import { PASSWORD, signIn } from '../world/dashboard.ts'
import { numberOf, startSandbox, stopMonthHalfWay } from '../world/sandbox.ts'
import { waitFor } from '../world/wait-for.ts'
import { type World, startWorld } from '../world/world.ts'
import { findSeriousFaults } from './accessibility.ts'
import { openPage } from './browser.ts'

const CUSTOMER = '+212661002001'

/** A node that is reached at its public URL, as its own test receiver must be, next to the world's emulator. */
async function startNode(world: World): Promise<{ url: string }> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = { DOORCODE_EMULATOR_PORT: new URL(world.emulator.url).port, DOORCODE_PUBLIC_URL: url }
  await world.node({ port, settings })
  return { url }
}

test('a new sandbox goes from one click to a confirmed order whose webhook the receiver verified', async (t) => {
  const world = await startWorld(t)
  const node = await startNode(world)
  const owner = await signIn(world, 'owner')
  const page = await openPage(t, { first: node }, { as: owner })
  await page.goto('/dashboard/new-workspace')
  await page.getByLabel('Name', { exact: true }).fill('Try it')
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await page.getByRole('heading', { level: 1, name: 'Quickstart' }).waitFor()
  assert.deepEqual(await findSeriousFaults(page), [])
  await page.getByRole('button', { name: 'Set up and begin' }).click()

  const request = page.getByRole('region', { name: 'Request from your backend' })
  await request.getByRole('button', { name: 'Send this request' }).click()
  const phone = page.getByRole('region', { name: `The phone of ${CUSTOMER}` })
  await isAt(page, 'Answer on the phone')
  await phone.getByRole('button', { name: 'Confirm', exact: true }).click()
  const webhook = page.getByRole('region', { name: 'Webhook to your backend' })
  await webhook.getByText('The receiver verified the signature').waitFor()
  await webhook.getByText('cod.confirmed').waitFor()
  await webhook.getByRole('button', { name: 'Show the request and the response' }).click()
  await webhook.getByText('{"verified":true}').waitFor()
  await page.getByText('The customer confirmed the order. Your endpoint has verified the webhook').waitFor()
  await page.getByRole('link', { name: 'The webhook is verified' }).click()
  await waitFor('the webhook to be in sight', () =>
    page.evaluate<boolean>("document.getElementById('webhook').getBoundingClientRect().bottom < innerHeight"),
  )
  assert.deepEqual(await findSeriousFaults(page), [])

  await sendFromTerminal(page, node)
  await phone.getByText('A-2002').first().waitFor()
  await isAt(page, 'Answer on the phone')
  await findAgain(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await waitFor(
    'a page without sideways scrolling',
    async () => (await page.evaluate('document.documentElement.scrollWidth <= innerWidth')) || undefined,
  )
})

const isAt = (page: Page, step: string): Promise<void> =>
  page.locator('[aria-current=step]', { hasText: step }).waitFor()

/** With the key and the sender that the page shows. */
async function sendFromTerminal(page: Page, node: { url: string }): Promise<void> {
  await page.getByRole('tab', { name: 'curl' }).click()
  const curl = await page.getByRole('tabpanel').locator('pre').innerText()
  const [apiKey = ''] = /dck_[a-z2-7]{12}_[\w-]{43}/.exec(curl) ?? []
  const body = /-d '(.*)'$/s.exec(curl)?.[1]?.replaceAll(/A-\d{4}/g, 'A-2002')
  assert.ok(apiKey && body, curl)
  for (const language of ['PHP', 'Node.js', 'Python']) {
    await page.getByRole('tab', { name: language }).click()
    await page.getByRole('tabpanel').getByText(apiKey).waitFor()
  }
  const stored = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
  assert.ok(!stored.includes('dck_'), 'the browser stores no key')
  const response = await fetch(`${node.url}/api/v1/cod-confirmations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body,
  })
  assert.equal(response.status, 202, await response.text())
}

/** By the menu; the key is gone. */
async function findAgain(page: Page): Promise<void> {
  const menu = page.getByRole('navigation', { name: 'Menu' })
  await menu.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await menu.getByRole('link', { name: 'Quickstart' }).click()
  await isAt(page, 'Answer on the phone')
  await page.getByRole('button', { name: 'Create a key' }).waitFor()
  assert.ok(!(await page.innerText('main')).includes('dck_'))
}

test('while a demo month is made the button waits and says why; then the page says how each order ended', async (t) => {
  const world = await startSandbox(t)
  await world.receiver()
  const end = await stopMonthHalfWay(world)
  const page = await openPage(t, world, { as: await signIn(world, 'admin') })
  const { workspaceId } = world
  const chat = new URLSearchParams({ phone: CUSTOMER, number: numberOf(world) })
  await page.goto(`/dashboard/w/${workspaceId}/phone?${chat.toString()}`)
  const waits = page.getByText('The demo month is being made: 40%. You can send in a moment')
  await waits.waitFor()
  assert.ok(await page.getByRole('button', { name: `Send to ${CUSTOMER}` }).isDisabled())
  await page.goto(`/dashboard/w/${workspaceId}/quickstart`)
  await waits.waitFor()
  const send = page.getByRole('button', { name: 'Send this request' })
  assert.ok(await send.isDisabled())
  await end()
  await send.click()

  const phone = page.getByRole('region', { name: `The phone of ${CUSTOMER}` })
  await phone.getByRole('button', { name: 'Change time' }).click()
  await page.getByText('Choose a day and then a time on the phone.').waitFor()
  await page.getByText('It is sent when the customer has chosen a day and a time.').waitFor()
  await isAt(page, 'Answer on the phone')
  await phone.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByText('The customer cancelled the order.').waitFor()
  await isAt(page, 'The webhook is verified')
  await send.click()
  await waitFor('a question about another order', async () => {
    const numbers = (await phone.innerText()).match(/A-\d{4}/g)
    return new Set(numbers).size === 2
  })
})

test('an admin who signs up comes to the quickstart of the sandbox, and walks it with the keyboard alone', async (t) => {
  const world = await startWorld(t)
  const node = await startNode(world)
  const { calls } = await signIn(world, 'owner')
  const { workspaceId } = await calls.workspaces.create.mutate({ name: 'Atlas', sandbox: true })
  const invited = { workspaceId, email: `sara-${process.pid}@atlas.example`, role: 'admin' as const }
  const { token } = await calls.people.invite.mutate(invited)
  const page = await openPage(t, { first: node }, { language: 'fr' })
  await page.goto(`/dashboard/welcome#${token}`)
  await page.getByLabel('Votre nom').waitFor() // it has the focus
  await page.keyboard.type('Sara')
  await tabTo(page, page.getByRole('textbox', { name: 'Mot de passe' }))
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')

  await press(page, page.getByRole('button', { name: 'Préparer et commencer' }))
  await press(page, page.getByRole('button', { name: 'Envoyer cette requête' }))
  const phone = page.getByRole('region', { name: CUSTOMER })
  await press(page, phone.getByRole('button', { name: /^Confirm/ }))
  await page.getByText('Le récepteur a vérifié la signature').waitFor()
  await press(page, page.getByRole('button', { name: 'Afficher la requête et la réponse' }))
  await page.getByText('{"verified":true}').waitFor()
})

/** More than a page has before its last button. */
const MAX_TABS = 80

/** Moves the focus as a person without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    if ((await target.and(page.locator(':focus')).count()) === 1) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`the keyboard does not come to ${String(target)}`)
}

async function press(page: Page, button: Locator): Promise<void> {
  await tabTo(page, button)
  await page.keyboard.press('Enter')
}
