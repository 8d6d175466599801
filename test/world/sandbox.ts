import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type World, type WorldOptions, startWorld } from './world.ts'

/** A workspace that is a sandbox with COD settings, which `cod` changes. */
export async function startSandbox(t: TestContext, options: WorldOptions = {}, cod: object = {}): Promise<World> {
  const world = await startWorld(t, options)
  await world.query('update workspaces set sandbox = true where id = $1', [world.workspaceId])
  await world.codSettings(cod)
  return world
}

/** The id of the first number that phones write to. */
export const numberOf = (world: World): string => {
  const [number] = [...world.emulator.getAccount(world.credentials.wabaId).numbers.keys()]
  assert.ok(number)
  return number
}
