import assert from 'node:assert/strict'
import type { Emulator, ReportedStatus } from '../emulator/emulator.ts'
import { until } from './until.ts'

type TwinMessage = ReturnType<Emulator['messages']>[number]
type Otp = { messageId: string }

/** The twin seen from a message: what its phone got, and what the provider is made to report of it. */
export type Phones = ReturnType<typeof phonesOf>

export function phonesOf(world: { twin: Emulator; settled(): Promise<void> }) {
  const phones = {
    /** What came to the phone of this message; two of them are a double send. */
    got: ({ messageId }: Otp): TwinMessage[] =>
      world.twin.messages((message) => message.callbackData?.endsWith(messageId) ?? false),
    /** Waits for the message on its phone. */
    gets: (otp: Otp): Promise<TwinMessage> =>
      until(
        () => `the message ${otp.messageId} on its phone`,
        () => phones.got(otp)[0],
      ),
    /** Reports one status after the other, each processed before the next. */
    async reports(otp: Otp, statuses: readonly ReportedStatus[]): Promise<void> {
      const message = await phones.gets(otp)
      await world.settled()
      for (const status of statuses) {
        const posts = await world.twin.report(message, [status])
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
