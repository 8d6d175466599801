import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { ControlError } from '../errors.ts'
import { SavedMap, type Storage } from '../store/saved-map.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import type { PhoneState } from '../wire/chats.ts'

/** The settings of a person's phone. */
export type Phone = Omit<PhoneState, 'phone'> & {
  name: string
  /** A user with a username: `from`, `wa_id` and `recipient_id` are left out of webhooks. */
  username: string | undefined
}

const DEFAULT_PHONE: Phone = { online: true, name: 'Customer', username: undefined, readReceipts: true, blocked: [] }

const NUMBER = /^\+?[0-9()\s-]+$/
const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/

/** Digits of a number as Meta tolerates it in `to`, or undefined if it is not a phone number. */
export function digitsOf(input: string): string | undefined {
  if (!NUMBER.test(input)) return undefined
  const digits = input.replace(/\D/g, '')
  return digits.length >= 7 && digits.length <= 15 ? digits : undefined
}

/** The digits of a phone number; other ids as they are. */
export function normalised(party: string): string {
  return digitsOf(party) ?? party
}

export function isUserId(input: string): boolean {
  return USER_ID.test(input)
}

/** The WhatsApp id of a phone number in any form; `field` names it in the error. */
export function parseWaId(number: string, field: string): string {
  const digits = digitsOf(number)
  if (digits === undefined) throw new ControlError(`${field}: ${number} is not a phone number`)
  return waIdOf(digits)
}

/** The WhatsApp id of a dialled number: Brazil loses its ninth digit, Mexico gains a 1, Argentina a 9. */
export function waIdOf(digits: string): string {
  if (digits.startsWith('55') && digits.length === 13 && digits[4] === '9') return digits.slice(0, 4) + digits.slice(5)
  if (digits.startsWith('52') && digits.length === 12) return `521${digits.slice(2)}`
  if (digits.startsWith('54') && digits.length === 12) return `549${digits.slice(2)}`
  return digits
}

/** A person has one stable id per business portfolio. */
export function userIdOf(businessId: string, waId: string): string {
  const hash = createHash('sha256').update(`${businessId}/${waId}`).digest('hex').slice(0, 20)
  return `${countryOf(waId)}.${hash}`
}

const CALLING_CODES = `
1:US 7:RU 20:EG 27:ZA 33:FR 34:ES 39:IT 44:GB 49:DE 51:PE 52:MX 54:AR 55:BR 56:CL 57:CO 60:MY 62:ID
63:PH 65:SG 90:TR 91:IN 92:PK 212:MA 213:DZ 216:TN 218:LY 221:SN 225:CI 234:NG 249:SD 254:KE 351:PT
880:BD 961:LB 962:JO 964:IQ 965:KW 966:SA 967:YE 968:OM 971:AE 973:BH 974:QA
`
const COUNTRIES = new Map(
  CALLING_CODES.trim()
    .split(/\s+/)
    .map((row) => row.split(':') as [string, string]),
)

/** ZZ if the table has no row, so that the id stays well-formed. */
function countryOf(digits: string): string {
  const lengths = [3, 2, 1].map((length) => COUNTRIES.get(digits.slice(0, length)))
  return lengths.find((country) => country !== undefined) ?? 'ZZ'
}

/** Phones that differ from the usual one, and who is behind a user id. */
export class Phones {
  readonly #byWaId: SavedMap<Phone>
  readonly #waIdByUserId: SavedMap<string>

  constructor(storage: Storage) {
    this.#byWaId = new SavedMap('phones', storage)
    this.#waIdByUserId = new SavedMap('userIds', storage, { max: EMULATOR_LIMITS.phonesKept })
  }

  get(waId: string | undefined): Phone {
    return this.#byWaId.get(waId ?? '') ?? DEFAULT_PHONE
  }

  /** Throws a ControlError if there is no room for another phone: forgetting that one is off would turn it on. */
  set(waId: string, change: Partial<Phone>): Phone {
    const phone = { ...this.get(waId), ...change }
    const isOneMore = !this.#byWaId.has(waId)
    if (isDeepStrictEqual(phone, DEFAULT_PHONE)) this.#byWaId.delete(waId)
    else if (isOneMore && this.#byWaId.size >= EMULATOR_LIMITS.phonesKept) {
      const limit = `the emulator remembers ${EMULATOR_LIMITS.phonesKept} phones that were changed, and no more`
      throw new ControlError(`${limit}; change some back, or POST /control/reset`, 409)
    } else this.#byWaId.set(waId, phone)
    return phone
  }

  rememberUserId(userId: string, waId: string): void {
    if (this.#waIdByUserId.get(userId) !== waId) this.#waIdByUserId.set(userId, waId)
  }

  findByUserId(userId: string): string | undefined {
    return this.#waIdByUserId.get(userId)
  }

  clear(): void {
    this.#byWaId.clear()
    this.#waIdByUserId.clear()
  }
}
