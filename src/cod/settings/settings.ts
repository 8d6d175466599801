import { z } from 'zod'
import { type CodedText, asIssue, readIssue } from '../../../locales/text.ts'
import { isBlank } from '../../../locales/visible-text.ts'
import { memberOf } from './member.ts'

/** Monday is 1, as in Temporal. */
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** Our limits and WhatsApp's (docs/whatsapp-cloud-api.md#interactive-messages). Lengths are in code points. */
export const limits = {
  daysOffered: { min: 1, max: 3 },
  weekdaysSkipped: { min: 0, max: 6 },
  reminderMinutes: { min: 15, max: 4_320 },
  noResponseMinutes: { min: 60, max: 10_080 },
  timeRanges: { min: 1, max: 3 },
  refusalReasons: { min: 1, max: 9 },
  /** WhatsApp has 111. */
  languages: { min: 0, max: 200 },
  buttonQuestionLength: 1_024,
  listQuestionLength: 4_096,
  messageLength: 4_096,
  buttonTitleLength: 20,
  rowTitleLength: 24,
} as const

export const defaults = { daysOffered: 3, noResponseMinutes: 1_440 } as const

export type SettingsFault = { pointer: string; detail: CodedText }

export const MAX_FAULTS = 100

/** Lists every fault by its JSON pointer. Texts are returned trimmed. */
export function readCodSettings(json: unknown): { settings: CodSettings } | { faults: SettingsFault[] } {
  const { success, data, error } = document.safeParse(withoutExcess(json), { reportInput: true })
  const faults = [...protoFaults(json), ...(error?.issues ?? []).flatMap(faultsOf)]
  if (success && faults.length === 0) return { settings: data }
  return { faults: faults.slice(0, MAX_FAULTS) }
}

/** One more than any list or object may have: that is a fault already, and issues for half a million items would take seconds. */
const MAX_READ_MEMBERS = limits.languages.max + 1
/** Where only text is valid, and anything else is one issue. */
const DEPTH_OF_TEXTS = 4

function withoutExcess(json: unknown, depth = 0): unknown {
  if (typeof json !== 'object' || json === null || depth === DEPTH_OF_TEXTS) return json
  const within = (value: unknown): unknown => withoutExcess(value, depth + 1)
  if (Array.isArray(json)) return json.slice(0, MAX_READ_MEMBERS).map(within)
  const members = Object.entries(json).slice(0, MAX_READ_MEMBERS)
  return Object.fromEntries(members.map(([name, value]) => [name, within(value)]))
}

type Range = { min: number; max: number }

/** What the table in docs/cod-settings.md says about a setting. */
type Documented = { meaning: string; limit: string }

const count = (value: number): string => value.toLocaleString('en')
const range = ({ min, max }: Range): string => `${count(min)} to ${count(max)}`
const characters = (max: number): string => `${count(max)} characters`
const onOneLine = (max: number): string => `${characters(max)} on one line`

const errorOf = (text: CodedText): { error: string } => ({ error: asIssue(text) })

const wholeNumber = ({ min, max }: Range, code: 'cod.settings_whole_number' | 'cod.settings_minutes') => {
  const error = errorOf({ code, min, max })
  return z.int(error).min(min, error).max(max, error)
}

const MUST_BE_STRING = errorOf({ code: 'cod.settings_must_be_string' })

/** The IANA name in its usual spelling. The customer's days begin and end in this zone. */
const timeZone = z.string(MUST_BE_STRING).transform((text, context) => {
  const canonical = canonicalTimeZone(text.trim())
  if (canonical !== undefined) return canonical
  context.addIssue(asIssue({ code: 'cod.settings_time_zone' }))
  return z.NEVER
})

/** Temporal accepts offsets as zones, too. Returns the name in its usual spelling. */
function canonicalTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId
  } catch {
    return undefined
  }
}

/**
 * For checks of several values: zod skips them when one value is wrong, but all faults must be reported. It always skips
 * with `abort: true` and with `.max()` of an array, which therefore are not used here.
 */
const EVEN_IF_INVALID = { when: () => true } as const

const listOf = <Item extends z.ZodType>(item: Item, { min, max }: Range, error: CodedText) =>
  z
    .array(item)
    .refine((items: unknown) => !Array.isArray(items) || (items.length >= min && items.length <= max), {
      ...errorOf(error),
      ...EVEN_IF_INVALID,
    })
    .superRefine(rejectRepeatedItems, EVEN_IF_INVALID)

