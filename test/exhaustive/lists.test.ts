import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Sql, type Statement, type Value, openDb } from '../../src/lib/db/pool.ts'
import { countConfirmations, listConfirmations } from '../../src/cod/list.ts'
import {
  actionsOf,
  selectActions,
  selectEntries,
  selectEntriesOf,
  selectPeople,
} from '../../src/admin/audit/audit-log.ts'
import { countMessages, listMessages } from '../../src/messages/search.ts'
import { listDeliveries } from '../../src/explain/deliveries.ts'
import { FIRST_ID, LAST_ID, firstIdAt } from '../../src/lib/ids.ts'
import { MAX_SCANNED_ROWS } from '../../src/lib/lists/list-pages.ts'
import { type Call, spyOnDb } from '../database/db-spy.ts'
import { fillWorkspace } from '../database/many-rows.ts'
import { forgetStatistics } from '../database/postgres.ts'
import { everyMessage, everything } from '../world/list-filters.ts'
import { startWorld } from '../world/world.ts'

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** More than any page may read, so that a full scan is detected. */
const ROWS = 30_000
/** How many rows a search for a complete number, reference or id may read. */
const MAX_EXACT_ROWS = 10
/** Tables that grow with the traffic of a workspace. */
const GROWING = new Set(['messages', 'confirmations', 'events', 'webhook_deliveries', 'webhook_attempts', 'audit_log'])

test('no dashboard list reads a whole table or more than its limit, and no search does without statistics', async (t) => {
  const world = await startWorld(t, { works: false })
  const { endpointId } = await world.receiver()
  const { workspaceId, senderId, account } = world
  await fillWorkspace(world.databaseUrl, { workspaceId, senderId, accountId: account.accountId, endpointId }, ROWS)
  const pool = openDb({ url: world.databaseUrl, poolSize: 1, planEachTime: true })
  t.after(() => pool.close())
  const calls: (Call & { maxRows: number })[] = []
  const limited = (maxRows: number) =>
    spyOnDb(pool, (call) => {
      calls.push({ ...call, maxRows })
      return call.run()
    })
  const figures = limited(MAX_SCANNED_ROWS + 1)
  const exact = limited(MAX_EXACT_ROWS)
  const day = 86_400_000
  const [from, until] = [new Date(Date.now() - 41 * day), new Date(Date.now() - 40 * day)]
  const all = everyMessage(workspaceId)
  const search = { id: null, text: 'login-17', phones: ['+212600000017'], part: null }
  const byPart = {
    id: null,
    text: 'nowhere',
    phones: [],
    part: { phone: '987654', reference: 'nowhere', id: 'fedcba' },
  }
  for (const filter of [
    {},
    { search },
    { search: byPart },
    { search, status: 'sending' as const },
    { status: 'failed' as const },
    { status: 'failed' as const, template: 'rare' },
    { failureCode: 'TEMPLATE_PAUSED' as const },
    { verification: 'approved' as const },
    { status: 'sending' as const, senderId, kind: 'otp' as const },
    { template: 'rare' },
    { from, until },
    { from, until, status: 'played' as const },
  ])
    for (const read of [listMessages, countMessages])
      await read(isExact(filter) ? exact : figures, { ...all, ...filter })
  const orders = { ...everything(workspaceId), refusal: null }
  for (const filter of [
    {},
    { search: { id: null, text: 'order-17', phones: ['+212700000017'], part: null } },
    { search: byPart },
    { status: 'rescheduling' as const },
    { from, until },
  ])
    for (const read of [listConfirmations, countConfirmations])
      await read(isExact(filter) ? exact : figures, { ...orders, ...filter })
  const about = { id: null, reference: 'login-17', recipients: ['+212600000017'], part: null }
  const aboutPart = { ...about, reference: 'nowhere', recipients: [], part: byPart.part }
  for (const filter of [
    {},
    { about },
    { about: aboutPart },
    { status: 'failed' as const },
    { type: 'message.failed' as const },
    { from, to: until },
  ])
    await listDeliveries(figures, { workspaceId, endpointId, ...filter })
  const newest = [workspaceId, LAST_ID, FIRST_ID, null, null]
  await figures.rows(selectEntries.workspace, [...newest, null])
  await figures.rows(selectEntries.workspace, [...newest, 'person-7@shop.example'])
  await figures.rows(selectEntries.workspace, [workspaceId, firstIdAt(until), firstIdAt(from), from, until, null])
  for (const actions of [actionsOf('key'), ['key.revoked'], ['key.renamed']])
    await figures.rows(selectEntriesOf.workspace, [...newest, null, actions])
  for (const select of [selectActions, selectPeople]) {
    await figures.rows(select.workspace, [workspaceId])
    await figures.rows(select.instance, [null])
  }

  const findFaults = async (): Promise<string[]> => {
    const faults: string[] = []
    for (const { statement, values, maxRows } of calls) {
      const plan = await planOf(pool, statement, values)
      for (const node of nodesOf(plan)) {
        if (!GROWING.has(node['Relation Name'] ?? '')) continue
        const { 'Actual Rows': rows = 0, 'Actual Loops': loops = 1, 'Rows Removed by Filter': removed = 0 } = node
        const read = (rows + removed) * loops
        const { 'Node Type': type, 'Relation Name': table } = node
        if (!type.startsWith('Index')) faults.push(`${statement.name} reads ${table} by a ${type}`)
        if (read > maxRows) faults.push(`${statement.name} reads ${read} of ${table}`)
      }
    }
    return [...new Set(faults)]
  }
  assert.ok(calls.length >= 20, 'every list was asked')
  assert.deepEqual(await findFaults(), [])
  await forgetStatistics(world.databaseUrl)
  const byIndex = (await findFaults()).filter((fault) => /(search\w*|of_actions) reads \d/.test(fault))
  assert.deepEqual(byIndex, [], 'without statistics')
})

const isExact = ({ search }: { search?: { part: object | null } }): boolean => search?.part === null

async function planOf(sql: Sql, { name, text }: Statement<unknown>, values: readonly Value[]): Promise<Plan> {
  const explained = { name: `explain ${name}`.slice(0, 60), text: `explain (analyze, format json) ${text}` }
  const [row] = await sql.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explained, values)
  assert.ok(row)
  return row['QUERY PLAN'][0].Plan
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
