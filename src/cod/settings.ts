import { z } from 'zod'

/** A workspace's settings of cash-on-delivery checks (spec §8, contract §9), as they are stored: defaults filled in. */
export type CodSettings = {
  /** IANA name in its own spelling: the customer's days begin and end in it. */
  timeZone: string
  deliveryDays: { offered: number; skipWeekdays: Weekday[] }
  confirmation: CheckSettings
  refusal: CheckSettings
  /** By the exact code of a template's language. */
  languages: Record<string, LanguageSettings>
}

export type CheckSettings = {
  /** Null: no reminder. */
  reminderMinutes: number | null
  noResponseMinutes: number
}

export type LanguageSettings = {
  texts: {
    dayQuestion: string
    timeQuestion: string
    refusalReasonQuestion: string
    reasonsListButton: string
    otherLabel: string
    notePrompt: string
  }
  timeRanges: string[]
  refusalReasons: string[]
  closingMessages: { confirmation: string | null; refusal: string | null }
}

/** Monday is 1, as in Temporal. */
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** Of spec §8 and of WhatsApp's own messages (whatsapp-cloud-api.md §2.4–2.6). Lengths are code points. */
export const limits = {
  daysOffered: { least: 1, most: 3 },
  weekdaysSkipped: { least: 0, most: 6 },
  reminderMinutes: { least: 15, most: 4_320 },
  noResponseMinutes: { least: 60, most: 10_080 },
  timeRanges: { least: 1, most: 3 },
  refusalReasons: { least: 1, most: 9 },
  /** WhatsApp knows 111; nobody mends more by hand. */
  languages: { least: 0, most: 200 },
  buttonQuestionLength: 1_024,
  listQuestionLength: 4_096,
  messageLength: 4_096,
  buttonTitleLength: 20,
  rowTitleLength: 24,
} as const

export const defaults = { daysOffered: 3, noResponseMinutes: 1_440 } as const

export type SettingsFault = { pointer: string; detail: string }

export const FAULTS_MOST = 100

/** Names every fault at once, by JSON pointer. Texts come back without the blanks around them. */
export function readCodSettings(json: unknown): { settings: CodSettings } | { faults: SettingsFault[] } {
  const { success, data, error } = document.safeParse(json, { reportInput: true })
  const faults = [...passedOver(json), ...(error?.issues ?? []).flatMap(faultsOf)]
  if (success && faults.length === 0) return { settings: data }
  return { faults: faults.slice(0, FAULTS_MOST) }
}

const count = (value: number): string => value.toLocaleString('en')

type Range = { least: number; most: number }

const wholeNumber = ({ least, most }: Range, what: string) => {
  const error = `must be ${what} from ${count(least)} to ${count(most)}`
  return z.int({ error }).min(least, { error }).max(most, { error })
}

const timeZone = z.string({ error: 'must be a string' }).transform((text, context) => {
  const canonical = canonicalTimeZone(text.trim())
  if (canonical !== undefined) return canonical
  context.addIssue(
    'must be the name of an IANA time zone such as Africa/Casablanca or Asia/Karachi; an offset or an abbreviation does not know when clocks change',
  )
  return z.NEVER
})

/** Temporal takes offsets, abbreviations and whole timestamps for a zone too. Gives the name in its own spelling. */
function canonicalTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    const { timeZoneId } = new Temporal.ZonedDateTime(0n, name)
    return timeZoneId === 'UTC' || !/^[A-Z\d+-]+$/.test(timeZoneId) ? timeZoneId : undefined
  } catch {
    return undefined
  }
}

/**
 * For checks of several values at once: zod leaves them out when one of the values is wrong, and all faults must come. It
 * does so in any case with `abort: true` and with `.max()` of an array, which therefore are not used here.
 */
const whateverElseIsWrong = { when: () => true } as const

const within =
  ({ least, most }: Range) =>
  (items: unknown): boolean =>
    !Array.isArray(items) || (items.length >= least && items.length <= most)

const weekdays = z
  .array(z.enum(WEEKDAYS, { error: `must be one of ${WEEKDAYS.join(', ')}` }))
  .refine(within(limits.weekdaysSkipped), {
    error: `must name at most ${limits.weekdaysSkipped.most} weekdays`,
    ...whateverElseIsWrong,
  })
  .superRefine(tellRepeated, whateverElseIsWrong)

const deliveryDays = z.strictObject({
  offered: wholeNumber(limits.daysOffered, 'a whole number').default(defaults.daysOffered),
  skipWeekdays: weekdays.default([]),
})

const check = z
  .strictObject({
    reminderMinutes: wholeNumber(limits.reminderMinutes, 'null or a whole number of minutes').nullable().default(null),
    noResponseMinutes: wholeNumber(limits.noResponseMinutes, 'a whole number of minutes').default(
      defaults.noResponseMinutes,
    ),
  })
  .superRefine(tellEarlyDeadline, whateverElseIsWrong)

const label = (lengthMost: number) =>
  filledText(lengthMost).refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), { error: 'must be on one line' })

