import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { MEMBERS, haproxyFile, patroniFile, readEnvironment } from './configuration.ts'
import { judge } from './report.ts'
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
  assert.match(String(shared[0]?.[0]), /pg1=http:\/\/127\.0\.66\.11:2380,pg2=.*pg3=http:\/\/127\.0\.66\.13:2380/)
})

test('the files of deploy/ha have the settings that the guide promises', async () => {
  const text = await patroniFile({ folder: '/data', postgresFolder: '/bin' })
  const setting = (name: string): string => new RegExp(`^ *${name}: (\\S+)$`, 'm').exec(text)?.[1] ?? ''
  assert.deepEqual([setting('synchronous_mode'), setting('synchronous_mode_strict')], ['true', 'true'])
  // Patroni's own rule: otherwise a primary may be replaced while it still tries to renew its lock.
  assert.ok(Number(setting('loop_wait')) + 2 * Number(setting('retry_timeout')) <= Number(setting('ttl')))
  // With etcd3, Patroni 3.0.2 overwrites the lock of the leader (docs/high-availability.md#patroni-and-etcd).
  assert.match(text, /^etcd:$/m)
  assert.equal((await readEnvironment('etcd.env', 'pg1'))['ETCD_ENABLE_V2'], 'true')
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

test('a run passes only if the control, and nothing else, loses codes', () => {
  const report = {
    accepted: 1,
    doubled: 0,
    sentTwice: 0,
    gapMs: 0,
    p99Ms: 0,
    otherAnswers: '',
    notReadyAfterMs: undefined,
    linesInWindow: 0,
    faults: [],
  }
  const [first] = scenarios
  assert.ok(first)
  const judged = (lostInFirst: number, lostInControl: number): number =>
    judge([
      { ...report, scenario: first, lost: lostInFirst },
      { ...report, scenario: control, lost: lostInControl },
    ]).length
  assert.deepEqual([judged(0, 1), judged(0, 0), judged(1, 1)], [0, 1, 1])
})
