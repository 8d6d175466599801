import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { inSnakeCase } from '../../../dashboard/audit-log/action.ts'
import { english } from '../../../locales/resources.ts'
import { actions } from '../../../src/admin/actions/table.ts'
import { isAuditAction } from '../../../src/admin/audit/actions.ts'
import { dashboardRouter } from '../../../src/admin/router.ts'
import { newId } from '../../../src/lib/ids.ts'
import { record } from '../../database/events.ts'
import { failAuditEntries, stateOf } from '../../faults/audit-faults.ts'
import { newFile } from '../../world/backups.ts'
import { type ActionName, ENTRY_POINTS, type EntryPoint, type Input, openEntryPoint } from '../../world/entry-points.ts'
import { type World, startWorld } from '../../world/world.ts'

/** Actions without a call of the same name, and why. */
const NOT_CALLED: Readonly<Record<string, string>> = {
  'senders.takeOver': 'people may not see the other workspace',
  'endpoints.resume': 'the page has one button to enable an endpoint',
  'codSettings.set': 'a page saves only what was not changed since it was read',
}

/** Mutations that are not in the table of actions, and why. */
const NO_ACTION: Readonly<Record<string, string>> = {
  'workspaces.create': 'makes the workspace',
  'people.makePasswordLink': 'changes the instance',
  'codSettings.tryOut': 'changes nothing',
  'blocked.check': 'changes nothing',
  'senders.subscribers': 'changes nothing',
  'templates.submit': 'WhatsApp is asked between its transactions',
  'templates.refresh': 'a sync of one template',
  'templates.remove': 'WhatsApp is asked between its transactions',
  'recipients.find': 'changes nothing',
  'recipients.export': 'reads in many transactions, and records that it began',
  'recipients.erase': 'many transactions, of which a page sees the progress',
  'phone.connect': 'asks the emulator in its transaction',
  'phone.act': 'what a customer does',
  'phone.advance': 'many transactions',
  'phone.sendOtp': 'what a backend does',
  'phone.sendConfirmation': 'what a backend does',
  'phone.sendRefusalCheck': 'what a backend does',
}

type Definition = { _def: { type: string; meta?: { minRole?: string } } }

test('every action is a call with its name and role, and every other change says why it is not an action', () => {
  const calls = Object.entries(dashboardRouter._def.procedures as unknown as Record<string, Definition>)
  const changes = calls.filter(([path, { _def }]) => _def.type === 'mutation' && !/^(session|account)\./.test(path))
  const roles = Object.fromEntries(changes.map(([path, { _def }]) => [path, _def.meta?.minRole]))
  const listed = Object.entries(actions).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, { minRole }]): [string, string] => [`${noun}.${verb}`, minRole]),
  )
  const called = listed.filter(([path]) => !(path in NOT_CALLED))
  assert.deepEqual(
    called,
    called.map(([path]) => [path, roles[path]]),
  )
  const others = Object.keys(roles).filter((path) => !called.some(([each]) => each === path))
  assert.deepEqual(others.toSorted(), Object.keys(NO_ACTION).toSorted())
})

type Entry = { action: string; target: string; before: object | null; after: object | null }

/** Something that an operator does, and the entry that it writes: without ids, times, keys and addresses. */
type Step = {
  does: (entryPoint: EntryPoint) => Promise<Record<string, unknown>>
  name: string
  entry: Entry
  before?: (() => Promise<unknown>) | undefined
}

