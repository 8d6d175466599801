import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Emulator, startEmulator } from '@doorcode/whatsapp-emulator'
import { createKey } from '../../../src/workspaces/keys/keys.ts'
import { failAuditEntries } from '../../faults/audit-faults.ts'
import { createCalls, signIn } from '../../world/dashboard.ts'
import { freePort } from '../../programs/program.ts'
import { waitFor } from '../../world/wait-for.ts'
import { newPhone, startWorld } from '../../world/world.ts'

/** A new sandbox without an account, on a node whose emulator would be at this port. */
async function newSandbox(t: TestContext, port: number, { mayLogErrors = false } = {}) {
  const world = await startWorld(t, { mayLogErrors })
  const own = await freePort()
  const settings = { DOORCODE_EMULATOR_PORT: String(port), DOORCODE_PUBLIC_URL: `http://127.0.0.1:${own}` }
  const node = await world.node({ port: own, settings })
  const operator = await signIn(world, 'operator')
  t.after(() => world.query('delete from operators'))
  const calls = createCalls(node.url, operator.cookie)
  const { workspaceId } = await calls.workspaces.create.mutate({ name: 'New shop', sandbox: true })
  return { world, node, calls, workspaceId }
}

const portOf = ({ url }: { url: string }): number => Number(new URL(url).port)

const accountsOf = (emulator: Emulator): Promise<{ accounts: { id: string; callbackUrl?: string }[] }> =>
  fetch(`${emulator.url}/control/accounts`).then((answer) => answer.json() as never)

async function quickEmulator(t: TestContext, port = 0): Promise<Emulator> {
  const emulator = await startEmulator({ port, speed: 0, batch: { windowMs: 0 } })
  t.after(() => emulator.close())
  return emulator
}

/** A code whose request broke off, such as on a connection that an ended emulator closed, waits 10 s for its report. */
const LONG_MS = 60_000

/** Sends a code with the workspace's first request, and waits until its phone has read it. */
async function sendsCode(sandbox: Awaited<ReturnType<typeof newSandbox>>): Promise<string> {
  const { calls, node, world, workspaceId } = sandbox
  const first = await calls.keys.firstRequest.query({ workspaceId, language: 'en' })
  assert.equal(first.missing, null)
  const { apiKey } = await createKey(world.parts.db, world.clock, { workspaceId, name: 'test' })
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const to = newPhone()
  const body = JSON.stringify({ to, senderId: first.senderId, template: first.template, code: '493817' })
  const sent = await fetch(`${node.url}/api/v1/otp/messages`, { method: 'POST', headers, body })
  const { messageId } = (await sent.json()) as { messageId: string }
  await waitFor(
    'the message to be read',
    async () => {
      node.wake()
      const answer = await fetch(`${node.url}/api/v1/otp/messages/${messageId}`, { headers })
      return ((await answer.json()) as { status: string }).status === 'read'
    },
    LONG_MS,
  )
  return to
}

test('one click connects a sandbox to the emulator, and its first code is read there', async (t) => {
  const emulator = await quickEmulator(t)
  const sandbox = await newSandbox(t, portOf(emulator))
  const { calls, workspaceId } = sandbox
  assert.deepEqual(await calls.phone.connect.mutate({ workspaceId }), { numbers: 1, templates: 9 })
  const steps = await calls.workspaces.firstSteps.query({ workspaceId })
  assert.deepEqual([steps.account, steps.template], [true, true])
  const usable = await calls.phone.sendable.query({ workspaceId, number: await numberOf(sandbox) })
  for (const templates of Object.values(usable.templates)) assert.ok(templates.length > 0)
  const to = await sendsCode(sandbox)
  assert.match(
    JSON.stringify(await calls.phone.chat.query({ workspaceId, phone: to, number: await numberOf(sandbox) })),
    /493817/,
  )
})

async function numberOf({ calls, workspaceId }: Pick<Awaited<ReturnType<typeof newSandbox>>, 'calls' | 'workspaceId'>) {
  const [sender] = await calls.senders.list.query({ workspaceId })
  assert.ok(sender)
  return sender.phoneNumberId
}

