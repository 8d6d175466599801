import { z } from 'zod'
import type { Answer } from './answer.ts'
import { type Fault, FAULTS_MOST } from './faults.ts'
import { type RefusalCode, refusals } from '../errors.ts'

export const PROBLEM_TYPE = 'application/problem+json'

/** The body of every refusal (RFC 9457, contract §2). */
export const problemSchema = z.strictObject({
  type: z.url().meta({ description: 'The page that explains the code.' }),
  title: z.string().meta({ description: 'What the code means. The same for every problem of this code.' }),
  status: z.int().meta({ description: 'The HTTP status.' }),
  detail: z.string().meta({ description: 'What is wrong with this request, for people to read.' }),
  instance: z.string().meta({ description: 'The correlation id as a URN.' }),
  code: z.enum(Object.keys(refusals)).meta({ description: 'What a program should look at.' }),
  correlationId: z.guid().meta({ description: 'The same as in X-Correlation-ID. Name it when you ask for help.' }),
  errors: z
    .array(
      z.strictObject({
        in: z.enum(['body', 'query', 'path', 'header']),
        pointer: z.string().meta({ description: 'JSON Pointer (RFC 6901) into that part; empty for the whole part.' }),
        detail: z.string(),
      }),
    )
    .optional()
    .meta({ description: 'With `DEVELOPER_INVALID_INPUT` only: every fault of the request at once.' }),
})

/** Makes problems whose `type` is a page of this instance. */
export function problems(publicUrl: string) {
  return (code: RefusalCode, detail: string, correlationId: string, faults: readonly Fault[] = []): Answer => {
    const { status, title } = refusals[code]
    const body = {
      type: `${publicUrl}/problems/${code}`,
      title,
      status,
      detail,
      instance: `urn:uuid:${correlationId}`,
      code,
      correlationId,
      ...(faults.length > 0 && { errors: faults.slice(0, FAULTS_MOST).map(withoutMarks) }),
    }
    return { status, headers: { 'content-type': PROBLEM_TYPE, ...headersOf(code) }, body: JSON.stringify(body) }
  }
}

const withoutMarks = ({ in: part, pointer, detail }: Fault) => ({ in: part, pointer, detail })

/** Only a wait for the rate limit has a known end (spec §7). */
function headersOf(code: RefusalCode): Record<string, string> {
  if (code === 'RATE_LIMITED') return { 'retry-after': '1' }
  return code === 'API_KEY_INVALID' ? { 'www-authenticate': 'Bearer' } : {}
}
