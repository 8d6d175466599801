import assert from 'node:assert/strict'
import { readFile, readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { MINUTE_MS, later } from '../../../src/lib/clock.ts'
import { newPseudonym } from '../../../src/lib/phone/erased-recipient.ts'
import { keepUnfinished } from '../../../src/operations/lifecycle/recipients/unfinished.ts'
import { blockRecipients } from '../../../src/workspaces/blocked.ts'
import { runCommandIn } from '../../world/command-line.ts'
import { signIn } from '../../world/dashboard.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'
import { temporaryFolder } from '../../world/temporary-folder.ts'

const OWNER_ONLY = 0o600

test('an export has everything about a person, never a code, and the audit log does not name them', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const receiver = await world.receiver()
  receiver.always({ status: 200, body: 'thanks' })
  const order = await world.askToConfirm()
  await world.customer(order).taps('Change time')
  await world.customer(order).types('after the noon prayer')
  const otp = await world.sendOtp({ to: order.to })
  await world.whatsapp.reports(otp, ['sent'])
  await world.submitOtp()
  const file = path.join(await temporaryFolder(t), 'person.json')
  const result = await json(world, 'export', order.to, '--file', file)
  assert.deepEqual(
    [result['found'], result['counts']],
    [true, { oneTimeCodes: 1, confirmations: 1, reports: 0, auditEntries: 0, blocks: 0 }],
  )
  assert.equal((await stat(file)).mode & 0o777, OWNER_ONLY)
  const text = await readFile(file, 'utf8')
  const data = JSON.parse(text) as ExportedData
  const [code, confirmation] = [data.oneTimeCodes[0], data.confirmations[0]]
  assert.equal(code?.id, otp.messageId)
  assert.equal(code?.events[0]?.body.data['to'], order.to)
  assert.equal(code?.events[0]?.deliveries[0]?.attempts[0]?.response, 'thanks')
  assert.equal(code?.reports[0]?.body['recipient_id'], order.to.slice(1))
  assert.equal(confirmation?.reschedule.note, 'after the noon prayer')
  assert.deepEqual(confirmation?.parameters, { body: ['Ana', '5521', '349 MAD'] })
  assert.deepEqual(
    confirmation?.messages.map(({ purpose }) => purpose),
    ['template', 'day_question', 'closing'],
  )
  assert.equal(confirmation?.customerMessages.length, 2)
  assert.ok(!text.includes(otp.code))
  const entries = await world.query<{ entry: string }>(
    `select a::text as entry from audit_log a where workspace_id = $1 and action = 'recipient.exported'`,
    [world.workspaceId],
  )
  assert.equal(entries.length, 1)
  assert.ok(!entries[0]?.entry.includes(order.to.slice(1)))
})

test('neither an erased person nor an unknown number is found', async (t) => {
  const world = await startWorld(t)
  const otp = await world.submitOtp()
  const erased = await json(world, 'erase', otp.to)
  assert.deepEqual([erased['found'], (erased['erased'] as { messages: number }).messages], [true, 1])
  assert.equal((await world.getOtp(otp)).to, erased['pseudonym'])
  for (const phone of [otp.to, newPhone()]) {
    const { found, pseudonym } = await json(world, 'erase', phone)
    assert.deepEqual([found, pseudonym], [false, null])
    assert.equal((await json(world, 'export', phone))['found'], false)
    assert.match((await run(world, 'erase', phone)).stdout, /^Nothing is held about \+212/)
  }
})

test('an erasure of a single message reports one message, and not one messages', async (t) => {
  const world = await startWorld(t)
  const otp = await world.submitOtp()
  const { stdout } = await run(world, 'erase', otp.to)
  assert.match(
    stdout,
    /was erased: 1 message, 0 confirmations, \d+ events?, \d+ reports?, 0 entries of the audit log\./,
  )
})

