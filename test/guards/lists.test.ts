import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Sql, type Statement, type Value, openDb } from '../../src/db.ts'
import { LOOKED_THROUGH_MOST as CONFIRMATIONS_LOOKED_THROUGH, listConfirmations } from '../../src/cod/list.ts'
import { listChoices, listEntries } from '../../src/dashboard/audit-entries.ts'
import { MESSAGES_LOOKED_THROUGH_MOST, type MessageFilter, listMessages } from '../../src/messages/search.ts'
import { LOOKED_THROUGH_MOST as DELIVERIES_LOOKED_THROUGH, listDeliveries } from '../../src/webhooks/log.ts'
import { type Call, aroundDb } from '../around-db.ts'
import { fillWorkspace } from '../many-rows.ts'
import { startWorld } from '../world.ts'

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** More than any page may look through, so that reading it whole is found out. */
const ROWS = 30_000
/** Tables that grow with the traffic of a workspace. */
const GROWING = new Set(['messages', 'confirmations', 'events', 'webhook_deliveries', 'webhook_attempts', 'audit_log'])
const LOOKED_THROUGH_MOST = Math.max(
  MESSAGES_LOOKED_THROUGH_MOST,
  CONFIRMATIONS_LOOKED_THROUGH,
  DELIVERIES_LOOKED_THROUGH,
)

test('no list of the dashboard reads a table whole, or more of it than a page may look through', async (t) => {
  const world = await startWorld(t, { works: false })
  const { endpointId } = await world.receiver()
  const { workspaceId, senderId, account } = world
  await fillWorkspace(world.databaseUrl, { workspaceId, senderId, accountId: account.accountId, endpointId }, ROWS)
  const pool = openDb({ url: world.databaseUrl, poolSize: 1, plans: 'free' })
  t.after(() => pool.close())
  const calls: Call[] = []
  const figures = aroundDb(pool, (call) => {
    calls.push(call)
    return call.run()
  })
  const day = 86_400_000
  const [from, until] = [new Date(Date.now() - 41 * day), new Date(Date.now() - 40 * day)]
  const all: MessageFilter = {
    workspaceId,
    search: null,
    status: null,
    kind: null,
    template: null,
    senderId: null,
    from: null,
    until: null,
    clock: { sandbox: false, offsetMs: 0 },
    before: null,
  }
  const search = { id: null, text: 'login-17', phones: ['+212600000017'] }
  for (const filter of [
    {},
    { search },
    { search, status: 'sending' as const },
    { status: 'failed' as const },
    { status: 'failed' as const, template: 'rare' },
    { status: 'sending' as const, senderId, kind: 'otp' as const },
    { template: 'rare' },
    { from, until },
    { from, until, status: 'played' as const },
  ])
    await listMessages(figures, { ...all, ...filter })
  const orders = {
    workspaceId,
    search: null,
    status: null,
    refusal: null,
    template: null,
    senderId: null,
    from: null,
    until: null,
    clock: { sandbox: false, offsetMs: 0 },
    before: null,
  }
  for (const filter of [
    {},
    { search: { id: null, reference: 'order-17', phones: ['+212700000017'] } },
    { status: 'rescheduling' as const },
    { from, until },
  ])
    await listConfirmations(figures, { ...orders, ...filter })
  for (const filter of [{}, { status: 'failed' as const }, { type: 'message.failed' as const }, { from, to: until }])
    await listDeliveries(figures, { workspaceId, endpointId, ...filter })
  const entries = { workspaceId, before: undefined, action: undefined, who: undefined }
  for (const filter of [{}, { action: 'key.revoked' }, { who: 'person-7@shop.example' }])
    await listEntries(figures, { ...entries, ...filter })
  for (const each of [workspaceId, null]) await listChoices(figures, each)

  const faults: string[] = []
  for (const { statement, values } of calls) {
    const plan = await planOf(pool, statement, values)
    for (const node of nodesOf(plan)) {
      if (!GROWING.has(node['Relation Name'] ?? '')) continue
      const { 'Actual Rows': rows = 0, 'Actual Loops': loops = 1, 'Rows Removed by Filter': removed = 0 } = node
      const read = (rows + removed) * loops
      if (node['Node Type'] === 'Seq Scan') faults.push(`${statement.name} reads all of ${node['Relation Name']}`)
      if (read > LOOKED_THROUGH_MOST + 1) faults.push(`${statement.name} reads ${read} of ${node['Relation Name']}`)
    }
  }
  assert.ok(calls.length >= 20, 'every list was asked')
  assert.deepEqual([...new Set(faults)], [])
})

async function planOf(sql: Sql, { name, text }: Statement<unknown>, values: readonly Value[]): Promise<Plan> {
  const explained = { name: `explain ${name}`.slice(0, 60), text: `explain (analyze, format json) ${text}` }
  const [row] = await sql.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explained, values)
  assert.ok(row)
  return row['QUERY PLAN'][0].Plan
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
