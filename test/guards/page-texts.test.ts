import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { parseSync } from 'vite'

const ROOT = path.resolve(import.meta.dirname, '../..')
const SEEN_ATTRIBUTES = /^(title|label|placeholder|description|alt|aria-label|aria-description)$/
const SENTENCE = /\p{L}{2,}[ ,]+\p{L}{2,}/u

type Node = { type: string; [member: string]: unknown }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/** Visible text: between tags, or a string attribute. */
function shownBy(node: Node): string | undefined {
  if (node.type === 'JSXText') return String(node['value'])
  if (node.type !== 'JSXAttribute') return undefined
  const { name, value } = node as unknown as { name: { name: string }; value: Node | null }
  return SEEN_ATTRIBUTES.test(name.name) && value?.type === 'Literal' ? String(value['value']) : undefined
}

function* sentencesIn(node: Node): Generator<string> {
  const shown = shownBy(node)
  if (shown !== undefined && SENTENCE.test(shown)) yield shown.trim()
  for (const member of Object.values(node).flat()) if (isNode(member)) yield* sentencesIn(member)
}

test('pages contain no sentences outside locales', async () => {
  const found: string[] = []
  for await (const name of glob('{dashboard,packages/whatsapp-emulator/phone}/**/*.tsx', { cwd: ROOT })) {
    const { program } = parseSync(name, await readFile(path.join(ROOT, name), 'utf8'))
    for (const sentence of sentencesIn(program as unknown as Node)) found.push(`${name}: ${sentence}`)
  }
  assert.deepEqual(found, [])
})

test('a colon after a text is written as the language writes it', async () => {
  const found: string[] = []
  for await (const name of glob('{dashboard/*/**/*.{tsx,css},src/api/docs/*.ts}', {
    cwd: ROOT,
    exclude: ['dashboard/dist/**'],
  })) {
    const source = await readFile(path.join(ROOT, name), 'utf8')
    if (/\bt\([^()]*\)\}(?:<\/\w+>)?:|attr\([\w-]+\) ":/.test(source)) found.push(name)
  }
  assert.deepEqual(found, [], 'use page_shell.colon')
})
