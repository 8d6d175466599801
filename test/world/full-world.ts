import type { TestContext } from 'node:test'
import { perform } from '../../src/admin/actions/action.ts'
import { hookActions } from '../../src/admin/actions/hooks.ts'
import { COMMAND_LINE } from '../../src/admin/audit/audit.ts'
import { dailyFiguresLoop } from '../../src/charts/daily.ts'
import { codAccount } from './cod.ts'
import { createHook, sendThroughHook } from './hooks.ts'
import { wrongCode } from './verifications.ts'
import { startWorld } from './world.ts'

/** A world with everything in it: codes, orders and refusal checks with every outcome, and webhooks that fail. */
export async function fullWorld(t: TestContext) {
  const world = await startWorld(t, { account: codAccount() })
  const receiver = await world.receiver()
  world.advance('2m') // an endpoint that was just added may miss an event
  await world.codSettings({
    confirmation: { reminderMinutes: 120, noResponseMinutes: 1_440 },
    refusal: { reminderMinutes: 60, noResponseMinutes: 300 },
    languages: { en: { closingMessages: { confirmation: 'Thank you!', refusal: 'Sorry' } } },
  })
  receiver.answers({ status: 500 }, { status: 500 })
  const delivered = await world.sendOtp()
  await world.whatsapp.reports(delivered, ['read', 'sent', 'delivered'])
  const failed = await world.sendOtp()
  await world.whatsapp.reports(failed, ['sent', { status: 'failed', errors: [131026] }])
  const corrected = await world.sendOtp()
  await world.whatsapp.reports(corrected, [{ status: 'failed', errors: [131026] }, 'delivered', 'sent'])
  world.emulator.script({ match: { to: '+212600000001', times: 1 }, behaviour: { error: 131026 } })
  const rejected = await world.sendOtp({ to: '+212600000001' })
  const undelivered = await world.sendOtp({ deliverWithinSeconds: 10 })
  await world.whatsapp.reports(undelivered, ['sent'])
  await world.sendOtp({ deliverWithinSeconds: 3_600 })
  await world.after('10s')
  await world.whatsapp.reports(undelivered, ['delivered'])
  const approved = await world.startVerification({ deliverWithinSeconds: 60 })
  await world.check(approved, await world.codeOn(approved))
  const locked = await world.startVerification({ maxAttempts: 1 })
  await world.check(locked, wrongCode(await world.codeOn(locked)))
  await world.startVerification()
  const hook = await createHook(world, 'supabase')
  const hooked = await sendThroughHook(world, hook)
  await world.whatsapp.reports(hooked, ['delivered'])
  await perform(
    hookActions.remove,
    { ...world.parts, actor: COMMAND_LINE },
    { ...hook, workspaceId: world.workspaceId },
  )
  await world.settled()

  const order = async () => {
    const created = await world.askToConfirm()
    return { id: created.confirmationId, created, customer: world.customer(created) }
  }
  const rescheduled = await order()
  await rescheduled.customer.taps('Change time')
  await rescheduled.customer.taps(0)
  await rescheduled.customer.taps(0)
  const changed = await order()
  await changed.customer.taps('Confirm')
  await changed.customer.taps('Cancel', { on: changed.customer.screen()[0] })
  const expiring = await order()
  await expiring.customer.taps('Change time')
  await expiring.customer.taps(1)
  const noted = await order()
  await noted.customer.taps('Change time')
  await noted.customer.types('Evening')
  const lost = await order()
  await world.reported(lost.customer.last(), { status: 'failed', errors: [131026] })
  const silent = await order()
  const denied = await order()
  await denied.customer.taps('Confirm')
  await world.askAboutRefusal(denied.created)
  await denied.customer.taps('No')
  await world.askAboutRefusal(rescheduled.created)
  await rescheduled.customer.taps('Yes')
  await rescheduled.customer.chooses(2)
  await rescheduled.customer.types('Too expensive')
  await world.askAboutRefusal(noted.created)
  await world.reported(noted.customer.last(), { status: 'failed', errors: [131026] })
  for (const wait of ['121m', '24h', '12h']) {
    await world.after(wait)
  }
  await world.askAboutRefusal(silent.created)
  await world.after('6h')
  const figures = dailyFiguresLoop(world.parts)
  while ((await figures.turn()).more);
  const late = await world.receiver()
  return {
    world,
    late,
    approved,
    hooked,
    undelivered,
    delivered,
    failed,
    rejected,
    rescheduled,
    changed,
    expiring,
    lost,
    silent,
  }
}
