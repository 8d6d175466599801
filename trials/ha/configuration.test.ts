import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { MEMBERS, haproxyFile, patroniFile, readEnvironment } from './configuration.ts'
import { checkReports } from './report.ts'
import { control, scenarios } from './scenarios.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

test('each machine gets its own name and addresses, and the shared passwords', async () => {
  const shared = []
  for (const { name, address } of MEMBERS) {
    const [etcd, patroni] = [await readEnvironment('etcd.env', name), await readEnvironment('patroni.env', name)]
    assert.deepEqual([etcd['ETCD_NAME'], patroni['PATRONI_NAME']], [name, name])
    assert.equal(etcd['ETCD_LISTEN_PEER_URLS'], `http://${address}:2380`)
    assert.equal(patroni['PATRONI_POSTGRESQL_CONNECT_ADDRESS'], `${address}:5432`)
    shared.push([etcd['ETCD_INITIAL_CLUSTER'], patroni['PATRONI_SUPERUSER_PASSWORD']])
  }
  assert.deepEqual(shared[1], shared[0])
  assert.deepEqual(shared[2], shared[0])
  assert.match(String(shared[0]?.[0]), /pg1=http:\/\/10\.0\.0\.11:2380,pg2=.*pg3=http:\/\/10\.0\.0\.13:2380/)
})

test('the files of deploy/ha have the settings that the guide promises, on Debian 12 and 13', async () => {
  for (const debian of [12, 13] as const) {
    const text = await patroniFile({ folder: '/data', postgresFolder: '/bin', debian })
    const setting = (name: string): string => new RegExp(`^ *${name}: (\\S+)$`, 'm').exec(text)?.[1] ?? ''
    const expected = debian === 12 ? ['true', 'true'] : ['quorum', 'true']
    assert.deepEqual([setting('synchronous_mode'), setting('synchronous_mode_strict')], expected)
    // Patroni's own rule: otherwise a primary may be replaced while it still tries to renew its lock.
    assert.ok(Number(setting('loop_wait')) + 2 * Number(setting('retry_timeout')) <= Number(setting('ttl')))
    // With etcd3, Patroni 3.0.2 overwrites the lock of the leader (docs/high-availability.md#patroni-and-etcd).
    assert.match(text, debian === 12 ? /^etcd:$/m : /^etcd3:$/m)
    const etcd = await readEnvironment('etcd.env', 'pg1', debian)
    assert.equal(etcd['ETCD_ENABLE_V2'], debian === 12 ? 'true' : undefined)
  }
  for (const { name, address } of MEMBERS)
    assert.ok((await haproxyFile(true)).includes(`server ${name} ${address}:5432`))
})

test('the configuration has the sizes that the guide states', async () => {
  const [guide, patroni] = await Promise.all(
    ['docs/high-availability.md', 'deploy/ha/patroni.yml'].map((file) => readFile(path.join(ROOT, file), 'utf8')),
  )
  for (const name of ['shared_buffers', 'maintenance_work_mem', 'max_wal_size', 'wal_keep_size']) {
    const size = new RegExp(`\\| \`${name}\` \\| (\\w+) \\|`).exec(guide ?? '')?.[1]
    assert.ok(size && patroni?.includes(`\n        ${name}: ${size}\n`), `${name}: ${size}`)
  }
})

const uneventful = {
  accepted: 1,
  repeated: 1,
  lost: 0,
  doubled: 0,
  sentTwice: 0,
  gapMs: 0,
  p99Ms: 0,
  otherAnswers: '',
  notReadyAfterMs: undefined,
  linesInWindow: 0,
  faults: [],
}

test('a run passes only if the control, and nothing else, loses requests', () => {
  const [first] = scenarios
  assert.ok(first)
  const checked = (lostInFirst: number, lostInControl: number): number =>
    checkReports(
      [
        { ...uneventful, scenario: first, lost: lostInFirst },
        { ...uneventful, scenario: control, lost: lostInControl },
      ],
      13,
    ).length
  assert.deepEqual([checked(0, 1), checked(0, 0), checked(1, 1)], [0, 1, 1])
})

test('each failure has an upper bound, which the median of its repetitions must not exceed', () => {
  for (const scenario of scenarios) {
    const checked = (...gaps: number[]): number =>
      checkReports(
        gaps.map((gapMs) => ({ ...uneventful, scenario, gapMs })),
        12,
      ).length
    const maxGapMs = scenario.maxGapMs[12]
    assert.deepEqual([checked(maxGapMs, 99_999, 0), checked(maxGapMs + 1, 99_999, 0)], [0, 1], scenario.name)
  }
})
