import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { tables } from '../../../docs/tables.ts'
import { fileDatabase } from '../../database/database.ts'
import { withConnection } from '../../database/postgres.ts'
import { startFlakyProxy } from '../../faults/flaky-proxy.ts'
import { freePort, runProgram } from '../../programs/program.ts'
import { groupedLabels, readAlerts, readBoard, usedMetrics } from '../../world/monitoring.ts'
import { INSTANCE_KEY } from '../../world/node.ts'
import { waitFor } from '../../world/wait-for.ts'
import { startWorld } from '../../world/world.ts'

test('a running server exports every metric and label that the board, the alerts and the documents name', async (t) => {
  const world = await startWorld(t, { works: false })
  const server = await serve(t)
  world.setCallback(server.url)
  await world.receiver()
  const otp = await world.sendOtp({}, { url: server.url })
  await world.whatsapp.reports(otp, ['sent', 'delivered'])
  await fetch(`${server.url}/dashboard/`)
  const exported = await waitFor('a delivered webhook', async () => {
    const metrics = await server.metrics()
    return metrics.samples.some(({ name }) => name === 'doorcode_webhook_attempt_seconds_count') && metrics
  })

  const documented = tables.find(({ mark }) => mark === 'metrics')?.rows ?? []
  const ours = exported.names.filter((name) => name.startsWith('doorcode_'))
  assert.deepEqual(documented.map(([name = '']) => name.slice(1, -1)).sort(), ours.toSorted())
  const labelsOf = new Map(
    documented.map(([name = '', , labels = '']) => [name.slice(1, -1), labels.replaceAll('`', '').split(', ')]),
  )
  const expressions = [
    ...(await readAlerts()).map(({ expr }) => expr),
    ...(await readBoard()).panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ]
  const unknown: string[] = []
  for (const expr of expressions) {
    const used = usedMetrics(expr)
    const known = new Set<string>()
    for (const { name, labels } of used) {
      const metric = [name, name.replace(/_(bucket|count|sum)$/, '')].find((each) => exported.names.includes(each))
      if (metric === undefined) unknown.push(name)
      const has = labelsOf.get(metric ?? '') ?? []
      for (const label of has) known.add(label)
      for (const label of Object.keys(labels)) if (!has.includes(label)) unknown.push(`${metric}{${label}}`)
    }
    for (const label of groupedLabels(expr)) if (!known.has(label)) unknown.push(`by (${label}): ${expr}`)
  }
  assert.deepEqual(unknown, [])

  const valueOf = (name: string, labels: string): number | undefined =>
    exported.samples.find((each) => each.name === name && labels.split(',').every((one) => each.labels.includes(one)))
      ?.value
  assert.equal(valueOf('doorcode_database_up', ''), 1)
  assert.equal(valueOf('doorcode_provider_request_seconds_count', 'operation="send",outcome="accepted"'), 1)
  assert.ok((valueOf('doorcode_provider_webhook_seconds_count', 'outcome="stored"') ?? 0) >= 1)
  assert.ok((valueOf('doorcode_dashboard_request_seconds_count', 'status="200"') ?? 0) >= 1)
  assert.ok((valueOf('doorcode_loop_turn_seconds_count', 'loop="submit",outcome="done"') ?? 0) >= 1)
  assert.ok((valueOf('doorcode_loop_since_success_seconds', 'loop="submit"') ?? 60) < 60)
  assert.ok((valueOf('doorcode_pool_connections', 'pool="main"') ?? 0) >= 0)
  assert.ok((valueOf('doorcode_endpoints', 'state="healthy"') ?? 0) >= 1)
  assert.ok((valueOf('doorcode_quotas', 'kind="otp",left="enough"') ?? -1) >= 0)
  assert.ok((valueOf('doorcode_transaction_id_age', '') ?? 0) > 0)
  assert.equal(valueOf('doorcode_build_info', ''), 1)
})

