import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fillWorkspace } from '../test/database/many-rows.ts'
import { createDatabase, dropDatabase, urlOf, withConnection } from '../test/database/postgres.ts'
import { type Figure, count, megabytes, ms, perSecond } from './figures.ts'
import { openHttpClient } from './http-client.ts'
import { addQuietEndpoint } from './lists.ts'
import { openLoop } from './load.ts'
import type { BenchPart } from './part.ts'
import { INSTANCE_KEY } from '../test/database/seal.ts'
import { startServer } from './server-process.ts'
import { openShops, otpRequests } from './shop.ts'

const PART = 'backup'
/** Rows of each kind: messages, confirmations, events, deliveries, attempts, changes. */
const ROWS = 400_000
const RATE = 500
const SHOPS = 10
const KEYS = 1_000
const ALONE_MS = 10_000
/** Longer than the backup; the rest of the load is not measured. */
const MAX_BACKUP_MS = 120_000
const CONNECTIONS = 64
const SAMPLE_EVERY_MS = 50

/** A backup of many rows while a server sends 500 messages a second, restored and compared with what was acknowledged. */
export const backup: BenchPart = async ({ postgres, provider, short, profile, say }) => {
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await postgres.database('bench_backup'), (database) => database.drop())
  const [quiet, ...shops] = await openShops({
    databaseUrl: database.url,
    graphUrl: provider.url,
    shops: SHOPS + 1,
    keysEach: KEYS / SHOPS,
  })
  if (!quiet) throw new Error('there is no shop')
  const endpointId = await addQuietEndpoint(database.url, quiet.workspaceId)
  await fillWorkspace(database.url, { ...quiet, endpointId }, short ? ROWS / 4 : ROWS)
  const server = opened.adopt(
    await startServer({ subject: 'doorcode', databaseUrl: database.url, works: true, profile }),
    (server) => server.stop(),
  )
  const client = opened.adopt(openHttpClient({ port: server.port, connections: CONNECTIONS }), (client) =>
    client.close(),
  )
  provider.onSend(() => {})
  const requests = otpRequests(shops)
  const acknowledged: string[] = []
  const send = async (): Promise<number> => {
    const request = requests.next()
    const recipient = requests.lastRecipient()
    const status = await client.send(request)
    if (status === 202) acknowledged.push(recipient)
    return status
  }
  const load = (durationMs: number) => openLoop(send, { rate: RATE, ms: durationMs, expected: 202 })
  await load(ALONE_MS / 2) // warms up
  const alone = await load(ALONE_MS)
  say(`alone: p50 ${ms(alone.p50)}, p99 ${ms(alone.p99)}`)

  const folder = await mkdtemp(path.join(tmpdir(), 'doorcode-bench-backup-'))
  opened.defer(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'doorcode.backup')
  const before = [...acknowledged]
  const ending = new AbortController()
  const making = runCommand(['backup', file], database.url).finally(() => ending.abort())
  const during = await loadUntil(ending.signal, load)
  const made = await making
  const { size } = await stat(file)
  say(`backup: ${ms(made.elapsedMs)}, ${count(made.rows)} rows; p50 ${ms(during.p50)}, p99 ${ms(during.p99)}`)
  await server.stop()

  const serverUrl = urlOf(database.url, 'postgres')
  await createDatabase(serverUrl, 'bench_restored')
  opened.defer(() => dropDatabase(serverUrl, 'bench_restored'))
  const restoredUrl = urlOf(database.url, 'bench_restored')
  const restored = await runCommand(['restore', file], restoredUrl)
  say(`restore: ${ms(restored.elapsedMs)}`)
  const lost = await countLost(restoredUrl, quiet.workspaceId, before)
  if (lost > 0) throw new Error(`${lost} messages that were acknowledged before the backup are not in it`)
  const verified = await Promise.all(
    shops.map(({ workspaceId }) => runCommand(['verify', '--workspace', workspaceId], restoredUrl)),
  ) // ends with 1 on a difference, which is a failure of the run
  say(`verified: ${verified.length} workspaces without a difference`)
  const each = ({ elapsedMs, rows }: Run): string => `${ms(elapsedMs)}, ${perSecond((rows * 1000) / elapsedMs)} rows`
  return [
    { part: PART, what: `${count(made.rows)} rows, at ${perSecond(RATE)}: the backup`, figure: each(made) },
    {
      part: PART,
      what: 'size of the file; of the database',
      figure: `${megabytes(size)}; ${megabytes(await sizeOf(restoredUrl))}`,
    },
    { part: PART, what: 'peak memory of the backup', figure: megabytes(made.peakBytes) },
    {
      part: PART,
      what: 'request to 202 alone: p50, p99',
      figure: `${ms(alone.p50)}, ${ms(alone.p99)}`,
    },
    {
      part: PART,
      what: 'request to 202 during the backup: p50, p99',
      figure: `${ms(during.p50)}, ${ms(during.p99)}`,
    },
    { part: PART, what: 'the restore, nothing else running', figure: each(restored) },
    { part: PART, what: 'peak memory of the restore', figure: megabytes(restored.peakBytes) },
    {
      part: PART,
      what: `of ${count(before.length)} messages acknowledged before: missing`,
      figure: count(lost),
      goal: { text: '0', met: lost === 0 },
    },
  ] satisfies Figure[]
}

