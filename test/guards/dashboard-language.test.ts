import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { translatorOf } from '../../locales/resources.ts'
import type { CodedText } from '../../locales/text.ts'
import { dashboardRouter } from '../../src/admin/router.ts'
import { type SignedIn, signIn } from '../world/dashboard.ts'
import { type World, startWorld } from '../world/world.ts'

type Procedure = { path: string; type: 'query' | 'mutation' | 'subscription' }

const procedures: readonly Procedure[] = Object.entries(
  dashboardRouter._def.procedures as unknown as Record<string, { _def: { type: Procedure['type'] } }>,
).map(([name, { _def }]) => ({ path: name, type: _def.type }))

type Rejected = { data: { text: CodedText; faults: { path: string; text: CodedText }[] } }

/** The error of a call. Returns undefined if it succeeded. */
async function errorOf(
  world: World,
  { path: name, type }: Procedure,
  { as, input }: { as?: SignedIn; input: object },
): Promise<Rejected | undefined> {
  const json = JSON.stringify(input)
  const headers = {
    origin: world.first.url,
    'content-type': 'application/json',
    ...(as && { cookie: as.cookie }),
  }
  const url = `${world.first.url}/dashboard/calls/${name}`
  const answer =
    type === 'mutation'
      ? await fetch(url, { method: 'POST', headers, body: json })
      : await fetch(`${url}?input=${encodeURIComponent(json)}`, { headers })
  return ((await answer.json()) as { error?: Rejected }).error
}

const arabic = translatorOf('ar')

const sentencesOf = ({ data }: Rejected): string[] =>
  [data.text, ...data.faults.map(({ text }) => text)].map(arabic.textOf)

/** The page's own text has no Latin letters; isolated parts are an id, a command or a name. */
function assertArabic(sentence: string, where: string): void {
  const own = sentence.replaceAll(/[\u2066-\u2068][^\u2066-\u2069]*\u2069/g, '').replaceAll(/Doorcode|Webhook/g, '')
  assert.match(own, /\p{Script=Arabic}/u, where)
  assert.doesNotMatch(own, /[a-z]/i, where)
}

test('every error of a call has an Arabic text', async (t) => {
  const world = await startWorld(t)
  const [owner, member] = [await signIn(world, 'owner'), await signIn(world, 'member')]
  const { workspaceId } = world
  let rejected = 0
  for (const procedure of procedures) {
    for (const call of [
      { input: { workspaceId } },
      { as: member, input: { workspaceId } },
      { as: owner, input: { workspaceId: '019f0000-0000-7000-8000-000000000000' } },
      { as: owner, input: { workspaceId, name: '\0', url: 7, lines: 'x', senderId: '', endpointId: [] } },
    ]) {
      const error = await errorOf(world, procedure, call)
      for (const sentence of error ? sentencesOf(error) : []) assertArabic(sentence, procedure.path)
      if (error) rejected += 1
    }
  }
  assert.ok(rejected > 3 * procedures.length, 'the walk meets errors')
})

const SOURCE = path.resolve(import.meta.dirname, '../../src')

/** The quoted beginning of a message about a field. */
const FIELD_SENTENCE = /(['"`])(?:must|may|is|has|have|choose|give|needs?|cannot) \w[^'"`]*\1/g

test('no schema of a form has messages in English only', async () => {
  const faults: string[] = []
  for await (const name of glob(
    ['admin/**/*.ts', '{otp,cod}/routes.ts', 'lib/http/fields.ts', 'accounts/templates/{new-template,draft}.ts'],
    { cwd: SOURCE },
  )) {
    if (name.endsWith('.test.ts')) continue
    const text = (await readFile(path.join(SOURCE, name), 'utf8')).replaceAll(/description:[^,]*,/g, '')
    for (const [found] of text.matchAll(FIELD_SENTENCE)) faults.push(`${name}: ${found}`)
    if (text.includes('new TRPCError(')) faults.push(`${name}: new TRPCError`)
  }
  assert.deepEqual(faults, [])
})

/** Texts to customers, in the customers' languages, and words that people type as passwords. */
const NOT_FOR_PAGES = [
  'cod/settings/language-starts.ts',
  'sandbox/month/settings.ts',
  'sandbox/month/shop.ts',
  'admin/auth/common-password.ts',
]

test('src contains no Arabic texts', async () => {
  const found: string[] = []
  for await (const name of glob('**/*.ts', { cwd: SOURCE })) {
    if (name.endsWith('.test.ts') || NOT_FOR_PAGES.includes(name)) continue
    if (/\p{Script=Arabic}/u.test(await readFile(path.join(SOURCE, name), 'utf8'))) found.push(name)
  }
  assert.deepEqual(found, [])
})
