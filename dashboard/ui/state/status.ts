import type { PageTexts } from '../../texts/use-texts.ts'

/** The only colours of a status. Each is a colour of the theme and a CSS variable: `color="success"`, `--tone-success`. */
export type Tone = 'success' | 'progress' | 'warning' | 'failure' | 'neutral'

/** Every status that a page shows; its word is `statuses.<of>_<status>`, the same in lists, filters and charts. */
export const STATUS_TONES = {
  message: {
    accepted: 'neutral',
    received: 'neutral',
    queued: 'neutral',
    sending: 'progress',
    sent: 'progress',
    delivered: 'success',
    read: 'success',
    played: 'success',
    failed: 'failure',
  },
  confirmation: {
    accepted: 'neutral',
    awaiting_answer: 'progress',
    confirmed: 'success',
    cancelled: 'neutral',
    rescheduling: 'progress',
    rescheduled: 'success',
    no_response: 'warning',
    failed: 'failure',
  },
  refusal: {
    accepted: 'neutral',
    awaiting_answer: 'progress',
    awaiting_reason: 'progress',
    awaiting_note: 'progress',
    denied: 'success',
    refusal_confirmed: 'warning',
    no_response: 'warning',
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
  sender: { can_send: 'success', cannot_send: 'failure' },
  template: {
    approved: 'success',
    pending: 'progress',
    in_appeal: 'progress',
    paused: 'warning',
    limit_exceeded: 'warning',
    rejected: 'failure',
    disabled: 'failure',
    pending_deletion: 'neutral',
    deleted: 'neutral',
    archived: 'neutral',
  },
} as const satisfies Record<string, Readonly<Record<string, Tone>>>

type Statuses = typeof STATUS_TONES
export type StatusOf = keyof Statuses
/** WhatsApp's words for templates are open: it adds new ones, in capitals. */
export type StatusValue<Of extends StatusOf> = Of extends 'template' ? string : keyof Statuses[Of] & string

/** All of one kind, in the order of the table. */
export const statusesOf = <Of extends Exclude<StatusOf, 'template'>>(of: Of): StatusValue<Of>[] =>
  Object.keys(STATUS_TONES[of]) as StatusValue<Of>[]

export function toneOf<Of extends StatusOf>(of: Of, value: StatusValue<Of>): Tone {
  const tones: Readonly<Record<string, Tone>> = STATUS_TONES[of]
  return tones[value.toLowerCase()] ?? 'neutral'
}

/** The label of a status, or WhatsApp's own word for a new status. */
export function statusWord<Of extends StatusOf>({ t, has }: PageTexts, of: Of, value: StatusValue<Of>): string {
  const code = `statuses.${of}_${value.toLowerCase()}`
  return has(code) ? t(code) : value
}

/** The colours of bars in both themes. A status has the hue of its tone (see status.ts); a plain number has the first or the second. */
export const CHART_COLOURS = {
  first: { light: '#4048d6', dark: '#8d93ee' },
  second: { light: '#1098ad', dark: '#3bc9db' },
  success: { light: '#087f5b', dark: '#63e6be' },
  success_weak: { light: '#0ca678', dark: '#0ca678' },
  progress: { light: '#1c7ed6', dark: '#4dabf7' },
  warning: { light: '#d97706', dark: '#fcc419' },
  failure: { light: '#c92a2a', dark: '#ff6b6b' },
  neutral: { light: '#868e96', dark: '#828282' },
  neutral_strong: { light: '#495057', dark: '#c9c9c9' },
} as const

export type ChartColour = keyof typeof CHART_COLOURS

const variableOf = (name: string): string => `--chart-${name.replace('_', '-')}`

export const chartColour = (name: ChartColour): string => `var(${variableOf(name)})`

export const chartVariables = (theme: 'light' | 'dark'): Record<string, string> =>
  Object.fromEntries(Object.entries(CHART_COLOURS).map(([name, colour]) => [variableOf(name), colour[theme]]))
