import { useCallback, useMemo, useState } from 'react'
import { type SettingsChange, diffSettings } from '../../src/cod/settings/settings-changes.ts'
import type { CheckSettings, CodSettings, LanguageSettings } from '../../src/cod/settings/settings.ts'
import type { RouterOutputs } from '../api.ts'

/** The form values: input as typed, and switched-off values remembered. */
export type Draft = Omit<CodSettings, Check | 'languages'> &
  Record<Check, CheckDraft> & { languages: Record<string, LanguageDraft> }

export type CheckDraft = Omit<CheckSettings, 'reminderMinutes' | 'noResponseMinutes'> & {
  reminds: boolean
  reminder: Duration
  noResponse: Duration
}

/** The values of two fields; '' is an empty field. */
export type Duration = { hours: number | ''; minutes: number | '' }

export type LanguageDraft = Omit<LanguageSettings, 'closingMessages'> & {
  closing: { confirmation: Optional; refusal: Optional }
}

export type Optional = { sent: boolean; text: string }

export type Check = 'confirmation' | 'refusal'

/** The initial value of a reminder that is switched on. */
const FIRST_REMINDER: Duration = { hours: 2, minutes: 0 }

export const draftOf = ({ languages, confirmation, refusal, ...rest }: CodSettings): Draft => ({
  ...rest,
  confirmation: checkDraftOf(confirmation),
  refusal: checkDraftOf(refusal),
  languages: Object.fromEntries(Object.entries(languages).map(([code, each]) => [code, languageDraftOf(each)])),
})

const checkDraftOf = ({ reminderMinutes, noResponseMinutes, ...rest }: CheckSettings): CheckDraft => ({
  ...rest,
  reminds: reminderMinutes !== null,
  reminder: reminderMinutes === null ? FIRST_REMINDER : durationOf(reminderMinutes),
  noResponse: durationOf(noResponseMinutes),
})

const languageDraftOf = ({ closingMessages, ...rest }: LanguageSettings): LanguageDraft => ({
  ...rest,
  closing: { confirmation: optionalOf(closingMessages.confirmation), refusal: optionalOf(closingMessages.refusal) },
})

const optionalOf = (text: string | null): Optional => ({ sent: text !== null, text: text ?? '' })

/** The document that the server reads, with languages sorted so that two can be compared. */
export const documentOf = ({ confirmation, refusal, languages, ...rest }: Draft): CodSettings => ({
  ...rest,
  confirmation: checkOf(confirmation),
  refusal: checkOf(refusal),
  languages: Object.fromEntries(
    Object.entries(languages)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([code, each]) => [code, languageOf(each)]),
  ),
})

/** An empty field is left out: the server reports that it is required. */
const checkOf = ({ reminds, reminder, noResponse, ...rest }: CheckDraft): CheckSettings => ({
  ...rest,
  reminderMinutes: reminds ? minutesOf(reminder) : null,
  noResponseMinutes: minutesOf(noResponse),
})

const languageOf = ({ closing, ...rest }: LanguageDraft): LanguageSettings => ({
  ...rest,
  closingMessages: { confirmation: valueOf(closing.confirmation), refusal: valueOf(closing.refusal) },
})

const valueOf = ({ sent, text }: Optional): string | null => (sent ? text : null)

const HOUR_MINUTES = 60

export const durationOf = (minutes: number): Duration =>
  Number.isNaN(minutes)
    ? { hours: '', minutes: '' }
    : { hours: Math.floor(minutes / HOUR_MINUTES), minutes: minutes % HOUR_MINUTES }

/** NaN while both fields are empty: JSON writes it as null, which is outside every limit. */
export const minutesOf = ({ hours, minutes }: Duration): number =>
  hours === '' && minutes === '' ? Number.NaN : Number(hours) * HOUR_MINUTES + Number(minutes)

/** Whether saving would change anything. Spaces at the ends of a text are removed when it is read. */
export const isChanged = (draft: Draft, from: Draft): boolean => textOf(draft) !== textOf(from)

const textOf = (draft: Draft): string => JSON.stringify(documentOf(draft))

