import { z } from 'zod'
import { sentences } from '../sentences.ts'
import { CallRefused } from './call-refused.ts'
import type { InputFault } from './trpc.ts'

/** Refuses a form as if its schema did: each fault stands at its field. Messages are the English of kept sentences. */
export const refusedFields = (faults: readonly InputFault[]): CallRefused =>
  new CallRefused(
    'BAD_REQUEST',
    formFaulty,
    new z.ZodRealError(
      faults.map(({ path, message }) => ({ code: 'custom', path: path.split('.'), message, input: undefined })),
    ),
  )

export const { formFaulty } = sentences({
  formFaulty: { en: 'Something in the form has to be changed.', ar: 'في النموذج ما يجب تغييره.' },
})
