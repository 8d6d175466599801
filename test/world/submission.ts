import type { BehaviourSeed } from '@doorcode/whatsapp-emulator'
import { type SentOtp, type World, newPhone } from './world.ts'

/** Sends to a new phone. Its sends have these behaviours in turn, and then succeed. */
export async function sendInto(world: World, ...behaviours: BehaviourSeed[]): Promise<SentOtp> {
  const to = newPhone()
  for (const behaviour of behaviours) world.emulator.script({ match: { to, times: 1 }, behaviour })
  return world.sendOtp({ to })
}

export async function failureOf(world: World, otp: Pick<SentOtp, 'messageId'>): Promise<string | undefined> {
  const { status, failure } = await world.getOtp(otp)
  return status === 'failed' ? (failure as { code: string }).code : undefined
}

export const attemptsOf = (world: World, otp: SentOtp) =>
  world.query<{ outcome: string; provider_code: number | null }>(
    'select outcome, provider_code from message_attempts where message_id = $1 order by attempt',
    [otp.messageId],
  )
