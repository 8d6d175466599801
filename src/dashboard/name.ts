import { z } from 'zod'

const NAME_MOST = 100

/** Of a workspace or a key, as the command line takes them. */
export const nameOfThing = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .refine((name) => Array.from(name).length <= NAME_MOST, `must have at most ${NAME_MOST} characters`)
  .refine((name) => !/\p{Cc}/u.test(name), 'must be on one line, without control characters')
