import { listSenders } from '../accounts/senders.ts'
import { callingCodeIn } from '../lib/phone/calling-code.ts'
import { findStoredSettings } from '../cod/settings/settings-store.ts'
import { type Sql, isTemporary } from '../lib/db/pool.ts'
import type { Fault } from '../lib/http/faults.ts'
import { callingCodesOf, onlyMeaning } from '../lib/lists/searched-phones.ts'
import { withLatinDigits } from '../../locales/typed-digits.ts'

/** A shorter text may be a one-time code in the wrong field, which no response repeats. */
const MIN_REPEATED_DIGITS = 9

type Request = { body: unknown; workspaceId: string }

export type RecipientExplainer = (faults: readonly Fault[], request: Request) => Promise<readonly Fault[]>

/**
 * Says how to write a recipient without + and country code. The workspace's countries are those of its delivery time zone
 * and of its own numbers.
 */
export const createRecipientExplainer =
  (db: Sql): RecipientExplainer =>
  async (faults, { body, workspaceId }) => {
    const fault = faults.find(({ in: part, pointer }) => part === 'body' && pointer === '/to')
    if (fault?.detail.code !== 'http.phone_without_plus') return faults
    const text = String(Reflect.get(Object(body), 'to'))
    const codes = await listCallingCodes(db, workspaceId)
    const phone = faults.length === 1 && isRepeatable(text) ? onlyMeaning(text, codes) : undefined
    const detail = phone === undefined ? formOf(codes) : ({ code: 'http.phone_meant', phone } as const)
    return detail ? faults.map((each) => (each === fault ? { ...fault, detail } : each)) : faults
  }

async function listCallingCodes(db: Sql, workspaceId: string): Promise<string[]> {
  try {
    const [stored, senders] = await Promise.all([findStoredSettings(db, workspaceId), listSenders(db, workspaceId)])
    const code = stored && callingCodeIn(stored.settings.timeZone)
    return [...new Set([...(code ? [code] : []), ...callingCodesOf(senders.map(({ phoneNumber }) => phoneNumber))])]
  } catch (error) {
    if (isTemporary(error)) return [] // the request is wrong, whether or not the database answers
    throw error
  }
}

const isRepeatable = (text: string): boolean =>
  withLatinDigits(text).replaceAll(/\D/g, '').length >= MIN_REPEATED_DIGITS

const formOf = ([callingCode]: readonly string[]) =>
  callingCode === undefined ? undefined : ({ code: 'http.phone_national', callingCode } as const)
