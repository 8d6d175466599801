import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { request } from 'undici'
import { listen } from '../../test/world/listen.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts'
import { newWebhookSecret } from '../lib/ids.ts'
import { FAILING_DISABLES_AFTER_MS, JITTER, STEPS_MS } from './delivery/schedule.ts'
import { sign } from './delivery/sign.ts'

const guide = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')

const between = (mark: string): string =>
  guide.split(`<!-- ${mark} -->`)[1]?.split(`<!-- /${mark} -->`)[0]?.trim() ?? ''
const codeAfter = (mark: string): string =>
  /```\w+\n([^]*?)```/.exec(guide.split(`<!-- ${mark} -->`)[1] ?? '')?.[1] ?? ''

const body = '{"type":"ping","data":{"note":"à 18h — مساءً"}}'
const [secret, previous, foreign] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
const signed = (at: Date) => sign({ id: '019ad8d5-11a0-7c44-8e0b-7a2d9c1f6e35', at, body }, [secret, previous])
const fresh = signed(new Date())
const stale = signed(new Date(Date.now() - 6 * MINUTE_MS))
/** The text of a variable that is not set. Anyone can sign with these. */
const UNSET = ['', 'undefined', 'whsec_undefined', 'whsec_null', 'whsec_None']

/** The expected result of each example. */
const cases = [
  { body, headers: fresh, secret, genuine: true },
  { body, headers: fresh, secret: previous, genuine: true },
  { body, headers: fresh, secret: foreign, genuine: false },
  { body: `${body} `, headers: fresh, secret, genuine: false },
  { body, headers: stale, secret, genuine: false },
  { body, headers: { ...fresh, 'webhook-id': 'another' }, secret, genuine: false },
  { body, headers: { ...fresh, 'webhook-timestamp': '١' }, secret, genuine: false },
  { body, headers: { ...fresh, 'webhook-signature': 'v1,é' }, secret, genuine: false },
  { body, headers: {}, secret, genuine: false },
]

/** Inside the project, so that the examples find the packages. */
async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(import.meta.dirname, '../../node_modules/.guide-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

test('the guide’s schedule is the one in force', () => {
  const readable = (ms: number): string => {
    if (ms === 0) return 'immediately'
    if (ms < MINUTE_MS) return `${ms / SECOND_MS} s`
    return ms < HOUR_MS ? `${ms / MINUTE_MS} min` : `${ms / HOUR_MS} h`
  }
  const rows = STEPS_MS.map((wait, index) => `| ${index + 1} | ${readable(wait)} |`)
  assert.equal(between('schedule'), ['| attempt | after |', '|---|---|', ...rows].join('\n'))
  assert.ok(guide.includes(`by up to ${JITTER * 100} % in either direction`))
  assert.ok(guide.includes(`nothing but failures for ${FAILING_DISABLES_AFTER_MS / (24 * HOUR_MS)} days`))
})

test('the guide’s Node verifier accepts only genuine requests, and names a secret that is not set', async (t) => {
  const file = path.join(await newFolder(t), 'verify.mjs')
  await writeFile(file, codeAfter('node'))
  const { isGenuine } = (await import(file)) as {
    isGenuine: (body: Buffer, headers: object, secret: string) => boolean
  }
  for (const each of cases) assert.equal(isGenuine(Buffer.from(each.body), each.headers, each.secret), each.genuine)
  for (const unset of [undefined as never, ...UNSET])
    assert.throws(() => isGenuine(Buffer.from(body), fresh, unset), /"secret" is not the secret of an endpoint/)
})

test('the guide’s Python verifier accepts only genuine requests, and names a secret that is not set', async (t) => {
  if (spawnSync('python3', ['--version']).status !== 0) return t.skip('there is no python3 here')
  const folder = await newFolder(t)
  await writeFile(path.join(folder, 'verify.py'), codeAfter('python'))
  const program = `
import json, sys
from verify import is_genuine
def result(case):
    try:
        return is_genuine(case["body"].encode(), case["headers"], case["secret"])
    except ValueError as error:
        return str(error)
print(json.dumps([result(case) for case in json.load(sys.stdin)]))`
  const unset = [null, ...UNSET].map((each) => ({ body, headers: fresh, secret: each }))
  const input = JSON.stringify([...cases, ...unset])
  const run = spawnSync('python3', ['-c', program], { cwd: folder, input, encoding: 'utf8' })
  assert.equal(run.status, 0, run.stderr)
  assert.deepEqual(JSON.parse(run.stdout), [
    ...cases.map(({ genuine }) => genuine),
    ...unset.map(() => '"secret" is not the secret of an endpoint, whsec_…'),
  ])
})

test('the guide’s server answers 204 to genuine requests and 400 to others', async (t) => {
  const file = path.join(await newFolder(t), 'server.mjs')
  await writeFile(file, codeAfter('node-library'))
  process.env.WEBHOOK_SECRET = secret
  t.mock.method(console, 'log', () => undefined)
  const { server } = (await import(file)) as { server: Server }
  const url = `http://${await listen(t, server)}/`
  for (const [sent, status] of [
    [body, 204],
    [`${body} `, 400],
  ] as const) {
    const answer = await request(url, { method: 'POST', headers: { ...fresh }, body: sent, reset: true })
    await answer.body.dump()
    assert.equal(answer.statusCode, status)
  }
})