test('an erasure without --yes changes nothing and says what it would erase', async (t) => {
  const world = await startWorld(t)
  const otp = await world.sendOtp()
  const { code, stderr } = await runRecipient(world, 'erase', otp.to)
  assert.equal(code, 1)
  assert.match(stderr, /erases everything about \+\d+ for good\. To do so, add --yes\./)
  assert.equal((await world.getOtp(otp)).to, otp.to)
})

test('the erased reason of a kept block is reported and is in the audit log', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [phone, another] = [newPhone(), newPhone()]
  const recipients = [phone, another].map((each) => ({ phone: each, reason: 'Asked us to stop' }))
  await blockRecipients(world.parts, { workspaceId, by: null, recipients })
  const result = await json(world, 'erase', phone, '--keep-block')
  assert.deepEqual([result['found'], result['blocked']], [true, true])
  const entries = await world.query(`select target, after from audit_log where workspace_id = $1`, [workspaceId])
  assert.deepEqual(entries, [
    { target: result['pseudonym'], after: { oneTimeCodes: 0, confirmations: 0, isBlocked: true } },
  ])
  assert.match(
    (await run(world, 'erase', another, '--keep-block')).stdout,
    /\nThe number stays blocked, without a reason\./,
  )
  assert.match(
    (await run(world, 'erase', another, '--keep-block')).stdout,
    /^Nothing else is held about .+\nThe number stays blocked/,
  )
})

test('the command and the dashboard say that they finished an earlier erasure, with its pseudonym', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const { calls } = await signIn(world, 'owner')
  const phone = newPhone()
  const pseudonym = newPseudonym()
  const { db, seal } = world.parts
  const begun = { pseudonym, startedAt: later(new Date(), -MINUTE_MS) }
  const interrupt = () =>
    db.transaction((tx) => keepUnfinished(tx, seal, { workspaceId, phones: [phone], userIds: [] }, begun))
  await interrupt()
  const { stdout } = await run(world, 'erase', phone)
  assert.equal(
    stdout,
    `The earlier erasure is finished.\nMessages and confirmations show "${pseudonym}" instead of the number.\n`,
  )
  assert.match((await run(world, 'erase', phone)).stdout, /^Nothing is held about/)
  await interrupt()
  const { erasure } = await calls.recipients.erase.mutate({ workspaceId, phone, keepBlock: false })
  assert.deepEqual([erasure.finishesEarlier, erasure.pseudonym], [true, pseudonym])
})

test('a number without + is rejected, with the form to write if it begins with 00', async (t) => {
  const world = await startWorld(t)
  for (const [typed, problem] of [
    ['00213612345678', /--phone must be in international format: write it as \+213612345678, not 00213612345678/],
    ['612345678', /in international format, such as \+212612345678, not 612345678/],
    ['0612345678', /--phone must be a phone number in international format, such as \+212612345678, not 0612345678/],
    ['', /--phone must not be empty/],
  ] as const)
    assert.match((await run(world, 'erase', typed)).stderr, problem)
})

test('an export to an unusable file leaves no file and no audit entry', async (t) => {
  const world = await startWorld(t)
  const directory = await temporaryFolder(t)
  const taken = path.join(directory, 'taken.json')
  await writeFile(taken, 'mine')
  const to = newPhone()
  for (const [file, problem] of [
    [taken, /taken\.json already exists\. Choose another name\./],
    [path.join(directory, 'no', 'person.json'), /The folder .*no does not exist\. Create it first\./],
    [directory, /is not a regular file\. Choose another name\./],
    [
      path.join(taken, 'person.json'),
      /person\.json cannot be written \(ENOTDIR\)\. Choose a file that this user may create/,
    ],
  ] as const)
    assert.match((await run(world, 'export', to, '--file', file)).stderr, problem)
  assert.deepEqual(await readdir(directory), ['taken.json'])
  assert.equal(await readFile(taken, 'utf8'), 'mine')
  const entries = await world.query(`select action from audit_log where workspace_id = $1`, [world.workspaceId])
  assert.deepEqual(entries, [])
})

