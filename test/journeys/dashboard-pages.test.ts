import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { SECTIONS } from '../../dashboard/ui/sections.ts'
import { closeBrowser, openPage } from '../browser.ts'
import { codAccount } from '../cod.ts'
import { type SignedIn, signedIn } from '../dashboard.ts'
import { type World, startWorld } from '../world.ts'

after(closeBrowser)

const axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

type Violation = { id: string; impact: string; help: string; nodes: { html: string }[] }

/** What an expert reader of accessibility finds seriously wrong with the page as it is. */
async function seriousFaults(page: Awaited<ReturnType<typeof openPage>>): Promise<string[]> {
  await page.evaluate(axe)
  const violations = await page.evaluate(async () => {
    const { run } = Reflect.get(globalThis, 'axe') as { run: () => Promise<{ violations: Violation[] }> }
    return (await run()).violations
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html}`)
}

/** A workspace in which every page has something to show. */
async function furnish(world: World): Promise<{ paths: string[] }> {
  await world.codSettings()
  const receiver = await world.receiver()
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent', 'delivered', 'read'])
  const { confirmationId } = await world.createConfirmation()
  await world.settled()
  const of = `/dashboard/w/${world.workspaceId}`
  const sections = SECTIONS.filter((section) => !('sandboxOnly' in section)).map(({ to }) =>
    to.replace('/w/$workspaceId', of),
  )
  return {
    paths: [
      ...sections,
      `${of}/messages/${otp.messageId}`,
      `${of}/confirmations/${confirmationId}`,
      `${of}/endpoints/${receiver.endpointId}`,
      `${of}/templates/new`,
      `${of}/templates/${world.account.accountId}/order_confirmation/ar`,
      `${of}/account`,
      '/dashboard/new-workspace',
    ],
  }
}

const LOOKS = [
  { language: 'en', width: 1280, colours: 'light' },
  { language: 'ar', width: 360, colours: 'dark' },
] as const

for (const look of LOOKS) {
  test(`no page has a serious fault of accessibility or is wider than the screen: ${Object.values(look).join(', ')}`, async (t) => {
    const world = await startWorld(t, { account: codAccount() })
    const { paths } = await furnish(world)
    const page = await openPage(t, world, { as: await owner(world), ...look })
    const faults: Record<string, string[]> = {}
    for (const path of paths) {
      await page.goto(path)
      await page.locator('h1').first().waitFor()
      await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
      const found = await seriousFaults(page)
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      if (overflow > 0) found.push(`is ${overflow} px wider than the screen`)
      if (found.length > 0) faults[path.replace(world.workspaceId, '…')] = found
    }
    assert.deepEqual(faults, {})
  })
}

test('no page of a workspace shows anything of it to a stranger, and each answers like a missing one', async (t) => {
  const world = await startWorld(t, { account: codAccount() })
  const { paths } = await furnish(world)
  const page = await openPage(t, world, { as: await signedIn(world, 'stranger') })
  for (const path of paths.filter((each) => each.includes(world.workspaceId))) {
    await page.goto(path)
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  }
})

const owner = (world: World): Promise<SignedIn> => signedIn(world, 'owner')
