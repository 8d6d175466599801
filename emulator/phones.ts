import { createHash } from 'node:crypto'
import { ControlError } from './control-error.ts'
import { type Noting, UNNOTED } from './changes.ts'
import { TWIN_LIMITS } from './limits.ts'

/** What a person's phone does, apart from any one message. */
export type Phone = {
  online: boolean
  name: string
  /** A user with a username: `from`, `wa_id` and `recipient_id` are left out of webhooks. */
  username: string | undefined
  /** Whether the business learns that a message was read. */
  readReceipts: boolean
  /** Ids of the business numbers that this person has blocked. */
  blocked: readonly string[]
}

const USUAL_PHONE: Phone = { online: true, name: 'Customer', username: undefined, readReceipts: true, blocked: [] }

/** The recipient of a message or the writer of one. Both ids may be known, and at least one is. */
export type Person = { digits: string | undefined; waId: string | undefined; userId: string | undefined }

const NUMBER = /^\+?[0-9()\s-]+$/
const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/

/** Digits of a number as Meta tolerates it in `to`, or undefined when it is no phone number. */
export function digitsOf(input: string): string | undefined {
  if (!NUMBER.test(input)) return undefined
  const digits = input.replace(/\D/g, '')
  return digits.length >= 7 && digits.length <= 15 ? digits : undefined
}

export function isUserId(input: string): boolean {
  return USER_ID.test(input)
}

/** The WhatsApp id of a dialled number: Brazil loses its ninth digit, Mexico gains a 1, Argentina a 9. */
export function waIdOf(digits: string): string {
  if (digits.startsWith('55') && digits.length === 13 && digits[4] === '9') return digits.slice(0, 4) + digits.slice(5)
  if (digits.startsWith('52') && digits.length === 12) return `521${digits.slice(2)}`
  if (digits.startsWith('54') && digits.length === 12) return `549${digits.slice(2)}`
  return digits
}

/** The same person has another id at every business portfolio, and always the same one at this. */
export function userIdOf(businessId: string, waId: string): string {
  const hash = createHash('sha256').update(`${businessId}/${waId}`).digest('hex').slice(0, 20)
  return `${countryOf(waId)}.${hash}`
}

const CALLING_CODES: Record<string, string> = {
  '1': 'US',
  '7': 'RU',
  '20': 'EG',
  '27': 'ZA',
  '33': 'FR',
  '34': 'ES',
  '39': 'IT',
  '44': 'GB',
  '49': 'DE',
  '51': 'PE',
  '52': 'MX',
  '54': 'AR',
  '55': 'BR',
  '56': 'CL',
  '57': 'CO',
  '60': 'MY',
  '62': 'ID',
  '63': 'PH',
  '65': 'SG',
  '90': 'TR',
  '91': 'IN',
  '92': 'PK',
  '212': 'MA',
  '213': 'DZ',
  '216': 'TN',
  '218': 'LY',
  '221': 'SN',
  '225': 'CI',
  '234': 'NG',
  '249': 'SD',
  '254': 'KE',
  '351': 'PT',
  '880': 'BD',
  '961': 'LB',
  '962': 'JO',
  '964': 'IQ',
  '965': 'KW',
  '966': 'SA',
  '967': 'YE',
  '968': 'OM',
  '971': 'AE',
  '973': 'BH',
  '974': 'QA',
}

/** ZZ where the table has no row: the id stays well-formed. */
function countryOf(digits: string): string {
  return (
    CALLING_CODES[digits.slice(0, 3)] ?? CALLING_CODES[digits.slice(0, 2)] ?? CALLING_CODES[digits.slice(0, 1)] ?? 'ZZ'
  )
}

/** Phones that differ from the usual one, and who is behind a user id. */
export class Phones {
  readonly #changes: Noting
  readonly #byWaId = new Map<string, Phone>()
  readonly #waIdByUserId = new Map<string, string>()

  constructor(changes: Noting = UNNOTED) {
    this.#changes = changes
  }

  find(waId: string | undefined): Phone | undefined {
    return waId === undefined ? undefined : this.#byWaId.get(waId)
  }

  get(waId: string): Phone {
    return this.#byWaId.get(waId) ?? USUAL_PHONE
  }

  /** Throws a ControlError where there is no room for one more: to forget that another is off would turn it on. */
  set(waId: string, change: Partial<Phone>): Phone {
    const phone = { ...this.get(waId), ...change }
    const isOneMore = !this.#byWaId.has(waId)
    if (isUsual(phone)) this.#byWaId.delete(waId)
    else if (isOneMore && this.#byWaId.size >= TWIN_LIMITS.phonesKept) {
      throw new ControlError(
        `the twin remembers ${TWIN_LIMITS.phonesKept} phones that were changed, and no more; change some back, or POST /control/reset`,
        409,
      )
    } else this.#byWaId.set(waId, phone)
    this.#changes.note('phones', waId, this.#byWaId.get(waId))
    return phone
  }

  rememberUserId(userId: string, waId: string): void {
    if (this.#waIdByUserId.get(userId) === waId) return
    this.#waIdByUserId.set(userId, waId)
    this.#changes.note('userIds', userId, waId)
    const forgotten = forgetOldest(this.#waIdByUserId, TWIN_LIMITS.phonesKept)
    if (forgotten !== undefined) this.#changes.note('userIds', forgotten, undefined)
  }

  findByUserId(userId: string): string | undefined {
    return this.#waIdByUserId.get(userId)
  }

  clear(): void {
    for (const waId of this.#byWaId.keys()) this.#changes.note('phones', waId, undefined)
    for (const userId of this.#waIdByUserId.keys()) this.#changes.note('userIds', userId, undefined)
    this.#byWaId.clear()
    this.#waIdByUserId.clear()
  }

  /** By WhatsApp ids. */
  changed(): Iterable<[string, Phone]> {
    return this.#byWaId
  }

  userIds(): Iterable<[string, string]> {
    return this.#waIdByUserId
  }

  restore({ phones, userIds }: { phones: [string, Phone][]; userIds: [string, string][] }): void {
    for (const [waId, phone] of phones) this.#byWaId.set(waId, phone)
    for (const [userId, waId] of userIds) this.#waIdByUserId.set(userId, waId)
  }
}

function isUsual({ online, name, username, readReceipts, blocked }: Phone): boolean {
  return online && name === USUAL_PHONE.name && username === undefined && readReceipts && blocked.length === 0
}

/** Maps keep insertion order, so the first key is the oldest. Says which was forgotten, if any. */
export function forgetOldest<Value>(map: Map<string, Value>, limit: number): string | undefined {
  if (map.size <= limit) return undefined
  const oldest = map.keys().next().value
  if (oldest !== undefined) map.delete(oldest)
  return oldest
}
