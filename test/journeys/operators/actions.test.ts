import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOfAction, inSnakeCase } from '../../../dashboard/audit-log/action.ts'
import { english } from '../../../locales/resources.ts'
import { actions } from '../../../src/admin/actions/table.ts'
import { resourceOf } from '../../../src/admin/audit/actions.ts'
import { dashboardRouter } from '../../../src/admin/router.ts'
import { newId } from '../../../src/lib/ids.ts'
import { failAuditEntries, stateOf } from '../../faults/audit-faults.ts'
import { ENTRY_POINTS, openEntryPoint } from '../../world/entry-points.ts'
import { type Entry, stepsOf } from '../../world/operator-actions.ts'
import { type World, startWorld } from '../../world/world.ts'

/** Mutations that are not in the table of actions, and why. */
const NO_ACTION: Readonly<Record<string, string>> = {
  'workspaces.create': 'makes the workspace',
  'people.makePasswordLink': 'changes the instance',
  'codSettings.tryOut': 'changes nothing',
  'blocked.check': 'changes nothing',
  'senders.subscribers': 'changes nothing',
  'templates.refresh': 'a sync of one template',
  'recipients.find': 'changes nothing',
  'phone.connect': 'asks the emulator in its transaction',
  'phone.act': 'what a customer does',
  'phone.sendOtp': 'what a backend does',
  'phone.sendConfirmation': 'what a backend does',
  'phone.sendRefusalCheck': 'what a backend does',
}

type Definition = { _def: { type: string; meta?: { minRole?: string } } }

test('every action of pages is a call with its name and role, and every other change says why it is not an action', () => {
  const calls = Object.entries(dashboardRouter._def.procedures as unknown as Record<string, Definition>)
  const changes = calls.filter(([path, { _def }]) => _def.type === 'mutation' && !/^(session|account)\./.test(path))
  const roles = Object.fromEntries(changes.map(([path, { _def }]) => [path, _def.meta?.minRole]))
  const called = Object.entries(actions).flatMap(([noun, verbs]) =>
    Object.entries<{ minRole: string; onlyForCommands?: true }>(verbs).flatMap(([verb, action]) =>
      action.onlyForCommands ? [] : [[`${noun}.${verb}`, action.minRole]],
    ),
  )
  assert.deepEqual(
    called,
    called.map(([path = '']) => [path, roles[path]]),
  )
  const others = Object.keys(roles).filter((path) => !called.some(([each]) => each === path))
  assert.deepEqual(others.toSorted(), Object.keys(NO_ACTION).toSorted())
})

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
      await assert.rejects(entryPoint.perform(step.action, step.input), /internal error/i, step.action)
      await failing.again()
      assert.deepEqual(await stateOf(world), state, step.action)

      const called = newId()
      const result = await entryPoint.perform(step.action, step.input)
      secrets.push(...['apiKey', 'secret'].flatMap((member) => result[member] ?? []))
      assert.deepEqual(await entriesSince(world, called, entryPoint.who), [step.entry], step.action)
      assertLabelled(step.entry)
    }
    const all = JSON.stringify(await world.query('select * from audit_log where id > $1', [begun]))
    for (const secret of secrets) assert.ok(!all.includes(String(secret)), 'a secret is in the audit log')
  })

/** The log's page has a name for each value. */
function assertLabelled({ action, before, after }: Entry): void {
  assert.ok(resourceOf(action) && english.has(codeOfAction(action)), action)
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
