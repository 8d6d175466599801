import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

const axe = await readFile(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

type Violation = { id: string; impact: string; help: string; nodes: { html: string }[] }

/** Serious violations that axe finds on the page. */
export async function findSeriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const violations = await page.evaluate(async () => {
    const { run } = Reflect.get(globalThis, 'axe') as { run: () => Promise<{ violations: Violation[] }> }
    return (await run()).violations
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html}`)
}