const deliveryDays = z.strictObject({
  offered: wholeNumber(limits.daysOffered, 'cod.settings_whole_number')
    .default(defaults.daysOffered)
    .meta({
      meaning: 'how many days the day question offers, from tomorrow',
      limit: range(limits.daysOffered),
    } satisfies Documented),
  skipWeekdays: listOf(
    z.enum(WEEKDAYS, errorOf({ code: 'cod.settings_weekdays', weekdays: WEEKDAYS.join(', ') })),
    limits.weekdaysSkipped,
    { code: 'cod.settings_too_many_weekdays', max: limits.weekdaysSkipped.max },
  )
    .default([])
    .meta({
      meaning: 'days without deliveries',
      limit: `${range(limits.weekdaysSkipped)} of \`monday\` … \`sunday\`, each once`,
    } satisfies Documented),
})

/** `reminderMinutes` null: no reminder. */
const check = z
  .strictObject({
    reminderMinutes: wholeNumber(limits.reminderMinutes, 'cod.settings_minutes')
      .nullable()
      .default(null)
      .meta({
        meaning: 'when the template is sent again, counted from its submission',
        limit: `null or ${range(limits.reminderMinutes)}`,
      } satisfies Documented),
    noResponseMinutes: wholeNumber(limits.noResponseMinutes, 'cod.settings_minutes')
      .default(defaults.noResponseMinutes)
      .meta({
        meaning: 'when waiting for an answer ends, counted from the submission',
        limit: `${range(limits.noResponseMinutes)}, later than the reminder`,
      } satisfies Documented),
  })
  .superRefine(rejectEarlyDeadline, EVEN_IF_INVALID)

const textWithout = (forbidden: RegExp, maxLength: number, error: CodedText, limit: string) =>
  z
    .string(MUST_BE_STRING)
    .trim()
    .refine((text) => !isBlank(text), errorOf({ code: 'cod.settings_blank' })) // WhatsApp rejects blank text
    .refine((text) => Array.from(text).length <= maxLength, errorOf({ code: 'cod.settings_too_long', max: maxLength }))
    .refine((text) => text.isWellFormed(), errorOf({ code: 'cod.settings_half_surrogate' }))
    .refine((text) => !forbidden.test(text), errorOf(error))
    .meta({ limit })

const label = (maxLength: number) =>
  textWithout(/[\p{Cc}\u2028\u2029]/u, maxLength, { code: 'cod.settings_many_lines' }, onOneLine(maxLength))

const message = (maxLength: number) =>
  textWithout(/[^\P{Cc}\t\n\r]/u, maxLength, { code: 'cod.settings_control_characters' }, characters(maxLength))

const labels = (size: Range, maxLength: number) =>
  listOf(label(maxLength), size, { code: 'cod.settings_list_length', ...size })

const closingMessage = (meaning: string) =>
  message(limits.messageLength)
    .nullable()
    .default(null)
    .meta({ meaning, limit: `null or ${characters(limits.messageLength)}` } satisfies Documented)

const language = z
  .strictObject({
    texts: z.strictObject({
      dayQuestion: message(limits.buttonQuestionLength).meta({ meaning: 'above the buttons with the days' }),
      timeQuestion: message(limits.buttonQuestionLength).meta({ meaning: 'above the buttons with the time ranges' }),
      refusalReasonQuestion: message(limits.listQuestionLength).meta({ meaning: 'above the list of reasons' }),
      reasonsListButton: label(limits.buttonTitleLength).meta({ meaning: 'opens the list of reasons' }),
      otherLabel: label(limits.rowTitleLength).meta({ meaning: 'the last reason of the list: asks for a note' }),
      notePrompt: message(limits.messageLength).meta({ meaning: 'asks for the note' }),
    }),
    timeRanges: labels(limits.timeRanges, limits.buttonTitleLength).meta({
      meaning: 'the buttons of the time question',
      limit: `${range(limits.timeRanges)}, each ${onOneLine(limits.buttonTitleLength)}, no two alike`,
    } satisfies Documented),
    refusalReasons: labels(limits.refusalReasons, limits.rowTitleLength).meta({
      meaning: 'the reasons of the list',
      limit: `${range(limits.refusalReasons)}, each ${onOneLine(limits.rowTitleLength)}, no two alike, none like \`otherLabel\``,
    } satisfies Documented),
    closingMessages: z
      .strictObject({
        confirmation: closingMessage('sent when an answer completes a confirmation'),
        refusal: closingMessage('sent when an answer completes a refusal check'),
      })
      .prefault({}),
  })
  .superRefine(rejectReasonsLikeOther, EVEN_IF_INVALID)

