import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { dashboardRouter } from '../../src/dashboard/router.ts'
import { type SignedIn, signedIn } from '../dashboard.ts'
import { type World, startWorld } from '../world.ts'

type Procedure = { path: string; type: 'query' | 'mutation' | 'subscription' }

const procedures: readonly Procedure[] = Object.entries(
  dashboardRouter._def.procedures as unknown as Record<string, { _def: { type: Procedure['type'] } }>,
).map(([name, { _def }]) => ({ path: name, type: _def.type }))

type Refused = { message: string; data: { faults: { path: string; message: string }[] } }

/** The refusal of a call that a page in this language makes; undefined: it was answered. */
async function refusalOf(
  world: World,
  { path: name, type }: Procedure,
  { as, input, language }: { as?: SignedIn; input: object; language: string },
): Promise<Refused | undefined> {
  const json = JSON.stringify(input)
  const headers = {
    origin: world.first.url,
    'content-type': 'application/json',
    'accept-language': language,
    ...(as && { cookie: as.cookie }),
  }
  const url = `${world.first.url}/dashboard/calls/${name}`
  const answer =
    type === 'mutation'
      ? await fetch(url, { method: 'POST', headers, body: json })
      : await fetch(`${url}?input=${encodeURIComponent(json)}`, { headers })
  return ((await answer.json()) as { error?: Refused }).error
}

const sentencesOf = ({ message, data }: Refused): string[] => [message, ...data.faults.map((fault) => fault.message)]

/** Of the page itself nothing is in Latin letters; what is isolated is an id, a command or a name. */
function assertArabic(sentence: string, where: string): void {
  const own = sentence.replaceAll(/[\u2066-\u2068][^\u2066-\u2069]*\u2069/g, '').replaceAll(/Doorcode|Webhook/g, '')
  assert.match(own, /\p{Script=Arabic}/u, where)
  assert.doesNotMatch(own, /[a-z]/i, where)
}

test('every call that a page in Arabic makes is refused in Arabic, whoever makes it and whatever it takes', async (t) => {
  const world = await startWorld(t)
  const [owner, member] = [await signedIn(world, 'owner'), await signedIn(world, 'member')]
  const { workspaceId } = world
  let refused = 0
  for (const procedure of procedures) {
    for (const asked of [
      { input: { workspaceId } },
      { as: member, input: { workspaceId } },
      { as: owner, input: { workspaceId: '019f0000-0000-7000-8000-000000000000' } },
      { as: owner, input: { workspaceId, name: '\0', url: 7, lines: 'x', senderId: '', endpointId: [] } },
    ]) {
      const refusal = await refusalOf(world, procedure, { ...asked, language: 'ar' })
      for (const sentence of refusal ? sentencesOf(refusal) : []) assertArabic(sentence, procedure.path)
      if (refusal) refused += 1
    }
  }
  assert.ok(refused > 3 * procedures.length, 'the walk meets refusals')
})

test('whatever else a request says of languages, it is answered in English', async (t) => {
  const world = await startWorld(t)
  const procedure = { path: 'keys.list', type: 'query' } as const
  for (const language of ['en', '*', 'ar;q=0.5', 'ar, en', 'fr', '__proto__', 'AR']) {
    const refusal = await refusalOf(world, procedure, { input: {}, language })
    assert.equal(refusal?.message, 'You are not signed in.', language)
  }
})

const SOURCE = path.resolve(import.meta.dirname, '../../src')

/** How a sentence about a field begins, in quotes; those of tables stand behind `en:`. */
const FIELD_SENTENCE = /(?<!\ben: |\ben:\n\s+)(['"`])(?:must|may|is|has|have|choose|give|needs?|cannot) \w[^'"`]*\1/g

test('no schema that a page fills in says in English alone what is wrong', async () => {
  const faults: string[] = []
  for await (const name of glob(
    ['dashboard/*.ts', '{otp,cod}/routes.ts', 'http/fields.ts', 'templates/{new-template,draft}.ts'],
    { cwd: SOURCE },
  )) {
    if (name.endsWith('.test.ts')) continue
    const text = (await readFile(path.join(SOURCE, name), 'utf8')).replaceAll(/description:[^,]*,/g, '')
    for (const [found] of text.matchAll(FIELD_SENTENCE)) faults.push(`${name}: ${found}`)
    if (name !== 'dashboard/call-refused.ts' && text.includes('new TRPCError(')) faults.push(`${name}: new TRPCError`)
  }
  assert.deepEqual(faults, [])
})
