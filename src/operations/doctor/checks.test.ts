import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parametersOf } from '../../../locales/codes.ts'
import { english, readResources } from '../../../locales/resources.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, later } from '../../lib/clock.ts'
import { readConfig } from '../../lib/config.ts'
import { type ListedNode, nodeSettings } from '../../runtime/jobs/node.ts'
import { checkClocks } from './clocks.ts'
import { checkDisk } from './disk.ts'
import {
  FINDINGS,
  type Finding,
  type NewFinding,
  COMMON_FINDINGS,
  findingText,
  fixText,
  inOrder,
  toFinding,
} from './finding.ts'
import { checkNodes } from './nodes.ts'
import { type Standby, checkReplication } from './database/replication.ts'
import { checkSchema } from './database/schema.ts'
import { type ServerFacts, checkConnections, checkServer } from './database/server.ts'
import { checkSettings } from './settings.ts'
import { LATE_AFTER_MS, WORK_KINDS, checkWork } from './work/oldest-due.ts'

const now = new Date('2026-11-23T12:00:00Z')
const KEY = Buffer.alloc(32, 7).toString('base64')
const configOf = (settings: Record<string, string>) =>
  readConfig({ DATABASE_URL: 'postgres://db/doorcode', DOORCODE_SECRET_KEY: KEY, ...settings })

const GOOD = {
  DOORCODE_PUBLIC_URL: 'https://doorcode.example.com',
  DOORCODE_TRUSTED_PROXIES: '10.0.0.5',
} as const

type NodeChanges = Partial<Omit<ListedNode, 'settings'>> & { settings?: Record<string, string>; clockAheadMs?: number }

const node = ({ settings = {}, clockAheadMs = 0, ...changes }: NodeChanges = {}): ListedNode => ({
  nodeId: 'node',
  roles: ['api', 'worker', 'dashboard'],
  settings: { ...nodeSettings(configOf({ ...GOOD, ...settings })), clockAheadMs },
  version: '0.1.0',
  startedAt: now,
  seenAt: now,
  silentMs: 300,
  isAlive: true,
  ...changes,
})

const alertingTo = (path: string): ListedNode =>
  node({
    settings: {
      DOORCODE_ALERT_URL: `https://hooks.example${path}`,
      DOORCODE_ALERT_SECRET: `whsec_${Buffer.alloc(32, 3).toString('base64')}`,
    },
  })

const server: ServerFacts = {
  version: 180_000,
  versionName: '18.0',
  encoding: 'UTF8',
  isReadOnly: false,
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  autovacuum: 'on',
  transactionTimeoutMs: 0,
  maxConnections: 97,
  connections: 12,
  bytes: 1e7,
  startedAt: now,
}

const workspace = (sandbox: boolean) => ({
  workspaceId: 'w',
  name: 'Shop',
  sandbox,
  createdAt: now,
  deletionDueAt: null,
})

const settingsOf = (
  settings: Record<string, string>,
  { live = true, nodes = [] as ListedNode[], operatorsWithoutSecondFactor = 0 } = {},
): NewFinding[] =>
  checkSettings({ config: configOf(settings), nodes, workspaces: [workspace(!live)], operatorsWithoutSecondFactor })

const nodeFindings = (...nodes: ListedNode[]): NewFinding[] => checkNodes(nodes)
const standby: Standby = { name: 'replica', syncState: 'sync', lagMs: 20, lagBytes: 1_000 }
const replication = (standbys: Standby[], waitsForStandby = true): NewFinding[] =>
  checkReplication({ standbys, waitsForStandby, idleSlots: [] })
const due = (kind: (typeof WORK_KINDS)[number], lateMs: number): NewFinding[] =>
  checkWork([{ kind, dueAt: later(now, -lateMs) }], now)

const disk = (freeBytes: number, inodes = {}) => ({ bsize: 1, bavail: freeBytes, files: 1e6, ffree: 1e5, ...inodes })

