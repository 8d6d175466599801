import { TRPCError } from '@trpc/server'
import { z } from 'zod'
import type { InputFault } from './trpc.ts'

/** Refuses a form as if its schema did: each fault stands at its field. */
export const refusedFields = (faults: readonly InputFault[]): TRPCError =>
  new TRPCError({
    code: 'BAD_REQUEST',
    message: 'Something in the form has to be changed.',
    cause: new z.ZodRealError(
      faults.map(({ path, message }) => ({ code: 'custom', path: path.split('.'), message, input: undefined })),
    ),
  })
