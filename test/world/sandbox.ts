import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type World, type WorldOptions, startWorld } from './world.ts'

/** A workspace that is a sandbox with COD settings. */
export const startSandbox = (t: TestContext, options: WorldOptions = {}): Promise<World> =>
  startWorld(t, { cod: {}, ...options, sandbox: true })

/** The id of the first number that phones write to. */
export const numberOf = (world: World): string => {
  const [number] = [...world.emulator.getAccount(world.credentials.wabaId).numbers.keys()]
  assert.ok(number)
  return number
}

/** A demo month of which 40 % is made, and which no node continues. The returned function ends it, as its last step does. */
export async function stopMonthHalfWay(world: World): Promise<() => Promise<void>> {
  const { workspaceId, parts } = world
  await world.query(
    `insert into sandbox_work (workspace_id, kind, requested_at, due_at, from_at, done_until, until_offset_ms)
     values ($1, 'fill', now(), now() + interval '1 day', now() - interval '30 days', now() - interval '18 days', 0)`,
    [workspaceId],
  )
  parts.live.changed([workspaceId])
  return async () => {
    await world.query('delete from sandbox_work where workspace_id = $1', [workspaceId])
    parts.live.changed([workspaceId])
  }
}