/** Each action that has a command, in an order in which each has an effect. */
async function stepsOf(t: TestContext, world: World): Promise<Step[]> {
  const { workspaceId, senderId, account, credentials } = world
  const { accountId, senders, templates } = account
  await world.query('update workspaces set sandbox = true where id = $1', [workspaceId])
  const receiver = await world.receiver()
  receiver.always({ status: 500 }) // the ping waits, is held by the pause, and is sent again
  const { endpointId, url } = receiver
  const { host } = new URL(url)
  const [, publicId = ''] = (await world.freshKey()).split('_')
  const [eventId = ''] = await record(world, 1)
  const [{ deliveryId } = { deliveryId: '' }] = await world.query<{ deliveryId: string }>(
    'select id as "deliveryId" from webhook_deliveries where event_id = $1',
    [eventId],
  )
  const { file } = await newFile(t)
  await writeFile(file, '{"timeZone":"UTC"}')
  const phone = '+212600000001'
  const settings = { url: '<url>', description: 'The shop', eventTypes: null }
  const steps: Step[] = []
  const step = (
    action: ActionName,
    input: Input,
    [entry, target, before = null, after = null]: [string, string, (object | null)?, (object | null)?],
    prepare?: () => Promise<unknown>,
  ): void => {
    const does = (entryPoint: EntryPoint) => entryPoint.perform(action, input)
    steps.push({ name: action, does, entry: { action: entry, target, before, after }, before: prepare })
  }
  const endpoint = { endpointId }
  const units = (monthlyUnits: number) => ({ monthlyUnits })
  const quota = { kind: 'cod_refusal', monthlyUnits: 7, codRefusals: 7 }
  step('workspaces.setQuota', quota, ['quota.changed', 'cod_refusal', units(10_000), units(7)])
  step('keys.create', { name: 'backend' }, ['key.created', '<key>', null, { name: 'backend', expiresAt: null }])
  const revoked = { name: 'test', lastUsedAt: null, working: true }
  step('keys.revoke', { publicId }, ['key.revoked', '<key>', revoked])
  const added = { url: 'http://127.0.0.1:9/hook', description: 'Orders', eventTypes: ['message.sent'] }
  step('endpoints.add', added, ['endpoint.added', '<id>', null, { ...added, url: '<url>' }])
  const update = { ...endpoint, description: 'The shop' }
  step('endpoints.update', update, ['endpoint.updated', '<id>', { ...settings, description: '' }, settings])
  step('endpoints.ping', endpoint, ['endpoint.pinged', '<id>'])
  step('endpoints.pause', endpoint, ['endpoint.paused', '<id>'])
  const paused = { status: 'paused', reason: null, failingSince: null }
  // a command attempts the ping itself, and fails
  const healthy = () => world.query('update webhook_endpoints set failing_since = null where id = $1', [endpointId])
  step('endpoints.resume', endpoint, ['endpoint.resumed', '<id>', paused], healthy)
  const delivery = { ...endpoint, deliveryId, eventId }
  step('endpoints.resend', delivery, ['endpoint.resent_one', '<id>', { eventId: '<id>', status: 'held' }])
  const at = new Date(Date.now() + 60_000).toISOString()
  const chosen = { ...endpoint, statuses: ['held'], at }
  step('endpoints.resendChosen', chosen, ['endpoint.resent', '<id>', null, { resent: 1, statuses: ['held'] }])
  step('endpoints.rotate', endpoint, ['endpoint.secret_rotated', '<id>', null, { previousSecretUntil: '<time>' }])
  const disabled = { status: 'disabled', reason: { code: 'text', text: 'x' }, failingSince: null }
  step('endpoints.enable', endpoint, ['endpoint.enabled', '<id>', disabled], () => disable(world, endpointId))
  const removed = { ...settings, status: 'enabled' }
  step('endpoints.remove', { ...endpoint, host }, ['endpoint.deleted', '<id>', removed])
  step('senders.pause', { senderId }, ['sender.paused', '<id>'])
  step('senders.resume', { senderId }, ['sender.resumed', '<id>'])
  const counts = { numbers: senders.length, templates: templates.length }
  step('senders.sync', { accountId }, ['account.synced', '<id>', null, counts])
  const { wabaId } = credentials
  step('senders.connect', credentials, ['account.renewed', '<id>', null, { wabaId, graphUrl: '<url>' }])
  step('blocked.add', { phone }, ['recipient.blocked', phone, null, { reason: null }])
  const blocked = { reason: null, blockedBy: '<who>', blockedAt: '<time>' }
  step('blocked.remove', { phone }, ['recipient.unblocked', phone, blocked])
  const held = { oneTimeCodes: 0, confirmations: 0, isBlocked: false }
  step('recipients.export', { phone }, ['recipient.exported', '1 recipient', null, held])
  step('recipients.erase', { phone, keepBlock: false }, ['recipient.erased', '<pseudonym>', null, held])
  const saved = { settings: { timeZone: 'UTC' }, basedOn: null, file }
  const timers = (check: string) => ({ [`/${check}/noResponseMinutes`]: 1440, [`/${check}/reminderMinutes`]: null })
  const days = { '/deliveryDays/offered': 3, '/deliveryDays/skipWeekdays': [] }
  const members = { '/timeZone': 'UTC', ...days, ...timers('confirmation'), ...timers('refusal') }
  step('codSettings.save', saved, ['cod_settings.changed', '<id>', {}, members])
  const minute = { to: { byMs: 60_000 }, duration: '60s' }
  step('phone.advance', minute, ['clock.advanced', '<id>', null, { byMs: 60_000 }])
  step('senders.removeAccount', { accountId, wabaId }, ['account.removed', '<id>', { wabaId }])
  const restored = () => requestDeletionOf(world, `now() + interval '1 day'`)
  step('workspaces.cancelDeletion', {}, ['workspace.deletion_cancelled', 'Test shop'], restored)
  const deletion = { deletionDueAt: '<time>' }
  step('workspaces.requestDeletion', {}, ['workspace.deletion_requested', 'Test shop', null, deletion])
  return steps
}