/** Each healthy state next to its faults. */
const CASES: readonly [name: string, found: NewFinding[], codes: readonly string[]][] = [
  ['sound settings', settingsOf(GOOD), []],
  ['no public URL', settingsOf({}), ['public_url_missing']],
  ['no public URL with sandboxes only', settingsOf({}, { live: false }), []],
  ...['http://localhost:3000', 'https://127.0.0.1', 'http://127.0.0.1:8080', 'http://[::1]:3000'].map(
    (url): [string, NewFinding[], string[]] => [
      `the public URL ${url}`,
      settingsOf({ ...GOOD, DOORCODE_PUBLIC_URL: url }),
      ['public_url_loopback'],
    ],
  ),
  [
    'an operator without a second factor',
    settingsOf(GOOD, { operatorsWithoutSecondFactor: 1 }),
    ['operators_without_second_factor'],
  ],
  ['one of a sandbox', settingsOf(GOOD, { live: false, operatorsWithoutSecondFactor: 1 }), []],
  ['plain HTTP', settingsOf({ DOORCODE_PUBLIC_URL: 'http://shop.example' }), ['public_url_plain']],
  ['https without trusted proxies', settingsOf({ ...GOOD, DOORCODE_TRUSTED_PROXIES: '' }), ['proxies_missing']],
  ['all addresses', settingsOf({ DOORCODE_HOST: '0.0.0.0' }), ['public_url_missing', 'proxies_missing']],
  ['private webhooks', settingsOf({ ...GOOD, DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1' }), ['private_webhooks']],
  ['settings of a running node instead of ours', settingsOf({}, { nodes: [node()] }), []],
  [
    'two nodes with limits of their own',
    settingsOf(GOOD, { nodes: [1, 2].map(() => node({ settings: { DOORCODE_RATE_LIMIT: 'memory' } })) }),
    ['rate_limit_per_node'],
  ],
  ['one node with all roles', nodeFindings(node()), []],
  ['no node', nodeFindings(), ['nothing_runs']],
  ['only a dead node', nodeFindings(node({ isAlive: false, silentMs: HOUR_MS })), ['nothing_runs', 'node_silent']],
  ['a node that was just restarted', nodeFindings(node(), node({ isAlive: false, silentMs: 2_000 })), []],
  ['no worker', nodeFindings(node({ roles: ['api', 'dashboard'] })), ['no_worker']],
  ['no api', nodeFindings(node({ roles: ['worker', 'dashboard'] })), ['no_api']],
  ['no dashboard', nodeFindings(node({ roles: ['worker', 'api'] })), ['no_dashboard']],
  ['two versions', nodeFindings(node(), node({ version: '0.2.0' })), ['versions_differ']],
  [
    'two public URLs',
    nodeFindings(node(), node({ settings: { DOORCODE_PUBLIC_URL: 'https://b.example' } })),
    ['settings_differ'],
  ],
  [
    'workers that keep content for different times',
    nodeFindings(node(), node({ settings: { DOORCODE_KEEP_CONTENT_DAYS: '30' } })),
    ['settings_differ'],
  ],
  [
    'another time on a node that removes nothing',
    nodeFindings(node(), node({ roles: ['api'], settings: { DOORCODE_KEEP_CONTENT_DAYS: '30' } })),
    [],
  ],
  ['workers with one receiver of alerts', nodeFindings(alertingTo('/T0CANARY'), alertingTo('/T0CANARY')), []],
  [
    'workers with two receivers of alerts',
    nodeFindings(alertingTo('/T0CANARY'), alertingTo('/T1')),
    ['settings_differ'],
  ],
  ['a worker without a receiver of alerts', nodeFindings(alertingTo('/T0CANARY'), node()), ['settings_differ']],
  ['a node without a receiver, which sends none', nodeFindings(alertingTo('/T1'), node({ roles: ['api'] })), []],
  ['enough connections', checkConnections(server, [node()]), []],
  [
    'pools larger than the server',
    checkConnections(server, [node({ settings: { DOORCODE_DATABASE_POOL: '100' } })]),
    ['connections_short'],
  ],
  ['a sound server', checkServer(server), []],
  ['PostgreSQL 14', checkServer({ ...server, version: 140_011 }), ['database_old']],
  ['another encoding', checkServer({ ...server, encoding: 'LATIN1' }), ['database_encoding']],
  ['a standby', checkServer({ ...server, isReadOnly: true }), ['database_read_only']],
  ['no fsync', checkServer({ ...server, fsync: 'off' }), ['not_durable']],
  ['no full-page writes', checkServer({ ...server, full_page_writes: 'off' }), ['not_durable']],
  ['commits without sync', checkServer({ ...server, synchronous_commit: 'off' }), ['not_durable']],
  ['no autovacuum', checkServer({ ...server, autovacuum: 'off' }), ['autovacuum_off']],
  ['short transactions', checkServer({ ...server, transactionTimeoutMs: 5_000 }), ['transaction_timeout']],
  ['a synchronous standby', replication([standby]), []],
  ['no standby, and none wanted', replication([], false), []],
  ['only an asynchronous standby', replication([{ ...standby, syncState: 'async' }]), ['standby_missing']],
  ['a standby whose state may not be seen', replication([{ ...standby, syncState: null }]), []],
  ['a standby behind in time', replication([{ ...standby, lagMs: HOUR_MS }]), ['standby_lags']],
  ['a standby behind in bytes', replication([{ ...standby, lagMs: null, lagBytes: 1e9 }]), ['standby_lags']],
  ['clocks that agree', checkClocks(900, [node({ clockAheadMs: -2_000 })]), []],
  ['a fast clock here', checkClocks(MINUTE_MS, [node()]), ['clock_differs']],
  ['a slow clock of a node', checkClocks(0, [node({ clockAheadMs: -MINUTE_MS })]), ['clock_differs']],
  ['a clock that is a day off', checkClocks(DAY_MS, []), ['clock_wrong']],
  ['space on the disk', checkDisk('/data', disk(1e11)), []],
  ['little space', checkDisk('/data', disk(1e9)), ['disk_low']],
  ['no space', checkDisk('/data', disk(1e6)), ['disk_full']],
  ['no inodes', checkDisk('/data', disk(1e11, { ffree: 3 })), ['disk_inodes']],
  ['a file system that counts no inodes', checkDisk('/data', disk(1e11, { files: 0, ffree: 0 })), []],
  ['the schema of this release', checkSchema({ state: 'current' }), []],
  ['no tables', checkSchema({ state: 'missing' }), ['not_migrated']],
  ['an older schema', checkSchema({ state: 'pending', pending: 2 }), ['migrations_pending']],
  ['a newer schema', checkSchema({ state: 'newer', newest: 99, known: 11 }), ['database_newer']],
  [
    'a contracted schema',
    checkSchema({ state: 'contracted', newest: 99, known: 11, contracting: 98 }),
    ['database_contracted'],
  ],
  ...WORK_KINDS.flatMap((kind): [string, NewFinding[], string[]][] => [
    [`${kind} on time`, due(kind, LATE_AFTER_MS[kind].warning - 1), []],
    [`${kind} late`, due(kind, LATE_AFTER_MS[kind].warning), ['work_late']],
  ]),
  ...WORK_KINDS.filter((kind) => kind !== 'deliveries').map((kind): [string, NewFinding[], string[]] => [
    `${kind} stuck`,
    due(kind, LATE_AFTER_MS[kind].failure),
    ['work_stuck'],
  ]),
  [
    'a backlog of days for an endpoint that times out, which no worker can hasten',
    due('deliveries', 4 * DAY_MS),
    ['work_late'],
  ],
]

for (const [name, found, codes] of CASES) {
  test(`${name}: ${codes.join(' and ') || 'nothing'} is found`, () => {
    assert.deepEqual(
      found.map(({ code }) => code),
      codes,
    )
  })
}

const codes = [...Object.values(FINDINGS).flatMap(Object.keys), ...Object.keys(COMMON_FINDINGS)]

test('what a node reports of its receiver of alerts contains no part of its URL or password', () => {
  const ofMail = (password: string): string =>
    JSON.stringify(
      nodeSettings(
        configOf({ DOORCODE_ALERT_URL: `smtps://u:${password}@mail.example/?from=a@b.example&to=c@d.example` }),
      ),
    )
  assert.doesNotMatch(JSON.stringify(alertingTo('/T0CANARY').settings), /CANARY|hooks\.example|whsec/)
  assert.equal(ofMail('one'), ofMail('other'), 'a weak password could be guessed from a hash of it')
})

test('every finding has a text and, unless it is ok, a fix that uses only parameters of the text', () => {
  const texts = readResources('en')['doctor'] ?? {}
  assert.equal(new Set(codes).size, codes.length, 'no two checks share a code')
  for (const code of codes) {
    assert.ok(texts[code], code)
    assert.equal(texts[`${code}_fix`] !== undefined, code !== 'ok', code)
  }
})

test('failures come first, and each finding is readable in English', () => {
  const all: Finding[] = CASES.flatMap(([, found]) => found.map((each) => toFinding('nodes', each)))
  const levels = inOrder(all).map(({ level }) => level)
  assert.deepEqual(
    levels,
    levels.toSorted((one, other) => 'fwo'.indexOf(one[0] ?? '') - 'fwo'.indexOf(other[0] ?? '')),
  )
  for (const finding of all)
    for (const text of [findingText(finding), fixText(finding)])
      if (text) assert.deepEqual(parametersOf(english.textOf(text)), [], JSON.stringify(finding))
})