test('no label holds what is sent, to whom, or in which workspace', async (t) => {
  const world = await startWorld(t, { works: false })
  const server = await serve(t)
  world.setCallback(server.url)
  const { endpointId } = await world.receiver()
  const { messageId } = await world.sendOtp({ to: '+212600765432' }, { url: server.url })
  await world.whatsapp.reports({ messageId }, ['sent'])
  const { text } = await server.metrics()
  for (const value of ['212600765432', messageId, world.workspaceId, world.senderId, endpointId])
    assert.ok(!text.includes(value), value)
})

test('a scrape while the database is away or a table is locked answers with all other metrics', async (t) => {
  const proxy = await startFlakyProxy(await fileDatabase())
  t.after(() => proxy.close())
  const server = await serve(t, { DATABASE_URL: proxy.url })
  const sampled = async () => {
    const { samples } = await server.metrics()
    return (name: string) => samples.filter((each) => each.name === name)
  }
  const up = async () => (await sampled())('doorcode_database_up')[0]?.value
  await waitFor('the database to be up', async () => (await up()) === 1)

  await withConnection(await fileDatabase(), async (holder) => {
    await holder.query('begin; lock table provider_reports')
    await waitFor('only the figures of reports to have no value', async () => {
      const of = await sampled()
      const unread = of('doorcode_figures_unread').filter(({ value }) => value === 1)
      const kinds = of('doorcode_work_due').map(({ labels }) => labels)
      return (
        unread.some(({ labels }) => labels === 'group="reports"') &&
        !kinds.includes('kind="reports"') &&
        ['messages', 'timers', 'deliveries', 'syncs'].every((kind) => kinds.includes(`kind="${kind}"`))
      )
    })
    await waitFor('the database to be up beside a locked table', async () => (await up()) === 1)
    await holder.query('rollback')
  })

  proxy.stall()
  await waitFor('the database to be away', async () => (await up()) === 0)
  const of = await sampled()
  assert.ok((of('process_cpu_seconds_total')[0]?.value ?? 0) > 0)
  assert.ok(of('doorcode_loop_since_success_seconds').length > 0)
  proxy.restore()
  await waitFor('the database to be back', async () => (await up()) === 1)
})

test('figures that are kept for a minute are read again soon after a moment in which they could not be', async (t) => {
  const server = await serve(t, { DATABASE_URL: await fileDatabase() })
  const isUnread = async (): Promise<boolean> =>
    (await server.metrics()).samples.some(
      ({ name, labels, value }) => name === 'doorcode_figures_unread' && labels === 'group="quotas"' && value === 1,
    )
  await withConnection(await fileDatabase(), async (holder) => {
    await holder.query('begin; lock table quotas')
    await waitFor('the figures of quotas to be unread', isUnread)
    await holder.query('rollback')
  })
  await waitFor('the figures of quotas to be read again', async () => !(await isUnread()), 30_000)
})

type Sample = { name: string; labels: string; value: number }

async function serve(t: TestContext, environment: Record<string, string> = {}) {
  const program = runProgram(t, ['serve'], {
    DATABASE_URL: await fileDatabase(),
    DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
    DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
    DOORCODE_KEEP_CONTENT_DAYS: '0',
    DOORCODE_KEEP_RECORDS_DAYS: '0',
    DOORCODE_KEEP_AUDIT_DAYS: '0',
    DOORCODE_PORT: String(await freePort()),
    DOORCODE_METRICS_PORT: String(await freePort()),
    ...environment,
  })
  const line = await waitFor(
    () => `the server to be ready: ${program.stderr()}`,
    () =>
      program
        .stdout()
        .split('\n')
        .find((each) => each.includes('"msg":"serving"')),
  )
  const { url, metricsUrl } = JSON.parse(line) as { url: string; metricsUrl: string }
  return {
    url,
    async metrics() {
      const text = await (await fetch(`${metricsUrl}/metrics`)).text()
      const names = Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name = '']) => name)
      const samples = Array.from(
        text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm),
        ([, name = '', labels = '', value]): Sample => ({ name, labels, value: Number(value) }),
      )
      return { text, names, samples }
    },
  }
}
