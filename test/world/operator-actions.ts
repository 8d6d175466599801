import { writeFile } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import { removeSent } from '../../src/operations/lifecycle/purge.ts'
import { diffSettings } from '../../src/cod/settings/settings-changes.ts'
import { defaultSettings } from '../../src/cod/settings/settings.ts'
import { record } from '../database/events.ts'
import { TEMPLATES, createHook } from './hooks.ts'
import { newFile } from './backups.ts'
import type { World } from './world.ts'

/** The command for each of the dashboard's calls that has one, with the members of the input. Missing members are left out. */
export const COMMANDS = {
  'workspaces.requestDeletion': 'workspace delete {workspaceId} --name={name}',
  'workspaces.cancelDeletion': 'workspace restore {workspaceId}',
  'workspaces.setQuota': 'workspace quota --workspace={workspaceId} --otp={otp} --cod-refusals={codRefusals}',
  'keys.create': 'key create --workspace={workspaceId} --name={name}',
  'keys.revoke': 'key revoke {publicId}',
  'endpoints.add':
    'endpoint add --workspace={workspaceId} --url={url} --description={description} --events={eventTypes}',
  'endpoints.update': 'endpoint update {endpointId} --url={url} --description={description} --events={eventTypes}',
  'endpoints.remove': 'endpoint delete {endpointId} --yes',
  'endpoints.pause': 'endpoint pause {endpointId}',
  'endpoints.resume': 'endpoint resume {endpointId}',
  'endpoints.enable': 'endpoint enable {endpointId}',
  'endpoints.rotate': 'endpoint rotate {endpointId}',
  'endpoints.ping': 'endpoint ping {endpointId}',
  'endpoints.resend': 'endpoint resend {endpointId} --event={eventId}',
  'endpoints.retryWaiting': 'endpoint resend {endpointId} --status=pending',
  'endpoints.resendChosen': 'endpoint resend {endpointId} --status={statuses}',
  'hooks.create':
    'hook create --workspace={workspaceId} --kind={kind} --name={name} --sender={senderId} --templates={templateList}',
  'hooks.update': 'hook update {hookId} --name={name}',
  'hooks.rotate': 'hook rotate {hookId}',
  'hooks.remove': 'hook delete {hookId} --yes',
  'senders.connect':
    'account connect --workspace={workspaceId} --waba-id={wabaId} --graph-url={graphUrl} --access-token={accessToken} --app-secret={appSecret} --verify-token={verifyToken}',
  'senders.sync': 'account sync {accountId}',
  'senders.removeAccount': 'account delete {accountId} --waba-id={wabaId}',
  'senders.pause': 'sender pause {senderId}',
  'senders.resume': 'sender resume {senderId}',
  'codSettings.save': 'cod-settings set --workspace={workspaceId} --file={file}',
  'blocked.add': 'block add --workspace={workspaceId} --phone={phone}',
  'blocked.remove': 'block remove --workspace={workspaceId} --phone={phone}',
  'recipients.export': 'recipient export --workspace={workspaceId} --phone={phone}',
  'recipients.erase': 'recipient erase --workspace={workspaceId} --phone={phone} --yes',
  'phone.advance': 'sandbox advance --workspace={workspaceId} --by={duration}',
  'phone.fill': 'sandbox fill --workspace={workspaceId} --days={days}',
  'phone.empty': 'sandbox empty --workspace={workspaceId} --yes',
} as const

export type ActionName = keyof typeof COMMANDS

export type Input = Readonly<Record<string, string | number | boolean | object | null>>

/** The words of every command that performs an action of the dashboard. */
export const sharedCommands = (): string[] => [
  ...new Set(Object.values(COMMANDS).map((command) => command.split(' ').slice(0, 2).join(' '))),
]

export type Entry = { action: string; target: string; before: object | null; after: object | null }

/** Something that an operator does, and the entry that it writes: without ids, times, keys and addresses. */
type Step = {
  action: ActionName
  input: Input
  entry: Entry
  before?: (() => Promise<unknown>) | undefined
}

/** Each action that has a command, in an order in which each has an effect. */
export async function stepsOf(t: TestContext, world: World): Promise<Step[]> {
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
    steps.push({ action, input, entry: { action: entry, target, before, after }, before: prepare })
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
  const hook = {
    kind: 'generic',
    name: 'Kratos',
    senderId,
    templates: TEMPLATES,
    templateList: 'login_code:en_US,login_code:ar',
  }
  const stored = { name: 'Kratos', senderId: '<id>', templates: ['login_code (en_US)', 'login_code (ar)'] }
  const pointers = ['/to', '/code', '/language']
  const kratos = { kind: 'generic', ...stored, pointers }
  step('hooks.create', hook, ['hook.created', '<id>', null, kratos])
  const { hookId } = await createHook(world, 'logto')
  const logto = { ...stored, name: 'logto' }
  step('hooks.update', { hookId, name: 'Logto' }, ['hook.updated', '<id>', logto, { ...logto, name: 'Logto' }])
  step('hooks.rotate', { hookId }, ['hook.secret_rotated', '<id>', null, { previousSecretUntil: '<time>' }])
  step('hooks.remove', { hookId }, ['hook.deleted', '<id>', { kind: 'logto', ...logto, name: 'Logto' }])
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
  const changes = diffSettings(undefined, defaultSettings('UTC'))
  const members = Object.fromEntries(changes.map(({ pointer, after }) => [pointer, after]))
  step('codSettings.save', saved, ['cod_settings.changed', '<id>', {}, members])
  const minute = { to: { byMs: 60_000 }, duration: '60s' }
  step('phone.advance', minute, ['clock.advanced', '<id>', null, { byMs: 60_000 }])
  step('phone.empty', {}, ['sandbox.emptied', '<id>'])
  step('phone.fill', { days: 3 }, ['sandbox.filled', '<id>', null, { days: 3 }], () => emptied(world))
  step('senders.removeAccount', { accountId, wabaId }, ['account.removed', '<id>', { wabaId }])
  const restored = () => requestDeletionOf(world, `now() + interval '1 day'`)
  step('workspaces.cancelDeletion', {}, ['workspace.deletion_cancelled', 'Test shop'], restored)
  const deletion = { deletionDueAt: '<time>' }
  step('workspaces.requestDeletion', {}, ['workspace.deletion_requested', 'Test shop', null, deletion])
  return steps
}

/** What the loop does after `phone.empty`; these worlds have none. */
async function emptied(world: World): Promise<void> {
  const { parts, workspaceId } = world
  while ((await parts.db.transaction((tx) => removeSent(tx, workspaceId))) === 'removed');
  await world.query('delete from sandbox_work where workspace_id = $1', [workspaceId])
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