test('repeated and simultaneous clicks make one account, and each is audited', async (t) => {
  const emulator = await quickEmulator(t)
  const { calls, workspaceId } = await newSandbox(t, portOf(emulator))
  await Promise.all([1, 2, 3].map(() => calls.phone.connect.mutate({ workspaceId })))
  await calls.phone.connect.mutate({ workspaceId })
  assert.equal((await calls.senders.accounts.query({ workspaceId })).length, 1)
  assert.equal((await calls.senders.list.query({ workspaceId })).length, 1)
  assert.equal((await accountsOf(emulator)).accounts.length, 1)
  const { entries } = await calls.auditLog.list.query({ workspaceId })
  const actions = entries.map(({ action }) => action).filter((action) => action.startsWith('account.'))
  assert.deepEqual(actions.toSorted(), ['account.connected', 'account.renewed', 'account.renewed', 'account.renewed'])
})

test('without a running emulator the click says how to start one, and stores nothing', async (t) => {
  const port = await freePort()
  const sandbox = await newSandbox(t, port)
  const { calls, workspaceId } = sandbox
  await assert.rejects(calls.phone.connect.mutate({ workspaceId }), /not running.*npm run emulator/)
  assert.deepEqual(await calls.senders.accounts.query({ workspaceId }), [])
  await quickEmulator(t, port)
  await calls.phone.connect.mutate({ workspaceId })
  await sendsCode(sandbox)
})

test('after the emulator lost its state, the same click restores the account', async (t) => {
  const first = await quickEmulator(t)
  const port = portOf(first)
  const sandbox = await newSandbox(t, port)
  const { calls, workspaceId } = sandbox
  await calls.phone.connect.mutate({ workspaceId })
  const senders = await calls.senders.list.query({ workspaceId })
  await first.close()
  await quickEmulator(t, port)
  await calls.phone.connect.mutate({ workspaceId })
  assert.equal((await calls.senders.accounts.query({ workspaceId })).length, 1)
  const kept = (await calls.senders.list.query({ workspaceId })).map(({ senderId }) => senderId)
  assert.deepEqual(
    kept,
    senders.map(({ senderId }) => senderId),
  )
  await sendsCode(sandbox)
})

test('only admins of a sandbox connect it to the emulator', async (t) => {
  const emulator = await quickEmulator(t)
  const { world, node, calls, workspaceId } = await newSandbox(t, portOf(emulator))
  const member = await signIn(world, 'member')
  await world.query('update members set workspace_id = $1 where user_id = $2', [workspaceId, member.userId])
  const asMember = createCalls(node.url, member.cookie)
  await assert.rejects(asMember.phone.connect.mutate({ workspaceId }), /requires the role admin/)
  await world.query('update workspaces set sandbox = false where id = $1', [workspaceId])
  await assert.rejects(calls.phone.connect.mutate({ workspaceId }), /a live workspace/)
  assert.deepEqual((await accountsOf(emulator)).accounts, [])
})

test('without its audit entry an account is not connected, and another click connects it', async (t) => {
  const emulator = await quickEmulator(t)
  const sandbox = await newSandbox(t, portOf(emulator), { mayLogErrors: true })
  const { world, calls, workspaceId } = sandbox
  const entries = await failAuditEntries(world, `new.action = 'account.connected'`)
  await assert.rejects(calls.phone.connect.mutate({ workspaceId }), /internal error/)
  await entries.again()
  assert.deepEqual(await calls.senders.accounts.query({ workspaceId }), [])
  await calls.phone.connect.mutate({ workspaceId })
  await sendsCode(sandbox)
})

test('two sandboxes on one emulator see only their own chats', async (t) => {
  const emulator = await quickEmulator(t)
  const one = await newSandbox(t, portOf(emulator))
  const { workspaceId } = await one.calls.workspaces.create.mutate({ name: 'Other shop', sandbox: true })
  const other = { ...one, workspaceId }
  for (const { calls, workspaceId } of [one, other]) await calls.phone.connect.mutate({ workspaceId })
  const to = await sendsCode(one)
  const number = await numberOf(one)
  assert.notEqual(number, await numberOf(other))
  await assert.rejects(other.calls.phone.chat.query({ workspaceId, phone: to, number }))
  const live = await fetch(`${one.node.url}/dashboard/emulator/${workspaceId}/live`, {
    headers: { cookie: (await signIn(one.world, 'operator')).cookie },
    signal: AbortSignal.timeout(20_000),
  })
  const reader = live.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  const state = Buffer.from(value ?? []).toString()
  assert.match(state, /"kind":"state"/)
  assert.doesNotMatch(state, new RegExp(`${to.slice(1)}|${number}`))
})
