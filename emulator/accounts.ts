import { z } from 'zod'
import { type Noting, UNNOTED } from './changes.ts'
import { ControlError } from './control-error.ts'
import { TWIN_LIMITS } from './limits.ts'
import { reviewSchema } from './review-plan.ts'
import type { ReviewPlan } from './review-plan.ts'
import { makeTemplate, templateSeedSchema } from './templates.ts'
import type { Template } from './templates.ts'

const id = z.string().regex(/^\d{5,20}$/, 'must be 5 to 20 digits')

export const NUMBER_STATUSES = [
  'CONNECTED',
  'PENDING',
  'DISCONNECTED',
  'FLAGGED',
  'RESTRICTED',
  'RATE_LIMITED',
  'BANNED',
  'MIGRATED',
  'DELETED',
  'UNVERIFIED',
  'UNKNOWN',
] as const

export const numberSeedSchema = z.strictObject({
  id: id.optional(),
  /** As shown to people: "+1 631-555-0100". */
  displayPhoneNumber: z.string().regex(/^\+[0-9 ()-]{7,24}$/, 'must be a phone number that begins with +'),
  verifiedName: z.string().optional(),
  status: z.enum(NUMBER_STATUSES).default('CONNECTED'),
  throughput: z.enum(['STANDARD', 'HIGH', 'NOT_APPLICABLE']).default('STANDARD'),
  qualityRating: z.enum(['GREEN', 'YELLOW', 'RED', 'UNKNOWN', 'NA']).default('GREEN'),
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
  /** What the callback's verification handshake is given when the twin does one on start. */
  verifyToken: z.string().min(1),
  callbackUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Without a subscription no webhooks are sent, as at Meta; true when a callbackUrl is given. */
  subscribed: z.boolean().optional(),
  /** How OTP buttons are read back. */
  otpButtons: z.enum(['URL', 'OTP']).default('URL'),
  /** Whether business-scoped user ids appear in answers and webhooks. */
  userIds: z.boolean().default(true),
  /** Refuses every send with this code: 131031 locked, 131042 payment, 368 policy. */
  blockedBy: z.int().optional(),
  review: reviewSchema.optional(),
  numbers: z.array(numberSeedSchema).default([]),
  templates: z.array(templateSeedSchema).default([]),
})

export type NumberSeed = z.input<typeof numberSeedSchema>
export type AccountSeed = z.input<typeof accountSeedSchema>

export type PhoneNumber = Omit<
  z.output<typeof numberSeedSchema>,
  'id' | 'verifiedName' | 'pin' | 'allowedRecipients'
> & {
  readonly id: string
  readonly verifiedName: string
  readonly digits: string
  pin: string | undefined
  readonly allowedRecipients: readonly string[] | undefined
}

export type Account = {
  readonly id: string
  readonly name: string
  readonly businessId: string
  readonly appId: string
  appSecret: string
  accessToken: string
  verifyToken: string
  callbackUrl: string | undefined
  overrideCallbackUrl: string | undefined
  subscribed: boolean
  readonly otpButtons: 'URL' | 'OTP'
  readonly userIds: boolean
  blockedBy: number | undefined
  readonly numbers: Map<string, PhoneNumber>
  readonly templates: Map<string, Template>
  readonly reviews: ReviewPlan[]
  /** Names of deleted approved templates, and until when they are taken. */
  readonly blockedNames: Map<string, number>
  readonly creationsAt: number[]
}

export type NumberOfAccount = { account: Account; number: PhoneNumber }
export type TemplateOfAccount = { account: Account; template: Template }

/** The accounts of the twin with everything found by its id in one step: a send needs two of these lookups. */
export class Accounts {
  readonly #changes: Noting
  readonly #byId = new Map<string, Account>()
  readonly #numbers = new Map<string, NumberOfAccount>()
  readonly #tokens = new Map<string, Set<Account>>()
  #nextId = 1

  constructor(changes: Noting = UNNOTED) {
    this.#changes = changes
  }

