import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { perform } from '../../src/admin/actions/action.ts'
import { hookActions } from '../../src/admin/actions/hooks.ts'
import { COMMAND_LINE } from '../../src/admin/audit/audit.ts'
import { connectAccount, addEndpoint } from '../world/set-up.ts'
import { endAllSessions } from '../../src/admin/auth/end-all-sessions.ts'
import type { Finding } from '../../src/operations/doctor/finding.ts'
import { newPseudonym } from '../../src/lib/phone/erased-recipient.ts'
import { RESEND_INTERVAL_MS } from '../../src/otp/verifications/limits.ts'
import { createWakeUps } from '../../src/runtime/jobs/wake.ts'
import { endUnfinished, findUnfinished, keepUnfinished } from '../../src/operations/lifecycle/recipients/unfinished.ts'
import { createSealingKey } from '../../src/lib/seal.ts'
import { writeInstance } from '../../src/operations/secrets/instance.ts'
import { createNodeKeys } from '../../src/operations/secrets/nodes.ts'
import { sealedTexts } from '../../src/operations/secrets/reseal.ts'
import { assertOldKeysKnown } from '../../src/operations/secrets/open.ts'
import { emptyDatabase, newFile, tablesOf } from '../world/backups.ts'
import { interruptCommand, runCommand } from '../world/command-line.ts'
import { PASSWORD, createCalls, signIn, signInWithPassword } from '../world/dashboard.ts'
import { callSupabase, createHook } from '../world/hooks.ts'
import { lockInAnotherSession } from '../faults/lock-in-another-session.ts'
import {
  assertOpensWith,
  detailOf,
  fingerprintOf,
  inUse,
  openedBy,
  startRotation,
  withKeys,
} from '../world/rotation.ts'
import { freePort, runProgram } from './program.ts'
import { assertSigned } from '../world/receiver.ts'
import { openTestSeal } from '../database/seal.ts'
import { CODE_PERIOD_MS, asCookie, askAuth, totp, trySignIn, withSecondFactor } from '../world/sign-in-calls.ts'
import { waitFor } from '../world/wait-for.ts'
import { wrongCode } from '../world/verifications.ts'
import { DEMO, type SentOtp, type World, newPhone } from '../world/world.ts'

test('codes, tokens, webhooks and sessions outlive a rotation under load', async (t) => {
  const { world, old, next, rotate } = await startRotation(t)
  await world.node({ settings: withKeys(next, old) })
  const receiver = await world.receiver()
  const person = await signIn(world, 'owner')
  const otps = await sendSome(world, 20)

  let rotating = true
  const during = (async () => {
    const sent = []
    while (rotating) sent.push(...(await sendSome(world, 1)))
    return sent
  })()
  const { resealed, unreadableCount } = await rotate().finally(() => (rotating = false))
  otps.push(...(await during), ...(await sendSome(world, 4)))
  assert.ok((resealed['messages.code'] ?? 0) >= 20, 'the codes that waited')
  assert.equal(resealed['provider_accounts.access_token'], 1)
  assert.equal(resealed['webhook_endpoints.secret'], 1)
  assert.equal(unreadableCount, 0)
  await assertOpensWith(world, next)

  const worker = await world.node({ settings: withKeys(next), works: true })
  world.setCallback(worker.url)
  for (const otp of otps) assert.equal((await world.whatsapp.gets(otp)).code, otp.code)
  const [first] = otps
  assert.ok(first)
  await world.whatsapp.reports(first, ['delivered'])
  await receiver.waitFor(1)
  for (const webhook of receiver.received) assertSigned(webhook, receiver.secret)
  assert.equal((await createCalls(worker.url, person.cookie).session.current.query())?.person.email, person.email)
})

/** Uses a fast number, because the test waits for all messages. */
function sendSome(world: World, count: number): Promise<SentOtp[]> {
  const { senderId } =
    world.account.senders.find(({ phoneNumberId }) => phoneNumberId === DEMO.highNumberId) ?? assert.fail()
  return Promise.all(Array.from({ length: count }, () => world.sendOtp({ senderId })))
}

