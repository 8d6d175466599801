import { z } from 'zod'
import { inEnglish } from '../../locales/resources.ts'
import { FAILURE_CODES, type FailureCode, failurePart, failureText } from './failure-codes.ts'

const failureCode = z.enum(FAILURE_CODES).meta({
  id: 'FailureCode',
  description: [
    'What a program should look at. The page `/problems/<code>` says who must act. Treat a code that you do not know as you treat `UNKNOWN`.',
    ...FAILURE_CODES.map((code) => `- \`${code}\`: ${inEnglish(failurePart(code, 'cause'))}`),
  ].join('\n'),
})

/** Why a message or a check failed (docs/failure-codes.md). */
export const failureSchema = z
  .strictObject({
    code: failureCode,
    message: z.string().meta({ description: 'The same in words, for people to read; it names who must act.' }),
  })
  .meta({ id: 'Failure' })

export const failureView = (code: FailureCode) => ({ code, message: inEnglish(failureText(code)) })
