import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

const axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

type Violation = { id: string; impact: string; help: string; nodes: { html: string }[] }

/** The goal of each page: targets of at least 24 px, or with as much space around them. Axe does not check this by default. */
const RULES = { 'target-size': { enabled: true } }

/** Serious violations that axe finds on the page, or within the elements of a selector. */
export async function findSeriousFaults(page: Page, within = 'html'): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe)
  const options = { resultTypes: ['violations'], rules: RULES }
  const violations = await page.evaluate(
    async ([within, options]) => {
      type Axe = { run: (within: string, options: object) => Promise<{ violations: Violation[] }> }
      return (await (Reflect.get(globalThis, 'axe') as Axe).run(within, options)).violations
    },
    [within, options] as const,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html}`)
}