test('a verification that was started before a rotation is checked and sent again by a node that knows only the new key', async (t) => {
  const { world, next, rotate } = await startRotation(t)
  const [started, wrong] = [await world.startVerification(), await world.startVerification()]
  const { resealed } = await rotate()
  assert.equal(resealed['otp_verifications.code_key'], 2)
  await assertOpensWith(world, next)
  const worker = await world.node({ settings: withKeys(next), works: true })
  const url = worker.url
  world.setCallback(url)
  const code = await world.codeOn(started)
  assert.equal((await world.check(wrong, wrongCode(await world.codeOn(wrong)), { url })).body.attemptsLeft, 4)
  world.advance(`${RESEND_INTERVAL_MS}ms`)
  const resent = await world.resend(started, { url })
  assert.equal(await world.codeOn({ messageId: String(resent.body.messageId) }), code)
  assert.equal((await world.check(started, code, { url })).body.status, 'approved')
})

test('a rotation names a running node that knows only the old key, and changes nothing', async (t) => {
  const { world, old, command } = await startRotation(t, { nodesKnow: 'old' })
  const detail = detailOf(await command('rotate'))
  assert.match(detail, new RegExp(`node ${world.parts.node.id} \\(api, dashboard; .* does not know .* Restart it`))
  await assertOpensWith(world, old)
})

test('a node that joins with the old key while the key is replaced stops the rotation', async (t) => {
  const { world, begin, old, next, rotate } = await startRotation(t, { mayLogErrors: true })
  await begin()
  const late = await world.node({ settings: withKeys(next, old) })
  const alone = createNodeKeys(await openTestSeal(world.parts.db, [next]))
  const report = { known: [fingerprintOf(old)], current: fingerprintOf(old) }
  const lagging = createWakeUps({
    db: world.parts.db,
    roles: new Set(['api']),
    log: world.parts.log,
    keys: { ...alone, report: () => report },
  })
  await lagging.start()
  await assert.rejects(rotate(), new RegExp(`node ${lagging.node.id} .* does not know`))
  await lagging.stop()
  await late.stop()
  assert.deepEqual((await rotate()).missingKeys, [])
})

test('a node that learns of the new key too late ends and says which key it needs', async (t) => {
  const { world, seal, old, next } = await startRotation(t)
  const port = await freePort()
  const server = runProgram(t, ['serve'], {
    DATABASE_URL: world.databaseUrl,
    DOORCODE_PORT: String(port),
    DOORCODE_METRICS_PORT: '0',
    ...withKeys(old),
  })
  await waitFor('the node', async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok)
  const use = (each: Buffer) =>
    world.parts.db.transaction((tx) =>
      writeInstance(tx, { key: createSealingKey(each), signInSecret: seal.signInSecret(), oldKeys: [] }),
    )
  await use(next) // without the check of the nodes: as if this one had not been there yet
  const ended = await server.ended
  await use(old)
  assert.deepEqual(ended, [1, null])
  assert.match(server.stderr(), /^The instance key of the database was replaced by one .* Put the new key before .*\n$/)
})

test('an interrupted rotation needs the old key until it is repeated', async (t) => {
  const { world, begin, old, next, command } = await startRotation(t)
  const { db } = world.parts
  await world.receiver()
  await begin()
  const served = await runCommand(['serve'], {
    DATABASE_URL: world.databaseUrl,
    DOORCODE_PORT: String(await freePort()),
    DOORCODE_METRICS_PORT: '0',
    ...withKeys(next),
  })
  assert.match(served.stderr, new RegExp(`not finished: .* fingerprint ${fingerprintOf(old)}, which is not configured`))
  const before = JSON.parse((await command('status')).stdout) as { oldKeys: string[]; keys: { texts: number }[] }
  assert.deepEqual(before.oldKeys, [fingerprintOf(old)])
  assert.ok((before.keys[1]?.texts ?? 0) > 0)

  const { code, stdout } = await command('rotate')
  assert.equal(code, 0)
  const result = JSON.parse(stdout) as Record<string, unknown>
  assert.deepEqual([result['switched'], result['finished'], result['oldKeys']], [false, true, [fingerprintOf(old)]])
  await assertOpensWith(world, next)
  await assertOldKeysKnown(db, await openTestSeal(db, [next]))
})