/** WhatsApp's form: ar, fil, en_US, prs_AF. It is no list, because WhatsApp adds languages. */
const LANGUAGE_CODE = /^[a-z]{2,3}(_[A-Z][a-z]{3})?(_([A-Z]{2}|\d{3}))?$/

/** Keys are the exact language codes of templates. */
const languages = z
  .record(z.string().regex(LANGUAGE_CODE), language)
  .refine((known: unknown) => Object.keys(known ?? {}).length <= limits.languages.max, {
    ...errorOf({ code: 'cod.settings_too_many_languages', max: limits.languages.max }),
    ...EVEN_IF_INVALID,
  })

const document = z.strictObject({
  timeZone: timeZone.meta({
    meaning: 'where the goods are delivered: decides what "tomorrow" is',
    limit: 'any name of the IANA database, such as `Africa/Cairo`, `GMT` or `NZ`; no offset',
  } satisfies Documented),
  deliveryDays: deliveryDays.prefault({}),
  confirmation: check.prefault({}),
  refusal: check.prefault({}),
  languages: languages.default({}).meta({
    meaning: 'one member for each language of the templates',
    limit: range(limits.languages),
  } satisfies Documented),
})

/** JSON Schema, with the documentation of each setting. */
export const settingsSchema = () => z.toJSONSchema(document, { io: 'input', unrepresentable: 'any' })

/** The settings of a file that has only a time zone. */
export const defaultSettings = (timeZone: string): CodSettings => document.parse({ timeZone })

/** A workspace's cash-on-delivery settings (docs/cod-settings.md), as stored: with defaults. */
export type CodSettings = z.output<typeof document>
export type CheckSettings = CodSettings['confirmation']
export type LanguageSettings = CodSettings['languages'][string]

type RefinementContext = { addIssue(issue: { code: 'custom'; path: PropertyKey[]; message: string }): void }

const addFault = (context: RefinementContext, path: PropertyKey[], text: CodedText): void =>
  context.addIssue({ code: 'custom', path, message: asIssue(text) })

/** WhatsApp rejects two buttons with one label. */
function rejectRepeatedItems(items: unknown, context: RefinementContext): void {
  if (!Array.isArray(items)) return
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    if (typeof item !== 'string') continue
    if (seen.has(item.normalize())) addFault(context, [index], { code: 'cod.settings_repeated' })
    seen.add(item.normalize())
  }
}

function rejectEarlyDeadline(value: unknown, context: RefinementContext): void {
  const reminder = memberOf(value, 'reminderMinutes')
  const deadline = memberOf(value, 'noResponseMinutes')
  if (typeof reminder !== 'number' || typeof deadline !== 'number' || deadline > reminder) return
  const text: CodedText = { code: 'cod.settings_before_reminder', minutes: deadline, reminder }
  addFault(context, ['noResponseMinutes'], text)
}

function rejectReasonsLikeOther(value: unknown, context: RefinementContext): void {
  const other = memberOf(memberOf(value, 'texts'), 'otherLabel')
  const reasons = memberOf(value, 'refusalReasons')
  if (typeof other !== 'string' || !Array.isArray(reasons)) return
  for (const [index, reason] of reasons.entries()) {
    if (typeof reason !== 'string' || reason.normalize() !== other.normalize()) continue
    addFault(context, ['refusalReasons', index], { code: 'cod.settings_same_as_other' })
  }
}

function faultsOf(issue: z.core.$ZodIssue): SettingsFault[] {
  if (issue.code === 'unrecognized_keys') {
    const detail: CodedText = { code: 'cod.settings_unknown' }
    return issue.keys.map((key) => ({ pointer: pointerTo([...issue.path, key]), detail }))
  }
  return [{ pointer: pointerTo(issue.path), detail: detailOf(issue) }]
}

function detailOf(issue: z.core.$ZodIssue): CodedText {
  if (issue.code === 'invalid_key') return NOT_A_LANGUAGE
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return { code: 'cod.settings_required' }
    if (issue.expected === 'object' || issue.expected === 'record') return { code: 'cod.settings_must_be_object' }
    if (issue.expected === 'array') return { code: 'cod.settings_must_be_list' }
  }
  return readIssue(issue.message) ?? { code: 'http.not_valid' }
}

const NOT_A_LANGUAGE: CodedText = { code: 'cod.settings_not_a_language' }

/** zod silently drops this name. */
const protoFaults = (json: unknown): SettingsFault[] =>
  memberOf(memberOf(json, 'languages'), '__proto__') === undefined
    ? []
    : [{ pointer: '/languages/__proto__', detail: NOT_A_LANGUAGE }]

/** RFC 6901. */
const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
