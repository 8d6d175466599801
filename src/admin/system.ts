import { z } from 'zod'
import { operatorCall, router } from './rpc/trpc.ts'

/** The health of the instance. It changes nothing. */
export const system = router({
  /** `outside`: also asks WhatsApp and the public URL, at most once a minute. */
  examine: operatorCall
    .input(z.object({ outside: z.boolean() }))
    .query(({ ctx: { doctor }, input: { outside } }) => doctor({ outside })),
})