  /** To be called by whoever has changed it, its numbers or its templates. */
  changed(account: Account): void {
    this.#changes.note('accounts', account.id, account)
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

  findNumberByDigits(digits: string): NumberOfAccount | undefined {
    for (const row of this.#numbers.values()) if (row.number.digits === digits) return row
    return undefined
  }

  findTemplateById(templateId: string): TemplateOfAccount | undefined {
    for (const account of this.#byId.values()) {
      for (const template of account.templates.values()) if (template.id === templateId) return { account, template }
    }
    return undefined
  }

  isToken(token: string): boolean {
    return (this.#tokens.get(token)?.size ?? 0) > 0
  }

  mayUse(token: string, account: Account): boolean {
    return this.#tokens.get(token)?.has(account) ?? false
  }

  add(seed: z.output<typeof accountSeedSchema>, now: number): Account {
    const accountId = seed.id ?? this.#makeId('10203040506')
    if (this.#byId.has(accountId)) throw new ControlError(`account ${accountId} exists already`)
    if (this.#byId.size >= TWIN_LIMITS.accounts)
      throw new ControlError(`the twin holds ${TWIN_LIMITS.accounts} accounts at most`)
    const account: Account = {
      id: accountId,
      name: seed.name,
      businessId: seed.businessId,
      appId: seed.appId,
      appSecret: seed.appSecret,
      accessToken: seed.accessToken,
      verifyToken: seed.verifyToken,
      callbackUrl: seed.callbackUrl,
      overrideCallbackUrl: undefined,
      subscribed: seed.subscribed ?? seed.callbackUrl !== undefined,
      otpButtons: seed.otpButtons,
      userIds: seed.userIds,
      blockedBy: seed.blockedBy,
      numbers: new Map(),
      templates: new Map(),
      reviews: seed.review === undefined ? [] : [{ ...seed.review }],
      blockedNames: new Map(),
      creationsAt: [],
    }
    this.#byId.set(accountId, account)
    this.#admit(account)
    this.changed(account)
    for (const number of seed.numbers) this.addNumber(account, number)
    for (const template of seed.templates) this.addTemplate(account, template, now)
    return account
  }

  /** Of an account that is remembered from an earlier start: how it is called now. All else stays as it has become. */
  changeAccess(account: Account, seed: z.output<typeof accountSeedSchema>): void {
    this.#tokens.get(account.accessToken)?.delete(account)
    account.appSecret = seed.appSecret
    account.accessToken = seed.accessToken
    account.verifyToken = seed.verifyToken
    this.#admit(account)
    this.changed(account)
    if (seed.callbackUrl === undefined) return
    account.callbackUrl = seed.callbackUrl
    account.subscribed = seed.subscribed ?? true
  }

  addNumber(account: Account, seed: z.output<typeof numberSeedSchema>): PhoneNumber {
    const numberId = seed.id ?? this.#makeId('70809010203')
    if (this.#numbers.has(numberId)) throw new ControlError(`phone number ${numberId} exists already`)
    if (account.numbers.size >= TWIN_LIMITS.numbersPerAccount) {
      throw new ControlError(`an account holds ${TWIN_LIMITS.numbersPerAccount} numbers at most`)
    }
    const number: PhoneNumber = {
      ...seed,
      id: numberId,
      digits: seed.displayPhoneNumber.replace(/\D/g, ''),
      verifiedName: seed.verifiedName ?? account.name,
      pin: seed.pin,
      allowedRecipients: seed.allowedRecipients,
    }
    account.numbers.set(numberId, number)
    this.#numbers.set(numberId, { account, number })
    this.changed(account)
    return number
  }

  addTemplate(account: Account, seed: z.output<typeof templateSeedSchema>, now: number): Template {
    const key = templateKey(seed.name, seed.language)
    if (account.templates.has(key)) throw new ControlError(`template ${seed.name} exists already in ${seed.language}`)
    if (account.templates.size >= TWIN_LIMITS.templatesHeld) {
      throw new ControlError(`an account holds ${TWIN_LIMITS.templatesHeld} templates at most; delete some`)
    }
    const template = makeTemplate(seed, seed.id ?? this.#makeTemplateId(), now)
    account.templates.set(key, template)
    this.changed(account)
    return template
  }

  get nextId(): number {
    return this.#nextId
  }

  restore(kept: [string, ReturnType<typeof keepAccount>][], nextId: number): void {
    this.#nextId = nextId
    for (const [, { numbers, templates, blockedNames, ...rest }] of kept) {
      const account: Account = {
        ...rest,
        numbers: new Map(numbers.map((number) => [number.id, number])),
        templates: new Map(templates.map((template) => [templateKey(template.name, template.language), template])),
        blockedNames: new Map(blockedNames),
      }
      this.#byId.set(account.id, account)
      this.#admit(account)
      for (const number of numbers) this.#numbers.set(number.id, { account, number })
    }
  }

  #admit(account: Account): void {
    const sharers = this.#tokens.get(account.accessToken) ?? new Set()
    this.#tokens.set(account.accessToken, sharers.add(account))
  }

  #makeId(prefix: string): string {
    return prefix + String(this.#nextId++).padStart(4, '0')
  }

  /** Above 2^53 on purpose: a caller that parses these as numbers finds out here. */
  #makeTemplateId(): string {
    return `90071992547${String(409_931 + 2 * this.#nextId++).padStart(6, '0')}`
  }
}

export function keepAccount(account: Account) {
  return {
    ...account,
    numbers: [...account.numbers.values()],
    templates: [...account.templates.values()],
    blockedNames: [...account.blockedNames],
  }
}

export function templateKey(name: string, language: string): string {
  return `${name}\0${language}`
}
