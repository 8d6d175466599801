import { type CodedText, type Language, directionOf } from '../../locales/text.ts'
import { visibleText } from '../../locales/visible-text.ts'
import { DAY_MS, MINUTE_MS } from '../../src/lib/clock.ts'
import { pointerLabel } from '../cod-settings/form.ts'
import type { PageTexts } from '../texts/use-texts.ts'
import { type TimeKind, spanText } from '../ui/clock.ts'
import { inSnakeCase } from './action.ts'

const MAX_CHARACTERS = 300
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
/** Names may look like one. */
const isInstant = (text: string): boolean => INSTANT.test(text) && !Number.isNaN(Date.parse(text))
/** Shown as the days with deliveries. */
const SKIPPED_DAYS = '/deliveryDays/skipWeekdays'

/** Text, or an instant that the page shows by the workspace's clock. */
type ReadableValue = string | { at: string; kind: TimeKind }

/** Kinds of time values. All others are real times that have passed. */
const TIME_KINDS: Readonly<Record<string, TimeKind>> = {
  deletionDueAt: 'due',
  expiresAt: 'due',
  failingSince: 'due',
  previousSecretUntil: 'due',
  now: 'workspace',
}

/** A value in the words and units of the pages. */
export function valueOf(field: string, value: unknown, texts: PageTexts): ReadableValue {
  if (typeof value === 'string' && isInstant(value)) return { at: value, kind: TIME_KINDS[field] ?? 'past' }
  const text = textOfValue(field, value, texts)
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
}

function textOfValue(field: string, value: unknown, texts: PageTexts): string {
  const { t, n, textOf, language } = texts
  if (field === SKIPPED_DAYS && Array.isArray(value)) return deliveryDays(value, texts)
  if (field === 'eventTypes' && value === null) return t('page_audit_log.all')
  if (isEmpty(value)) return t('page_audit_log.none')
  if (typeof value === 'boolean') return t(value ? 'page_audit_log.yes' : 'page_audit_log.no')
  if (typeof value === 'number') {
    if (field === 'byMs') return spanText(value, language)
    return field.endsWith('inutes') ? spanText(value * MINUTE_MS, language) : n(value)
  }
  if (typeof value === 'string') return wordOf(field, value, texts)
  if (Array.isArray(value))
    return listed(
      value.map((each) => textOfValue(field, each, texts)),
      language,
    )
  const members = value as Readonly<Record<string, unknown>>
  if (typeof members['code'] === 'string') return textOf(members as unknown as CodedText)
  // All texts of a language that is new or gone.
  if (field.startsWith('/')) return t('page_cod_settings.added')
  if (field === 'template') return `${String(members['name'])} (${String(members['language'])})`
  return listed(
    Object.entries(members).map(([name, each]) => `${name}${t('page_shell.colon')}${textOfValue('', each, texts)}`),
    language,
  )
}

function wordOf(field: string, value: string, { t, has }: PageTexts): string {
  const code = `page_audit_log.values_${inSnakeCase(field)}_${inSnakeCase(value)}`
  return has(code) ? t(code) : visibleText(value)
}

/** Short names, as a row has room for six. Stored days are `monday` to `sunday`. */
function deliveryDays(skipped: readonly unknown[], { language }: PageTexts): string {
  const nameIn = (locale: string, weekday: 'short' | 'long', day: number): string =>
    new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(A_MONDAY + day * DAY_MS)
  const days = [0, 1, 2, 3, 4, 5, 6].filter((day) => !skipped.includes(nameIn('en', 'long', day).toLowerCase()))
  return listed(
    days.map((day) => nameIn(language, 'short', day)),
    language,
  )
}

const A_MONDAY = Date.UTC(2024, 0, 1)

/** Isolates: in Arabic, an item in Latin letters would change places with the next one. */
const listed = (items: readonly string[], language: Language): string =>
  new Intl.ListFormat(language, { type: 'unit', style: 'short' }).format(
    directionOf(language) === 'rtl' ? items.map((item) => `\u2068${item}\u2069`) : items,
  )

/** The name of a value. Values of the COD settings are named by their JSON pointers. */
export function labelOf(field: string, texts: PageTexts): string {
  const { t, has } = texts
  if (field === SKIPPED_DAYS) return t('page_audit_log.fields_delivery_days')
  if (field.startsWith('/')) return pointerLabel(field, texts)
  const code = `page_audit_log.fields_${inSnakeCase(field)}`
  return has(code) ? t(code) : field
}

/** Shows one value of an entry. Returns undefined if there was none. */
export type Difference = { field: string; before: unknown; after: unknown }

const MAX_DIFFERENCES = 40

type Entry = {
  target: string
  name: string | null
  before: Readonly<Record<string, unknown>> | null
  after: Readonly<Record<string, unknown>> | null
}

/**
 * The values that differ. Leaves out the ids of the entry's target, and empty values of a target that was created or
 * deleted.
 */
export function differences({ target, name, before, after }: Entry): Difference[] {
  const [from, to] = [before ?? {}, after ?? {}]
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((field) => !IDS.has(field))
  const isChange = before !== null && after !== null
  const isTarget = (value: unknown): boolean => value === target || (value === name && name !== null)
  return fields
    .map((field) => ({ field, before: from[field], after: to[field] }))
    .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after))
    .filter((each) => isChange || !isEmpty(each.after ?? each.before))
    .filter((each) => isChange || !isTarget(each.after ?? each.before))
    .slice(0, MAX_DIFFERENCES)
}

const IDS: ReadonlySet<string> = new Set(['accountId'])

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)