/** Counts like the server: Unicode code points, without spaces at the ends. */
export const charactersIn = (text: string): number => Array.from(text.trim()).length

/** The starting texts of a language, whatever its country, or empty fields. */
export function startOf(code: string, starts: Readonly<Record<string, LanguageSettings>>): LanguageDraft {
  const known = starts[code.split('_')[0] ?? '']
  return languageDraftOf(known ?? EMPTY_LANGUAGE)
}

const EMPTY_LANGUAGE: LanguageSettings = {
  texts: {
    dayQuestion: '',
    timeQuestion: '',
    refusalReasonQuestion: '',
    reasonsListButton: '',
    otherLabel: '',
    notePrompt: '',
  },
  timeRanges: [''],
  refusalReasons: [''],
  closingMessages: { confirmation: null, refusal: null },
}

export const withLanguage = (draft: Draft, code: string, language: LanguageDraft): Draft => ({
  ...draft,
  languages: { ...draft.languages, [code]: language },
})

export function withoutLanguage(draft: Draft, code: string): Draft {
  const { [code]: _, ...languages } = draft.languages
  return { ...draft, languages }
}

export const moved = (items: readonly string[], from: number, to: number): string[] => {
  const item = items[from]
  return item === undefined || to < 0 || to >= items.length
    ? [...items]
    : items.toSpliced(from, 1).toSpliced(to, 0, item)
}

/** The merge of two concurrent edits. */
type Merge = {
  /** The other person's settings with my changes. */
  settings: CodSettings
  theirs: SettingsChange[]
  /** Settings that both changed: mine would replace theirs. */
  both: string[]
}

/** `base` is what both edits started from; undefined if there was nothing. */
export function merge(base: CodSettings | undefined, mine: CodSettings, theirs: CodSettings): Merge {
  const myChanges = diffSettings(base, mine)
  const theirChanges = diffSettings(base, theirs)
  const both = theirChanges.filter(({ pointer, after }) =>
    myChanges.some((change) => touch(change.pointer, pointer) && !isSame(change.after, after)),
  )
  const settings = myChanges.reduce<unknown>((result, change) => withChange(result, change, mine), theirs)
  return { settings: settings as CodSettings, theirs: theirChanges, both: both.map(({ pointer }) => pointer) }
}

const touch = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** If the other person removed the object that contains my value, my object is restored as a whole. */
function withChange(settings: unknown, { pointer, after }: SettingsChange, mine: unknown): unknown {
  const [name, ...rest] = pointer.slice(1).split('/')
  if (name === undefined || !isMembers(settings)) return settings
  const { [name]: present, ...others } = settings
  const ofMine = isMembers(mine) ? mine[name] : undefined
  if (rest.length > 0 && isMembers(present)) {
    return { ...settings, [name]: withChange(present, { pointer: `/${rest.join('/')}`, after }, ofMine) }
  }
  return ofMine === undefined ? others : { ...settings, [name]: ofMine }
}

const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export type StoredSettings = NonNullable<RouterOutputs['codSettings']['get']['stored']>

/** The draft, and the version that it is based on; null if there was none. */
export type Editing = { draft: Draft; base: StoredSettings | null }

export const editingOf = (stored: StoredSettings): Editing => ({ draft: draftOf(stored.settings), base: stored })

export const isUnsaved = ({ draft, base }: Editing): boolean => !base || isChanged(draft, draftOf(base.settings))

/** Unsaved input by workspace. A language switch rebuilds the page and must not lose it. */
const unsaved = new Map<string, Editing>()

/** Returns undefined if no settings are stored and there is no draft. */
export function useEditing(
  workspaceId: string,
  stored: StoredSettings | null,
): [Editing | undefined, (editing: Editing | undefined) => void] {
  const [editing, setEditing] = useState(() => unsaved.get(workspaceId))
  const unedited = useMemo(() => (stored ? editingOf(stored) : undefined), [stored])
  const keep = useCallback(
    (next: Editing | undefined) => {
      if (next && isUnsaved(next)) unsaved.set(workspaceId, next)
      else unsaved.delete(workspaceId)
      setEditing(next)
    },
    [workspaceId],
  )
  return [editing ?? unedited, keep]
}