type Run = { elapsedMs: number; rows: number; peakBytes: number }

/** `doorcode <words> --json` as an operator runs it. */
async function runCommand(words: readonly string[], databaseUrl: string): Promise<Run> {
  const began = performance.now()
  const child = spawn('nice', ['-n', '10', process.execPath, 'bin/doorcode.js', ...words, '--json'], {
    cwd: path.resolve(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
    },
  })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  const ended = once(child, 'close') as Promise<[number | null]>
  let peakBytes = Number.NaN
  const sampling = setInterval(
    () => void readPeak(child.pid).then((bytes) => (peakBytes = bytes ?? peakBytes)),
    SAMPLE_EVERY_MS,
  )
  const [code] = await ended.finally(() => clearInterval(sampling))
  if (code !== 0) throw new Error(`${words[0]} ended with ${code}`)
  return { elapsedMs: performance.now() - began, rows: (JSON.parse(out) as { rows: number }).rows, peakBytes }
}

/** Undefined where the system does not report it. */
async function readPeak(pid: number | undefined): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

const SLICE_MS = 2_000

type Latency = { p50: number; p99: number }

/** In slices, because a load ends only at its planned time. The worst slice counts, except the one in which the backup ended. */
async function loadUntil(signal: AbortSignal, load: (ms: number) => Promise<Latency>): Promise<Latency> {
  const slices: Latency[] = []
  const deadline = performance.now() + MAX_BACKUP_MS
  while (!signal.aborted) {
    if (performance.now() > deadline) throw new Error('the backup does not end')
    const slice = await load(SLICE_MS)
    if (!signal.aborted || slices.length === 0) slices.push(slice)
  }
  return {
    p50: Math.max(...slices.map(({ p50 }) => p50)),
    p99: Math.max(...slices.map(({ p99 }) => p99)),
  }
}

async function countLost(url: string, except: string, recipients: readonly string[]): Promise<number> {
  return withConnection(url, async (connection) => {
    const { rows } = await connection.query<{ lost: number }>(
      `select count(*)::int as lost from unnest($2::text[]) as sent (recipient)
       where not exists (select from messages m where m.recipient = sent.recipient and m.workspace_id <> $1)`,
      [except, recipients],
    )
    return rows[0]?.lost ?? Number.NaN
  })
}

const sizeOf = (url: string): Promise<number> =>
  withConnection(url, async (connection) => {
    const { rows } = await connection.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes')
    return Number(rows[0]?.bytes)
  })
