import assert from 'node:assert/strict'
import type { Emulator, ReportedStatus } from '@doorcode/whatsapp-emulator'
import { waitFor } from './wait-for.ts'

type EmulatorMessage = ReturnType<Emulator['messages']>[number]
type Otp = { messageId: string }

/** Per message: what its phone received, and the reports that the provider sends. */
export type Phones = ReturnType<typeof createPhones>

export function createPhones(world: { emulator: Emulator; settled(): Promise<void> }) {
  const phones = {
    /** Counts deliveries of this message to its phone; two are a double send. */
    got: ({ messageId }: Otp): EmulatorMessage[] =>
      world.emulator.messages((message) => message.callbackData?.endsWith(messageId) ?? false),
    /** Waits for the message on its phone. */
    gets: (otp: Otp): Promise<EmulatorMessage> =>
      waitFor(
        () => `the message ${otp.messageId} on its phone`,
        () => phones.got(otp)[0],
      ),
    /** Reports one status after the other, each processed before the next. */
    async reports(otp: Otp, statuses: readonly ReportedStatus[]): Promise<void> {
      const message = await phones.gets(otp)
      await world.settled()
      for (const status of statuses) {
        const posts = await world.emulator.report(message, [status])
        assert.ok(
          posts.every(({ state }) => state === 'answered'),
          'the program did not answer a webhook with 200',
        )
        await world.settled()
      }
    },
  }
  return phones
}
