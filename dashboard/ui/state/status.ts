import type { PageTexts } from '../../texts/use-texts.ts'

/**
 * What a colour says. Each is a colour of the theme: `color="success"`. Red is only for what hurts customers now, and amber for
 * what needs a look.
 */
export type Tone = 'success' | 'progress' | 'warning' | 'failure' | 'neutral'

/** A colour, in its strong form where two statuses of one tone stand side by side in a bar. */
export type Colour = Tone | 'success_weak' | 'neutral_strong'

/**
 * Every status that a page shows, with its colour as pill, dot, bar and legend; its word is `statuses.<of>_<status>`, the
 * same in lists, filters and charts. No other file gives a status a colour.
 */
export const STATUS_COLOURS = {
  message: {
    accepted: 'neutral',
    received: 'neutral',
    queued: 'neutral',
    sending: 'neutral',
    sent: 'progress',
    delivered: 'success_weak',
    read: 'success',
    played: 'success',
    failed: 'failure',
  },
  confirmation: {
    accepted: 'progress',
    awaiting_answer: 'progress',
    confirmed: 'success',
    cancelled: 'neutral_strong',
    rescheduling: 'progress',
    rescheduled: 'success_weak',
    no_response: 'warning',
    failed: 'failure',
  },
  refusal: {
    accepted: 'progress',
    awaiting_answer: 'progress',
    awaiting_reason: 'progress',
    awaiting_note: 'progress',
    denied: 'success',
    refusal_confirmed: 'warning',
    no_response: 'neutral_strong',
    failed: 'failure',
  },
  /** `retrying` is pending after a failed attempt; `in_progress` has an attempt under way. */
  delivery: {
    pending: 'progress',
    retrying: 'warning',
    in_progress: 'progress',
    succeeded: 'success',
    failed: 'failure',
    held: 'warning',
  },
  endpoint: { enabled: 'success', failing: 'warning', paused: 'warning', disabled: 'failure' },
  key: { active: 'success', expires_soon: 'warning', expired: 'neutral', revoked: 'neutral' },
  invitation: { pending: 'progress', expired: 'neutral' },
  account: { connected: 'success', credentials_invalid: 'failure', credentials_unreadable: 'failure' },
  sender: { can_send: 'success', paused: 'warning', cannot_send: 'failure' },
  template: {
    approved: 'success',
    pending: 'progress',
    in_appeal: 'progress',
    paused: 'warning',
    limit_exceeded: 'warning',
    rejected: 'warning',
    disabled: 'failure',
    pending_deletion: 'neutral',
    deleted: 'neutral',
    archived: 'neutral',
  },
} as const satisfies Record<string, Readonly<Record<string, Colour>>>

/** The colours of what has its words on its own page. */
export const STATE_COLOURS = {
  /** How long the month's quota lasts. */
  quota: { is_out: 'failure', runs_out: 'warning', lasts: 'first', is_unused: 'first', is_too_early: 'first' },
  /** Findings of `doctor`, and what an overview lists. */
  level: { ok: 'success', warning: 'warning', failure: 'failure' },
  node: { alive: 'success', silent: 'warning' },
  usable: { now: 'success', later: 'progress', never: 'neutral' },
  step: {
    accepted: 'success',
    taken: 'success',
    retry: 'warning',
    rejected: 'failure',
    unknown: 'warning',
    not_made: 'failure',
    open: 'warning',
    ignored: 'neutral',
    parked: 'warning',
    quarantined: 'failure',
    in_line: 'warning',
    to_come: 'neutral',
    held: 'warning',
    no_answer: 'failure',
    armed: 'neutral',
  },
  /** Who acts next. */
  actor: { none: 'success', provider: 'progress', customer: 'progress', client: 'warning', operator: 'warning' },
} as const satisfies Record<string, Readonly<Record<string, ChartColour>>>

type Statuses = typeof STATUS_COLOURS
export type StatusOf = keyof Statuses
/** WhatsApp's words for templates are open: it adds new ones, in capitals. */
export type StatusValue<Of extends StatusOf> = Of extends 'template' ? string : keyof Statuses[Of] & string

/** All of one kind, in the order of the table. */
export const statusesOf = <Of extends Exclude<StatusOf, 'template'>>(of: Of): StatusValue<Of>[] =>
  Object.keys(STATUS_COLOURS[of]) as StatusValue<Of>[]

export function colourOf<Of extends StatusOf>(of: Of, value: StatusValue<Of>): Colour {
  const colours: Readonly<Record<string, Colour>> = STATUS_COLOURS[of]
  return colours[value.toLowerCase()] ?? 'neutral'
}

const WEIGHT = /_(?:weak|strong)$/

export const toneOf = (colour: Colour): Tone => colour.replace(WEIGHT, '') as Tone

/** A normal outcome is quiet; what needs a look stands out. */
export const needsALook = (colour: Colour): boolean => colour === 'warning' || colour === 'failure'

/** The label of a status, or WhatsApp's own word for a new status. */
export function statusWord<Of extends StatusOf>({ t, has }: PageTexts, of: Of, value: StatusValue<Of>): string {
  const code = `statuses.${of}_${value.toLowerCase()}`
  return has(code) ? t(code) : value
}

/** Every colour in both themes, as the CSS variable `--colour-<name>`. Bars of a plain number have the first or the second. */
export const COLOURS = {
  first: { light: '#4048d6', dark: '#8d93ee' },
  second: { light: '#1098ad', dark: '#3bc9db' },
  success: { light: '#087f5b', dark: '#38d9a9' },
  success_weak: { light: '#0ca678', dark: '#12b886' },
  progress: { light: '#1c7ed6', dark: '#4dabf7' },
  warning: { light: '#d97706', dark: '#fcc419' },
  failure: { light: '#c92a2a', dark: '#ff6b6b' },
  neutral: { light: '#868e96', dark: '#868c97' },
  neutral_strong: { light: '#495057', dark: '#ced4da' },
} as const satisfies Record<Colour | 'first' | 'second', { light: string; dark: string }>

export type ChartColour = keyof typeof COLOURS

const variableOf = (name: string): string => `--colour-${name.replace('_', '-')}`

export const cssColour = (name: ChartColour): string => `var(${variableOf(name)})`

export const colourVariables = (theme: 'light' | 'dark'): Record<string, string> =>
  Object.fromEntries(Object.entries(COLOURS).map(([name, colour]) => [variableOf(name), colour[theme]]))
