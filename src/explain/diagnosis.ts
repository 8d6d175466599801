import { type FailureCode, failureCodes } from '../providers/failure-codes.ts'
import type { Remedy } from '../providers/provider.ts'
import { type CodedText, plainText } from '../../locales/text.ts'
import type { ProviderReader, ReportFact } from './facts.ts'
import type { AttemptFact } from './rows.ts'

/** What is known about the message that failed. */
type Evidence = { attempts: readonly AttemptFact[]; reports: readonly ReportFact[]; provider: ProviderReader }

/** Who must do what after a failure; more exact than the failure code where attempts or reports say more. */
export function diagnose(failureCode: FailureCode, { attempts, reports, provider }: Evidence): Remedy {
  const last = attempts.at(-1)
  if (failureCode === 'UNKNOWN' && last?.outcome === 'not_made')
    return { who: 'operator', sentence: { code: 'explain.not_made', why: last.detail ?? '' } }
  const reported = reports
    .flatMap(({ body, outcome }) => (outcome === 'applied' ? (provider.readStatus(body)?.error ?? []) : []))
    .findLast((error) => error.failureCode === failureCode)
  const errorCode = reported ? reported.code : (last?.providerCode ?? null)
  const known = errorCode === null ? undefined : provider.findError(errorCode)
  if (known?.remedy && known.failureCode === failureCode) return known.remedy
  const error = known && errorCode !== null ? { errorCode, title: known.title } : undefined
  if (failureCode === 'UNKNOWN') {
    if (error) return { who: 'operator', sentence: { code: 'explain.look_up_known_code', ...error } }
    if (errorCode !== null) return { who: 'operator', sentence: { code: 'explain.look_up_unknown_code', errorCode } }
    return { who: 'operator', sentence: { code: reported ? 'explain.nothing_reported' : 'explain.nothing_said' } }
  }
  if (failureCode === 'PROVIDER_UNAVAILABLE') {
    if (reported && error) return { who: 'client', sentence: { code: 'explain.fault_reported', ...error } }
    if (attempts.some(({ outcome }) => outcome === 'unknown'))
      return { who: 'client', sentence: { code: 'explain.may_have_arrived' } }
    if (error) return { who: 'client', sentence: { code: 'explain.fault_till_the_end', ...error } }
  }
  return { who: failureCodes[failureCode].owner, sentence: remedyText(failureCode) }
}

const remedyText = (code: Exclude<FailureCode, 'UNKNOWN'>): CodedText =>
  plainText(`failures.${code.toLowerCase() as Lowercase<typeof code>}_remedy`)
