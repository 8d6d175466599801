import { z } from 'zod'
import { type NextIds, SavedMap, type Storage } from '../store/saved-map.ts'
import { ControlError, requireRoom } from '../errors.ts'
import { META_LIMITS, EMULATOR_LIMITS } from '../limits.ts'
import { type ReviewPlan, type Template, makeTemplate, reviewSchema, templateSeedSchema } from './templates.ts'

export const id = z.string().regex(/^\d{5,20}$/, 'must be 5 to 20 digits')

const callbackUrl = z.url({ protocol: /^https?$/ }).optional()
/** Numbers with these statuses can send. */
export const SENDING_STATUSES = ['CONNECTED', 'FLAGGED'] as const
const OTHER_STATUSES = ['PENDING', 'DISCONNECTED', 'RESTRICTED', 'RATE_LIMITED', 'UNVERIFIED', 'UNKNOWN'] as const
const numberStatus = z.enum([...SENDING_STATUSES, ...OTHER_STATUSES, 'BANNED', 'MIGRATED', 'DELETED'])
const throughput = z.enum(['STANDARD', 'HIGH', 'NOT_APPLICABLE'])
const qualityRating = z.enum(['GREEN', 'YELLOW', 'RED', 'UNKNOWN', 'NA'])

export const numberSeedSchema = z.strictObject({
  id: id.optional(),
  /** The form for people: "+1 631-555-0100". */
  displayPhoneNumber: z.string().regex(/^\+[0-9 ()-]{7,24}$/, 'must be a phone number that begins with +'),
  verifiedName: z.string().optional(),
  status: numberStatus.default('CONNECTED'),
  throughput: throughput.default('STANDARD'),
  qualityRating: qualityRating.default('GREEN'),
  codeVerificationStatus: z.enum(['VERIFIED', 'NOT_VERIFIED', 'EXPIRED', 'UNVERIFIED']).default('VERIFIED'),
  nameStatus: z.string().default('APPROVED'),
  messagingLimit: z.string().default('TIER_2K'),
  pin: z
    .string()
    .regex(/^\d{6}$/)
    .optional(),
  /** A test number: only these recipients are allowed (131030). */
  allowedRecipients: z.array(z.string()).max(5).optional(),
})

export const accountSeedSchema = z.strictObject({
  id: id.optional(),
  name: z.string().default('Example business'),
  businessId: id.default('500100200300400'),
  appId: id.default('600100200300400'),
  appSecret: z.string().min(1),
  accessToken: z.string().min(1),
  /** The token of the callback's verification handshake, which the emulator may do on start. */
  verifyToken: z.string().min(1),
  callbackUrl,
  /** Without a subscription no webhooks are sent, as at Meta; true when a callbackUrl is given. */
  subscribed: z.boolean().optional(),
  /** How OTP buttons are read back. */
  otpButtons: z.enum(['URL', 'OTP']).default('URL'),
  /** Whether business-scoped user ids appear in answers and webhooks. */
  userIds: z.boolean().default(true),
  /** Rejects every send with this code: 131031 locked, 131042 payment, 368 policy. */
  blockedBy: z.int().optional(),
  review: reviewSchema.optional(),
  numbers: z.array(numberSeedSchema).default([]),
  templates: z.array(templateSeedSchema).default([]),
})

export const numberChangeSchema = z
  .strictObject({ status: numberStatus, throughput, qualityRating, messagingLimit: z.string() })
  .partial()

export const accountChangeSchema = z.strictObject({
  callbackUrl,
  subscribed: z.boolean().optional(),
  /** null lifts the block. */
  blockedBy: z.int().nullable().optional(),
  /** Statuses come immediately, with times as far apart as usual, of which the last is now: for a business that simulates its past. */
  hurried: z.boolean().optional(),
})

export type NumberSeed = z.input<typeof numberSeedSchema>
export type AccountSeed = z.input<typeof accountSeedSchema>

export type PhoneNumber = z.output<typeof numberSeedSchema> & {
  readonly id: string
  readonly verifiedName: string
  readonly digits: string
}

type Seed = z.output<typeof accountSeedSchema>

export type Account = Omit<Seed, 'review' | 'numbers' | 'templates'> & {
  readonly id: string
  /** The emulator made its credentials, and shows them. */
  readonly issued?: boolean
  overrideCallbackUrl: string | undefined
  subscribed: boolean
  /** See accountChangeSchema. */
  hurried?: boolean
  readonly numbers: Map<string, PhoneNumber>
  readonly templates: Map<string, Template>
  readonly reviews: ReviewPlan[]
  /** Names of deleted approved templates, and until when they are blocked. */
  readonly blockedNames: Map<string, number>
  readonly creationsAt: number[]
}

export type NumberOfAccount = { account: Account; number: PhoneNumber }
export type TemplateOfAccount = { account: Account; template: Template }

export class Accounts {
  readonly #nextIds: NextIds
  readonly #byId: SavedMap<Account, SavedAccount>
  readonly #numbers = new Map<string, NumberOfAccount>()

  constructor(storage: Storage, nextIds: NextIds) {
    this.#nextIds = nextIds
    this.#byId = new SavedMap('accounts', storage, { toRow: savedAccount, fromRow: restoreAccount })
    for (const account of this.list())
      for (const number of account.numbers.values()) this.#numbers.set(number.id, { account, number })
  }

