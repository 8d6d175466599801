import { setTimeout as wait } from 'node:timers/promises'
import { SECOND_MS } from '../../lib/clock.ts'
import type { Sql } from '../../lib/db/pool.ts'
import { findEmulator } from '../../sandbox/emulator.ts'
import type { StreamSource, Write } from '../live.ts'

const STREAM_TIMEOUT_MS = 5 * SECOND_MS

/** The emulator's events about the workspace's numbers. */
export const phoneEvents = (sql: Sql): StreamSource => ({
  url: '/dashboard/emulator/:workspaceId/live',
  maxStreams: 40,
  maxPerUser: 10,
  maxUnreadBytes: 16 * 1024 * 1024,
  heartbeats: false,
  async connect({ workspaceId, sandbox }, signal) {
    const emulator = sandbox ? await findEmulator(sql, workspaceId) : undefined
    if (!emulator) return 404
    const query = new URLSearchParams([...emulator.numbers.keys()].map((id) => ['number', id]))
    const response = await Promise.race([
      fetch(`${emulator.url}/control/live?${query.toString()}`, { redirect: 'error', signal }),
      wait(STREAM_TIMEOUT_MS, undefined, { signal, ref: false }),
    ]).catch(() => undefined)
    if (response?.status !== 200 || !response.body) return 502
    const { body } = response
    return (write, end) => void forward(body, write).finally(end)
  },
})

async function forward(body: ReadableStream<Uint8Array>, write: Write): Promise<void> {
  try {
    for await (const chunk of body) if (!write(chunk)) return
  } catch {
    // The emulator ended the stream or the viewer left; the page opens a new stream.
  }
}
