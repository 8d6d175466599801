import { readFile } from 'node:fs/promises'

/** The codes in the order of docs/api.md#order-of-checks. */
export async function inDocumentedOrder(codes: readonly string[]): Promise<string[]> {
  const text = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8')
  const [, checks = ''] = text.split(/<!-- \/?checks -->/)
  return Array.from(checks.matchAll(/`([A-Z_]+)`/g), ([, code = '']) => code).filter((code) => codes.includes(code))
}
