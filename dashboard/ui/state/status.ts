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
  order: {
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

export function toneOf<Of extends StatusOf>(of: Of, value: StatusValue<Of>): Tone {
  const tones: Readonly<Record<string, Tone>> = STATUS_TONES[of]
  return tones[value.toLowerCase()] ?? 'neutral'
}

/** The label of a status, or WhatsApp's own word for a new status. */
export function statusWord<Of extends StatusOf>({ t, has }: PageTexts, of: Of, value: StatusValue<Of>): string {
  const code = `statuses.${of}_${value.toLowerCase()}`
  return has(code) ? t(code) : value
}