for (const name of ENTRY_POINTS)
  test(`every action of the ${name} is audited without secrets, or fails and changes nothing`, async (t) => {
    const world = await startWorld(t, { works: false, mayLogErrors: true })
    const entryPoint = await openEntryPoint(world, name)
    const begun = newId()
    const { accessToken, appSecret, verifyToken } = world.credentials
    const secrets: unknown[] = [accessToken, appSecret, verifyToken]
    for (const step of await stepsOf(t, world)) {
      await step.before?.()
      const state = await stateOf(world)
      const failing = await failAuditEntries(world, `new.who = '${entryPoint.who}'`)
      await assert.rejects(step.does(entryPoint), /internal error/i, step.name)
      await failing.again()
      assert.deepEqual(await stateOf(world), state, step.name)

      const called = newId()
      const result = await step.does(entryPoint)
      secrets.push(...['apiKey', 'secret'].flatMap((member) => result[member] ?? []))
      assert.deepEqual(await entriesSince(world, called, entryPoint.who), [step.entry], step.name)
      assertLabelled(step.entry)
    }
    const all = JSON.stringify(await world.query('select * from audit_log where id > $1', [begun]))
    for (const secret of secrets) assert.ok(!all.includes(String(secret)), 'a secret is in the audit log')
  })

/** The log's page has a name for each value. */
function assertLabelled({ action, before, after }: Entry): void {
  assert.ok(isAuditAction(action), action)
  for (const field of Object.keys({ ...before, ...after }).filter((name) => !name.startsWith('/')))
    assert.ok(english.has(`page_audit_log.fields_${inSnakeCase(field)}`), `${action}: ${field}`)
}

/** Entries that were written after this id was made, of the world's workspace or by this operator. */
async function entriesSince(world: World, id: string, who: string): Promise<Entry[]> {
  const entries = await world.query<Entry & { who: string; workspaceId: string }>(
    `select action, target, before, after, who, workspace_id as "workspaceId" from audit_log
     where id > $1 and (workspace_id = $2 or who = $3) order by id`,
    [id, world.workspaceId, who],
  )
  return entries.map(({ who: writer, workspaceId, ...entry }) => {
    assert.deepEqual([writer, workspaceId], [who, world.workspaceId])
    const text = JSON.stringify(entry)
      .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '<id>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/http:\/\/127[^"]*/g, '<url>')
      .replace(/"erased:[^"]*"/, '"<pseudonym>"')
      .replace(/"target":"[a-z2-7]{12}"/, '"target":"<key>"')
      .replaceAll(`"${who}"`, '"<who>"')
    return JSON.parse(text) as Entry
  })
}

/** `due` is SQL. */
const requestDeletionOf = (world: World, due: string) =>
  world.query(`update workspaces set deletion_requested_at = ${due}, deletion_due_at = ${due} where id = $1`, [
    world.workspaceId,
  ])

const disable = (world: World, endpointId: string) =>
  world.query(
    `update webhook_endpoints set status = 'disabled', status_reason = '{"code":"text","text":"x"}' where id = $1`,
    [endpointId],
  )