const message = (lengthMost: number) =>
  filledText(lengthMost).refine((text) => !/[^\P{Cc}\t\n\r]/u.test(text), { error: 'must not hold control characters' })

const filledText = (lengthMost: number) =>
  z
    .string({ error: 'must be a string' })
    .trim()
    .refine((text) => VISIBLE.test(text), { error: 'must not be blank' })
    .refine((text) => Array.from(text).length <= lengthMost, {
      error: `must have at most ${count(lengthMost)} characters`,
    })
    .refine((text) => text.isWellFormed(), { error: 'must not hold half of a surrogate pair' })

/** Some characters that Unicode counts as letters and symbols show nothing, and WhatsApp refuses what shows nothing. */
const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u

const labels = (size: Range, lengthMost: number) =>
  z
    .array(label(lengthMost))
    .refine(within(size), { error: `must be a list of ${size.least} to ${size.most} texts`, ...whateverElseIsWrong })
    .superRefine(tellRepeated, whateverElseIsWrong)

const closingMessage = message(limits.messageLength).nullable().default(null)

const language = z
  .strictObject({
    texts: z.strictObject({
      dayQuestion: message(limits.buttonQuestionLength),
      timeQuestion: message(limits.buttonQuestionLength),
      refusalReasonQuestion: message(limits.listQuestionLength),
      reasonsListButton: label(limits.buttonTitleLength),
      otherLabel: label(limits.rowTitleLength),
      notePrompt: message(limits.messageLength),
    }),
    timeRanges: labels(limits.timeRanges, limits.buttonTitleLength),
    refusalReasons: labels(limits.refusalReasons, limits.rowTitleLength),
    closingMessages: z.strictObject({ confirmation: closingMessage, refusal: closingMessage }).prefault({}),
  })
  .superRefine(tellReasonsLikeOther, whateverElseIsWrong)

/** As WhatsApp writes them: ar, fil, en_US, prs_AF. New ones appear, so that no list is right for long. */
const LANGUAGE_CODE = /^[a-z]{2,3}(_[A-Z][a-z]{3})?(_([A-Z]{2}|\d{3}))?$/

const languages = z
  .record(z.string().regex(LANGUAGE_CODE), language)
  .refine((known: unknown) => Object.keys(known ?? {}).length <= limits.languages.most, {
    error: `must hold at most ${limits.languages.most} languages`,
    ...whateverElseIsWrong,
  })

const document: z.ZodType<CodSettings> = z.strictObject({
  timeZone,
  deliveryDays: deliveryDays.prefault({}),
  confirmation: check.prefault({}),
  refusal: check.prefault({}),
  languages: languages.default({}),
})

type Checking = { addIssue(issue: { code: 'custom'; path: PropertyKey[]; message: string }): void }

/** Two buttons of one label cannot be told apart, and WhatsApp refuses them. */
function tellRepeated(items: unknown, checking: Checking): void {
  if (!Array.isArray(items)) return
  const places = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    if (typeof item !== 'string') continue
    const first = places.get(item.normalize())
    if (first === undefined) places.set(item.normalize(), index)
    else checking.addIssue({ code: 'custom', path: [index], message: `repeats item ${first} of the list` })
  }
}

function tellEarlyDeadline(value: unknown, checking: Checking): void {
  const reminder = memberOf(value, 'reminderMinutes')
  const deadline = memberOf(value, 'noResponseMinutes')
  if (typeof reminder !== 'number' || typeof deadline !== 'number' || deadline > reminder) return
  const message = `must be later than the reminder: ${count(deadline)} minutes is not after ${count(reminder)}`
  checking.addIssue({ code: 'custom', path: ['noResponseMinutes'], message })
}

function tellReasonsLikeOther(value: unknown, checking: Checking): void {
  const other = memberOf(memberOf(value, 'texts'), 'otherLabel')
  const reasons = memberOf(value, 'refusalReasons')
  if (typeof other !== 'string' || !Array.isArray(reasons)) return
  for (const [index, reason] of reasons.entries()) {
    if (typeof reason !== 'string' || reason.normalize() !== other.normalize()) continue
    checking.addIssue({ code: 'custom', path: ['refusalReasons', index], message: 'must differ from the otherLabel' })
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined

function faultsOf(issue: z.core.$ZodIssue): SettingsFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ pointer: pointerTo([...issue.path, key]), detail: 'is not a setting' }))
  }
  return [{ pointer: pointerTo(issue.path), detail: detailOf(issue) }]
}

function detailOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return NOT_A_LANGUAGE
  if (issue.code !== 'invalid_type') return issue.message
  if (issue.input === undefined) return 'is required'
  if (issue.expected === 'object' || issue.expected === 'record') return 'must be an object'
  return issue.expected === 'array' ? 'must be a list' : issue.message
}

const NOT_A_LANGUAGE = 'must be named by the code of a template language, such as ar, en or en_US'

/** zod passes over this one name in silence. */
const passedOver = (json: unknown): SettingsFault[] =>
  memberOf(memberOf(json, 'languages'), '__proto__') === undefined
    ? []
    : [{ pointer: '/languages/__proto__', detail: NOT_A_LANGUAGE }]

/** RFC 6901. */
const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