test('keys in the wrong order fail and change nothing; a repeated rotation succeeds', async (t) => {
  const { world, old, next, command } = await startRotation(t)
  await world.first.stop()
  const environment = { DATABASE_URL: world.databaseUrl, ...withKeys(old, next) }
  const detail = detailOf(await runCommand(['secrets', 'rotate', '--end-sessions', '--json'], environment))
  assert.match(
    detail,
    new RegExp(`^Nothing was rotated: .*${fingerprintOf(old)}.* never .*: ${fingerprintOf(next)}\\. `),
  )
  await assertOpensWith(world, old)
  assert.equal((await command('rotate')).code, 0)
  inUse.key = next
  assert.equal((await command('rotate')).code, 0)
  await assertOpensWith(world, next)
})

test('a backup and doctor name the former key that an interrupted rotation still needs', async (t) => {
  const { world, begin, old, next } = await startRotation(t)
  await world.receiver()
  await begin()
  const needed = fingerprintOf(old)
  const { file } = await newFile(t)
  const run = (words: string[], ...keys: Buffer[]) =>
    runCommand(words, { DATABASE_URL: world.databaseUrl, ...withKeys(...keys) })
  assert.match(
    (await run(['backup', file], next)).stdout,
    new RegExp(`Warning: .* former key with fingerprint ${needed}, which is not in the backup`),
  )
  const missingKeys = async (option: string, ...keys: Buffer[]) =>
    (JSON.parse((await run(['backup', file, option, '--json'], ...keys)).stdout) as { missingKeys: string[] })
      .missingKeys
  assert.deepEqual(await missingKeys('--force', next, old), [])
  assert.deepEqual(await missingKeys('--force', next), [needed])

  const ofKey = async (...keys: Buffer[]) => {
    const { findings } = JSON.parse((await run(['doctor', '--json'], ...keys)).stdout) as { findings: Finding[] }
    return findings.filter(({ check }) => check === 'key').map(({ code, parameters }) => ({ code, ...parameters }))
  }
  assert.deepEqual(await ofKey(next), [{ code: 'former_key_missing', keys: needed }])
  assert.deepEqual(await ofKey(next, old), [{ code: 'rotation_unfinished', keys: needed }])
  await world.first.stop()
  assert.equal((await run(['secrets', 'rotate'], next, old)).code, 0)
})

test('a restore of an unfinished rotation never drops the former key without a word', async (t) => {
  const { world, begin, old, next } = await startRotation(t)
  await begin()
  await world.first.stop()
  const { folder, file } = await newFile(t)
  const poorer = path.join(folder, 'new-key-only.backup')
  const run = (url: string, words: string[], ...keys: Buffer[]) =>
    runCommand(words, { DATABASE_URL: url, ...(keys.length > 0 && withKeys(...keys)) })
  assert.equal((await run(world.databaseUrl, ['backup', file], next, old)).code, 0)
  assert.equal((await run(world.databaseUrl, ['backup', poorer], next)).code, 0)
  const needed = fingerprintOf(old)

  const url = await emptyDatabase(t)
  const rejected = await run(url, ['restore', file], next)
  assert.equal(rejected.code, 1)
  const wayOut = new RegExp(
    `former key with fingerprint ${needed}, .* Add that key .*, or leave .* unset .* --key-file`,
  )
  assert.match(rejected.stderr, wayOut)
  assert.deepEqual(await tablesOf(url), [])
  const keyFile = path.join(folder, 'keys')
  assert.equal((await run(url, ['restore', file, '--key-file', keyFile])).code, 0)
  const keys = (await readFile(keyFile, 'utf8')).trim().split('\n')
  assert.deepEqual(
    keys.map((each) => Buffer.from(each, 'base64')),
    [next, old],
  )

  const other = await emptyDatabase(t)
  const restored = await run(other, ['restore', poorer], next)
  assert.deepEqual([restored.code, restored.stderr], [0, ''])
  assert.match(restored.stdout, new RegExp(`Warning: .* former key with fingerprint ${needed}`))
  assert.equal((await run(world.databaseUrl, ['secrets', 'rotate'], next, old)).code, 0)
})

