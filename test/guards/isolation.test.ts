import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verificationsPath } from '../world/verifications.ts'
import { type World, startWorld } from '../world/world.ts'

const MISSING_ID = '00000000-0000-4000-8000-000000000000'

/** The answer without the ids of its request. */
const withoutCorrelation = (answer: Awaited<ReturnType<World['request']>>): unknown => {
  const { correlationId: _, instance: __, ...rest } = answer.body
  const headers = [...answer.headers].filter(([name]) => !['x-correlation-id', 'date'].includes(name))
  return { status: answer.status, headers, rest }
}

/** For each path parameter of the API: an id that exists in a workspace. */
async function idsOf(world: World): Promise<Record<string, string>> {
  await world.codSettings()
  const { messageId } = await world.sendOtp()
  const { confirmationId } = await world.createConfirmation()
  const { verificationId } = await world.startVerification()
  return { messageId, confirmationId, verificationId }
}

/** Bodies that would be accepted with an id of the same workspace. */
const bodyOf = (world: World, path: string): object =>
  path.endsWith('/refusal-check')
    ? { body: world.refusalBody() }
    : path.endsWith('/check')
      ? { body: { code: '493817' } }
      : {}

test('every route answers another workspace’s id exactly like a missing one', async (t) => {
  const [mine, theirs] = [await startWorld(t), await startWorld(t)]
  const ids = await idsOf(theirs)
  await mine.codSettings()
  const document = (await (await fetch(`${mine.first.url}/openapi.json`)).json()) as { paths: Record<string, object> }
  const requests: string[] = []
  for (const [path, operations] of Object.entries(document.paths)) {
    const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name ?? '')
    if (names.length === 0) continue
    const filled = (id: (name: string) => string) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => id(name))
    for (const method of Object.keys(operations).map((each) => each.toUpperCase())) {
      const foreign = filled((name) => ids[name] ?? assert.fail(`this test has no id for {${name}}`))
      const missing = filled(() => MISSING_ID)
      const answers = [
        await mine.request(method, foreign, bodyOf(mine, path)),
        await mine.request(method, missing, bodyOf(mine, path)),
      ]
      assert.deepEqual(withoutCorrelation(answers[0]!), withoutCorrelation(answers[1]!), `${method} ${path}`)
      assert.equal(answers[0]!.status, 404)
      requests.push(`${method} ${path}`)
    }
  }
  assert.ok(requests.length > 0)
})

test('another workspace’s sender is answered exactly like a missing one', async (t) => {
  const [mine, theirs] = [await startWorld(t), await startWorld(t)]
  for (const [path, bodyWith] of [
    ['/api/v1/otp/messages', mine.otpBody],
    [verificationsPath, mine.verificationBody],
  ] as const) {
    const post = (senderId: string) => mine.request('POST', path, { body: bodyWith({ senderId }) })
    const [foreign, missing] = [await post(theirs.senderId), await post(MISSING_ID)]
    assert.equal(foreign.body.code, 'OTP_SENDER_NOT_FOUND')
    assert.deepEqual(withoutCorrelation(foreign), withoutCorrelation(missing))
  }
})

test('another workspace’s template, block and quota have no effect', async (t) => {
  const mine = await startWorld(t)
  const theirs = await startWorld(t, {
    otpQuota: 0,
    account: {
      templates: [{ name: 'theirs', language: 'en_US', category: 'AUTHENTICATION', components: [{ type: 'BODY' }] }],
    },
  })
  const body = mine.otpBody({ template: { name: 'theirs', language: 'en_US' } })
  assert.equal((await mine.request('POST', '/api/v1/otp/messages', { body })).body.code, 'OTP_TEMPLATE_NOT_FOUND')
  const { to } = await mine.sendOtp()
  await theirs.block(to)
  await mine.sendOtp({ to })
})

test('an event goes only to endpoints of its workspace', async (t) => {
  const [mine, theirs] = [await startWorld(t), await startWorld(t)]
  const [ours, foreign] = [await mine.receiver(), await theirs.receiver()]
  const otp = await mine.sendOtp()
  await mine.whatsapp.reports(otp, ['sent'])
  await theirs.settled()
  assert.deepEqual([ours.received.length, foreign.received.length], [1, 0])
})
