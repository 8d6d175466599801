import type { TestContext } from 'node:test'
import type { BehaviourSeed } from '@doorcode/whatsapp-emulator'
import { codAccount } from './cod.ts'
import { type WorldOptions, newPhone, startWorld } from './world.ts'

type OrderOptions = WorldOptions & {
  /** How the sends to the customer end, one by one; later sends succeed. */
  sends?: readonly BehaviourSeed[]
}

/** An order whose template was sent to its customer. */
export async function startOrder(t: TestContext, { sends = [], ...options }: OrderOptions = {}) {
  const world = await startWorld(t, { account: codAccount(), cod: {}, ...options })
  const receiver = await world.receiver()
  const to = newPhone()
  for (const behaviour of sends) world.emulator.script({ match: { to, times: 1 }, behaviour })
  const order = await world.askToConfirm({ to })
  return { world, receiver, order, ana: world.customer(order) }
}

/** A confirmed order with a refusal check that waits for its answer. */
export async function startRefusalCheck(t: TestContext, cod: object = {}) {
  const scene = await startOrder(t, { cod })
  await scene.ana.taps('Confirm')
  await scene.world.askAboutRefusal(scene.order)
  return scene
}