test('an interrupted rotation reports its progress, and the next run finishes it', async (t) => {
  const { world, next, command } = await startRotation(t)
  const [sent, locked] = [await world.sendOtp(), await world.sendOtp()]
  const lock = 'select from messages where id = $1 for update'
  const unlock = await lockInAnotherSession(t, world.parts.db, lock, locked.messageId)
  const running = command('rotate') // it tries the locked row again
  await waitFor('the first pass', async () => {
    const [row] = await world.query<{ code: Buffer }>('select code from messages where id = $1', [sent.messageId])
    return openedBy(next, row?.code, sent)
  })
  inUse.key = next
  interruptCommand()
  const detail = detailOf(await running)
  const expected = `^The rotation was interrupted\\. ${fingerprintOf(next)} is the instance key now\\. .* in this run: [1-9]\\d*\\. Run “doorcode secrets rotate” again`
  assert.match(detail, new RegExp(expected))
  await unlock()
  assert.equal((await command('rotate')).code, 0)
  await assertOpensWith(world, next)
})

test('a text that changes during the rotation is not overwritten', async (t) => {
  const { world, seal, next, rotate } = await startRotation(t)
  const [erased, kept] = [await world.sendOtp(), await world.sendOtp()]
  const { db } = world.parts
  const newest = seal.keys[0] ?? assert.fail()
  const replaced = new Map<string, boolean>()
  for await (const text of sealedTexts(db, seal)) {
    if (text.id === erased.messageId)
      await world.query('update messages set code = null, due_at = null where id = $1', [text.id])
    if (text.column === 'messages.code') replaced.set(text.id, await text.replace(newest))
  }
  assert.deepEqual([replaced.get(erased.messageId), replaced.get(kept.messageId)], [false, true])
  const [row] = await world.query<{ code: Buffer | null }>('select code from messages where id = $1', [
    erased.messageId,
  ])
  assert.equal(row?.code, null)
  await rotate()
  await assertOpensWith(world, next)
})

test('an interrupted erasure is finished after a rotation, with its user ids', async (t) => {
  const { world, seal, next, rotate } = await startRotation(t)
  const { db, clock } = world.parts
  const person = { workspaceId: world.workspaceId, phones: [newPhone()], userIds: ['MA.canary'] }
  const begun = { pseudonym: newPseudonym(), startedAt: clock.now() }
  await db.transaction((tx) => keepUnfinished(tx, seal, person, begun))
  await rotate()
  const renewed = await openTestSeal(db, [next])
  assert.deepEqual(await findUnfinished(db, renewed, { ...person, userIds: [] }), {
    pseudonym: begun.pseudonym,
    userIds: person.userIds,
  })
  await db.transaction((tx) => endUnfinished(tx, renewed, person, begun))
  assert.equal(await findUnfinished(db, renewed, person), undefined)
})

test('a text that no known key opens is reported and stops nothing else', async (t) => {
  const { world, old, next, command } = await startRotation(t)
  const { accountId } = world.account
  await world.query(
    'update provider_accounts set access_token = set_byte(access_token, 20, get_byte(access_token, 20) # 255) where id = $1',
    [accountId],
  )
  await world.first.stop()
  const { code, stdout } = await command('rotate')
  inUse.key = next
  assert.equal(code, 0)
  const result = JSON.parse(stdout) as { unreadable: object[]; finished: boolean; oldKeys: string[] }
  assert.deepEqual(result.unreadable, [{ column: 'provider_accounts.access_token', id: accountId }])
  assert.deepEqual([result.finished, result.oldKeys], [true, [fingerprintOf(old)]])
  await world.query('update provider_accounts set access_token = app_secret where id = $1', [accountId])
})

test('a rotation without a lost old key fails until the operator gives it up', async (t) => {
  const { world, begin, next } = await startRotation(t)
  const { db } = world.parts
  await begin()
  await world.first.stop()
  const alone = (...words: string[]) =>
    runCommand(['secrets', ...words, '--json'], { DATABASE_URL: world.databaseUrl, ...withKeys(next) })
  const rotated = async (...words: string[]) => {
    const { code, stdout } = await alone('rotate', ...words)
    return { code, ...(JSON.parse(stdout) as { finished: boolean; unreadableCount: number }) }
  }
  const first = await rotated()
  assert.deepEqual([first.code, first.finished, first.unreadableCount > 0], [1, false, true])
  assert.equal((await alone('status')).code, 1)
  const last = await rotated('--accept-unreadable')
  assert.deepEqual([last.code, last.finished], [0, true])
  await assertOldKeysKnown(db, await openTestSeal(db, [next]))
})

