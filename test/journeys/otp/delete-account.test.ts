import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findWebhookAccount, getAccount } from '../../../src/accounts/accounts.ts'
import { connectAccount } from '../../world/set-up.ts'
import { syncAccount, syncLoop } from '../../../src/accounts/sync/sync.ts'
import { submitLoop } from '../../../src/messages/queue/submit.ts'
import { signIn } from '../../world/dashboard.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, startWorld } from '../../world/world.ts'

const post = async (world: World) => {
  const answer = await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })
  return answer.status === 202 ? 202 : answer.body['code']
}

const remove = async (world: World) => {
  const { workspaceId, account, credentials } = world
  const { calls } = await signIn(world, 'admin')
  await calls.senders.removeAccount.mutate({
    workspaceId,
    accountId: account.accountId,
    wabaId: ` ${credentials.wabaId} `,
  })
}

test('a deleted account’s sender is not found, and late reports still count', async (t) => {
  const world = await startWorld(t)
  const { workspaceId, account, credentials, parts } = world
  const { accountId } = account
  const otp = await world.submitOtp()
  await remove(world)
  assert.equal(await post(world), 'OTP_SENDER_NOT_FOUND')
  await world.whatsapp.reports(otp, ['delivered'])
  assert.equal((await world.getOtp(otp))['status'], 'delivered')

  const { calls } = await signIn(world, 'admin')
  assert.deepEqual(await calls.senders.accounts.query({ workspaceId }), [])
  assert.deepEqual(await calls.senders.list.query({ workspaceId }), [])
  await assert.rejects(syncAccount(parts, accountId), /No account has the id/)
  await syncLoop(parts).turn()
  const [row] = await world.query<{ text: string }>('select a::text as text from provider_accounts a where id = $1', [
    accountId,
  ])
  assert.match(row?.text ?? '', /removed/)
  world.advance('169h')
  const webhooks = await findWebhookAccount(parts, accountId)
  assert.ok(webhooks && webhooks.previousAppSecret && webhooks.previousAppSecret.until < world.clock.now())
  assert.ok(![webhooks.appSecret, webhooks.verifyToken].some((secret) => Object.values(credentials).includes(secret)))
})

test('a message that waits for a deleted account is sent once the account is connected again', async (t) => {
  const world = await startWorld(t, { works: false })
  const { account, credentials, parts } = world
  const { messageId } = await world.sendOtp()
  await remove(world)
  const worker = await world.node({ works: true })
  const submission = submitLoop({ ...worker.parts })
  await submission.turn()
  assert.equal((await world.getOtp({ messageId }))['status'], 'queued')

  const connected = await connectAccount(parts, credentials)
  assert.deepEqual([connected.accountId, connected.senders], [account.accountId, account.senders])
  assert.equal((await getAccount(parts, account.accountId)).accessToken, credentials.accessToken)
  const webhooks = await findWebhookAccount(parts, account.accountId)
  assert.equal(webhooks?.previousAppSecret?.secret, credentials.appSecret)
  await waitFor('WhatsApp to accept the message', async () => {
    worker.wake()
    const rows = await world.query('select from messages where id = $1 and accepted_at is not null', [messageId])
    return rows.length > 0
  })
})

test('an account of another workspace is answered like a missing one, and stays', async (t) => {
  const [world, theirs] = [await startWorld(t), await startWorld(t)]
  const { workspaceId } = world
  const { calls } = await signIn(world, 'admin')
  const foreign = { workspaceId, accountId: theirs.account.accountId, wabaId: theirs.credentials.wabaId }
  await assert.rejects(calls.senders.removeAccount.mutate(foreign), /no such account/)
  assert.equal(await post(theirs), 202)
})
