import type { Page } from 'playwright-core'

/** Moves as a link does, without a page load: the router follows the history. */
export async function openWithin(page: Page, path: string): Promise<void> {
  const leave = "document.querySelector('h1')?.setAttribute('data-left', '')"
  await page.evaluate(`${leave}; history.pushState({}, '', ${JSON.stringify(path)})`)
  await isComplete(page)
}

export async function isComplete(page: Page): Promise<void> {
  await page.locator('h1:not([data-left])').first().waitFor()
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
}