test('a former key that a running node knows cannot be given up', async (t) => {
  const { world, begin, old, next, command } = await startRotation(t)
  await begin()
  const giveUp = () =>
    runCommand(['secrets', 'rotate', '--accept-unreadable', '--json'], {
      DATABASE_URL: world.databaseUrl,
      ...withKeys(next),
    })
  const detail = detailOf(await giveUp())
  const expected = `^Nothing was given up: .* node ${world.parts.node.id} .* former key ${fingerprintOf(old)}`
  assert.match(detail, new RegExp(expected))
  const status = JSON.parse((await command('status')).stdout) as { oldKeys: string[] }
  assert.deepEqual(status.oldKeys, [fingerprintOf(old)])
  await world.first.stop()
  assert.equal((await giveUp()).code, 0)
})

test('a command with only the old key stores nothing after the rotation', async (t) => {
  const { world, old, rotate } = await startRotation(t)
  const { db } = world.parts
  const stale = await openTestSeal(db, [old])
  await rotate()
  const { workspaceId } = world
  const endpoint = { workspaceId, url: 'http://127.0.0.1:9/hook' }
  await assert.rejects(addEndpoint({ ...world.parts, seal: stale }, endpoint), /was replaced with one .* does not know/)
  await assert.rejects(connectAccount({ ...world.parts, seal: stale }, world.credentials), /was replaced/)
})

test('ending all sessions signs everyone out and keeps second factors', async (t) => {
  const { world, seal } = await startRotation(t)
  const person = await signInWithPassword(world, 'owner')
  const { totpURI, cookie } = await withSecondFactor(world, person)
  const [former] = await world.query<{ secret: string }>('select "secret" from auth."twoFactor" where "userId" = $1', [
    person.userId,
  ])
  assert.ok((await endAllSessions({ db: world.parts.db, seal }, async () => {})) > 0)
  const secret = seal.signInSecret()
  await waitFor('the node to follow', () => world.parts.seal.signInSecret() === secret)
  assert.equal(await createCalls(world.first.url, cookie).session.current.query(), null)

  const [again] = await world.query<{ secret: string }>('select "secret" from auth."twoFactor" where "userId" = $1', [
    person.userId,
  ])
  assert.notEqual(again?.secret, former?.secret)
  const pending = asCookie((await trySignIn(world, person.email, PASSWORD)).cookies)
  const code = totp(totpURI, Date.now() + CODE_PERIOD_MS) // the current code enabled the second factor
  assert.equal((await askAuth(world, 'two-factor/verify-totp', { code }, { cookie: pending })).status, 200)
})

test('an auth hook works through a rotation with both its secrets, and a code repeated after it is still the same message', async (t) => {
  const { world, next, begin, rotate } = await startRotation(t)
  const hook = await createHook(world, 'supabase')
  const { workspaceId } = world
  const id = { workspaceId, hookId: hook.hookId }
  const { secret } = await perform(hookActions.rotate, { ...world.parts, actor: COMMAND_LINE }, id)
  const fields = { phone: newPhone(), code: '493817' }
  const secrets = [hook.secret, secret]
  const callWithBoth = async () => {
    for (const each of secrets) {
      const { body } = await callSupabase(world, { ...hook, secret: each }, fields)
      assert.deepEqual(body, {})
    }
  }
  await callWithBoth()
  await begin()
  await callWithBoth()
  const { resealed } = await rotate()
  assert.deepEqual([resealed['auth_hooks.secret'], resealed['auth_hooks.previous_secret']], [1, 1])
  await callWithBoth()
  assert.equal((await world.query('select id from messages where workspace_id = $1', [workspaceId])).length, 1)
  const [sealed] = await world.query<Record<'now' | 'before', Buffer>>(
    'select secret as now, previous_secret as before from auth_hooks where id = $1',
    [hook.hookId],
  )
  const open = (bytes: Buffer = Buffer.of()) => createSealingKey(next).open(bytes, `hook:${hook.hookId}`)
  assert.deepEqual([open(sealed?.before), open(sealed?.now)], secrets)
})