  /** Call it after changing the account, its numbers or its templates. */
  changed(account: Account): void {
    this.#byId.changed(account.id)
  }

  list(): Account[] {
    return [...this.#byId.values()]
  }

  find(accountId: string): Account | undefined {
    return this.#byId.get(accountId)
  }

  findNumber(numberId: string): NumberOfAccount | undefined {
    return this.#numbers.get(numberId)
  }

  findNumberByName(name: string): NumberOfAccount | undefined {
    const digits = name.replace(/\D/g, '')
    return this.#numbers.get(name) ?? this.#numbers.values().find(({ number }) => number.digits === digits)
  }

  /** Throws a ControlError. `field`: what of a request holds the name. */
  getNumberByName(name: string, field?: string): NumberOfAccount {
    const row = this.findNumberByName(name)
    if (row !== undefined) return row
    const message = `there is no business number ${name}`
    throw field === undefined ? new ControlError(message, 404) : new ControlError(`${field}: ${message}`)
  }

  findOnlyNumber(): NumberOfAccount | undefined {
    return this.#numbers.size === 1 ? this.#numbers.values().next().value : undefined
  }

  findTemplateById(templateId: string): TemplateOfAccount | undefined {
    for (const account of this.list()) {
      for (const template of account.templates.values()) if (template.id === templateId) return { account, template }
    }
    return undefined
  }

  isToken(token: string): boolean {
    return this.list().some(({ accessToken }) => accessToken === token)
  }

  add({ review, numbers, templates, ...seed }: Seed, now: number, issued = false): Account {
    const id = seed.id ?? this.#makeId('10203040506')
    if (this.#byId.has(id)) throw new ControlError(`account ${id} exists already`)
    requireRoom(this.#byId.size, EMULATOR_LIMITS.accounts, 'accounts at most')
    const account: Account = {
      ...seed,
      id,
      ...(issued && { issued }),
      overrideCallbackUrl: undefined,
      subscribed: seed.subscribed ?? seed.callbackUrl !== undefined,
      numbers: new Map(),
      templates: new Map(),
      reviews: review === undefined ? [] : [{ ...review }],
      blockedNames: new Map(),
      creationsAt: [],
    }
    this.#byId.set(id, account)
    for (const number of numbers) this.addNumber(account, number)
    for (const template of templates) this.addTemplate(account, template, now)
    return account
  }

  /** Updates the access of a saved account, and keeps the rest. */
  changeAccess(account: Account, { appSecret, accessToken, verifyToken, callbackUrl, subscribed = true }: Seed): void {
    Object.assign(account, { appSecret, accessToken, verifyToken })
    this.changed(account)
    if (callbackUrl !== undefined) Object.assign(account, { callbackUrl, subscribed })
  }

  addNumber(account: Account, seed: z.output<typeof numberSeedSchema>): PhoneNumber {
    const id = seed.id ?? this.#makeId('70809010203')
    if (this.#numbers.has(id)) throw new ControlError(`phone number ${id} exists already`)
    requireRoom(account.numbers.size, EMULATOR_LIMITS.numbersPerAccount, 'numbers at most')
    const digits = seed.displayPhoneNumber.replace(/\D/g, '')
    const number: PhoneNumber = { ...seed, id, digits, verifiedName: seed.verifiedName ?? account.name }
    account.numbers.set(id, number)
    this.#numbers.set(id, { account, number })
    this.changed(account)
    return number
  }

  addTemplate(account: Account, seed: z.output<typeof templateSeedSchema>, now: number): Template {
    const key = templateKey(seed.name, seed.language)
    if (account.templates.has(key)) throw new ControlError(`template ${seed.name} exists already in ${seed.language}`)
    requireRoom(account.templates.size, EMULATOR_LIMITS.templatesHeld, 'templates at most; delete some')
    const template = makeTemplate(seed, seed.id ?? this.#makeTemplateId(), now)
    account.templates.set(key, template)
    this.changed(account)
    return template
  }

  #makeId(prefix: string): string {
    return prefix + String(this.#nextIds.accounts++).padStart(4, '0')
  }

  /** Above 2^53, to expose clients that parse ids as numbers. */
  #makeTemplateId(): string {
    return `90071992547${String(409_931 + 2 * this.#nextIds.accounts++).padStart(6, '0')}`
  }
}

type SavedAccount = ReturnType<typeof savedAccount>

function savedAccount(account: Account) {
  return {
    ...account,
    numbers: [...account.numbers.values()],
    templates: [...account.templates.values()],
    blockedNames: [...account.blockedNames],
  }
}

function restoreAccount({ numbers, templates, blockedNames, ...rest }: SavedAccount): Account {
  return {
    ...rest,
    numbers: new Map(numbers.map((number) => [number.id, number])),
    templates: new Map(templates.map((template) => [templateKey(template.name, template.language), template])),
    blockedNames: new Map(blockedNames),
  }
}

export function messagesPerSecond(number: PhoneNumber): number {
  return number.throughput === 'HIGH' ? META_LIMITS.highMessagesPerSecond : META_LIMITS.standardMessagesPerSecond
}

export function templateKey(name: string, language: string): string {
  return `${name}\0${language}`
}