test('an export to "-" is the object on standard output, and no file', async (t) => {
  const world = await startWorld(t, { works: false })
  const phone = newPhone()
  for (const form of [['--json'], []]) {
    const { code, stdout, stderr } = await run(world, 'export', phone, '--file', '-', ...form)
    assert.deepEqual([code, stderr], [0, ''])
    const { found, phone: exported } = JSON.parse(stdout) as { found: boolean; phone: string }
    assert.deepEqual([found, exported], [false, phone])
  }
  await assert.rejects(stat('-'), { code: 'ENOENT' })
})

test('an export on standard output has a customer’s texts as they were written, and prints no invisible character', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const order = await world.askToConfirm()
  await world.customer(order).taps('Change time')
  const note = 'first line\n  second line \u001b[2J \u202e'
  await world.customer(order).types(note)
  const { stdout } = await run(world, 'export', order.to)
  assert.equal((JSON.parse(stdout) as ExportedData).confirmations[0]?.reschedule.note, note)
  for (const invisible of ['\u001b', '\u202e']) assert.ok(!stdout.includes(invisible))
})

test('an owner finds, downloads and erases a recipient, with one entry in the log', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const { calls } = await signIn(world, 'owner')
  const otp = await world.submitOtp()
  const { to: phone } = otp
  await calls.blocked.add.mutate({ workspaceId, phone })
  assert.deepEqual(await calls.recipients.find.mutate({ workspaceId, phone: ` ${phone}` }), {
    phone,
    oneTimeCodes: 1,
    confirmations: 0,
    isBlocked: true,
  })
  const { text } = await calls.recipients.export.mutate({ workspaceId, phone })
  assert.equal((JSON.parse(text) as ExportedData).oneTimeCodes.length, 1)
  let erasure: Awaited<ReturnType<typeof calls.recipients.erase.mutate>>['erasure'] | undefined
  do ({ erasure } = await calls.recipients.erase.mutate({ workspaceId, phone, keepBlock: true, erasure }))
  while (erasure.stage !== 'done')
  assert.equal((await world.getOtp(otp)).to, erasure.pseudonym)
  const { entries } = await calls.auditLog.list.query({ workspaceId, action: 'recipient.erased' })
  assert.deepEqual(
    entries.map(({ target, after }) => [target, after]),
    [[erasure.pseudonym, { oneTimeCodes: 1, confirmations: 0, isBlocked: true }]],
  )
  assert.equal((await calls.recipients.find.mutate({ workspaceId, phone })).isBlocked, true)

  const another = await world.submitOtp()
  await calls.recipients.erase.mutate({ workspaceId, phone: another.to, keepBlock: false, erasure })
  assert.notEqual((await world.getOtp(another)).to, erasure.pseudonym)
  const after = await calls.auditLog.list.query({ workspaceId, action: 'recipient.erased' })
  assert.equal(after.entries.length, 2, 'another number cannot share the pseudonym and the entry')
  await assert.rejects(() => calls.recipients.find.mutate({ workspaceId, phone: '0612' }), /fields/)
})

type Report = { body: Record<string, unknown> }
type ExportedData = {
  oneTimeCodes: {
    id: string
    reports: Report[]
    events: { body: { data: Record<string, unknown> }; deliveries: { attempts: { response: string }[] }[] }[]
  }[]
  confirmations: {
    parameters: unknown
    reschedule: { note: string }
    messages: { purpose: string }[]
    customerMessages: Report[]
  }[]
}

const run = (world: World, what: 'export' | 'erase', phone: string, ...more: string[]) =>
  runRecipient(world, what, phone, ...(what === 'erase' ? ['--yes'] : []), ...more)

const runRecipient = (world: World, what: string, phone: string, ...more: string[]) =>
  runCommandIn(world, ['recipient', what, '--workspace', world.workspaceId, '--phone', phone, ...more])

async function json(world: World, what: 'export' | 'erase', phone: string, ...more: string[]) {
  const { code, stdout, stderr } = await run(world, what, phone, ...more, '--json')
  assert.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout) as Record<string, unknown>
}
