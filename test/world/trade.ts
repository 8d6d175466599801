import type { CreatedConfirmation } from './cod.ts'
import { createHook, sendThroughHook } from './hooks.ts'
import type { World } from './world.ts'

/** A delivered code, an approved verification, a code of an auth hook and an answered order, with their reports, events and deliveries. Returns the order. */
export async function trade(world: World): Promise<CreatedConfirmation> {
  await world.codSettings()
  await world.receiver()
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent', 'delivered'])
  const verification = await world.startVerification()
  await world.check(verification, await world.codeOn(verification))
  await sendThroughHook(world, await createHook(world, 'supabase'))
  return world.confirmedOrder()
}
