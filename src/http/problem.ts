import { type Fault, FAULTS_MOST } from './faults.ts'
import { type RefusalCode, refusals } from '../errors.ts'

export const PROBLEM_TYPE = 'application/problem+json'

/** An answer that says why not (RFC 9457, contract §2), ready to be sent. */
export type Problem = { status: number; headers: Record<string, string>; body: string }

/** Makes problems whose `type` is a page of this instance. */
export function problems(publicUrl: string) {
  return (code: RefusalCode, detail: string, correlationId: string, faults: readonly Fault[] = []): Problem => {
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
