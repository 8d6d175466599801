import { MINUTE_MS } from '../../lib/clock.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Seal } from '../../lib/seal.ts'
import type { OtpRequest } from '../accept.ts'
import { type ServedHook, keyIdOf } from './hooks.ts'
import { type HookCode, templateFor } from './read.ts'

/** The same code for the same number is the same message for at least this long, and at most twice as long. */
const REPEAT_WINDOW_MS = 5 * MINUTE_MS

const REPEAT_KEY_PREFIX = 'hook_'

/** A regular expression for PostgreSQL. An erasure forgets these keys: each has a hash of a person's number. */
export const REPEAT_KEY_PATTERN = `^${REPEAT_KEY_PREFIX}[A-Za-z0-9_-]{43}_[0-9]+$`

/** What `POST /otp/messages` would be called with. */
export function otpRequestOf(
  { clock, seal }: { clock: Clock; seal: Pick<Seal, 'keys' | 'current'> },
  hook: ServedHook,
  { correlationId, trace, ...code }: HookCode & { correlationId: string; trace: string | undefined },
): OtpRequest {
  const [idempotencyKey = '', ...earlierKeys] = repeatKeys({ clock, seal }, hook, code)
  return {
    workspaceId: hook.workspaceId,
    apiKeyId: keyIdOf(hook.hookId),
    correlationId,
    trace,
    idempotencyKey,
    earlierKeys,
    recipient: code.phone,
    senderId: hook.senderId,
    template: templateFor(hook.templates, code.language),
    code: code.code,
    reference: null,
  }
}

/**
 * Products have no key for repeats: Supabase changes the id of the webhook with each try. The key of this window is the first; the others
 * are those of the window before, and of instance keys that a rotation replaces. A keyed hash: it reveals nothing of the code.
 */
function repeatKeys(
  { clock, seal }: { clock: Clock; seal: Pick<Seal, 'keys' | 'current'> },
  { hookId }: ServedHook,
  { phone, code }: HookCode,
): string[] {
  const window = Math.floor(clock.now().getTime() / REPEAT_WINDOW_MS)
  const current = seal.current()
  return [current, ...seal.keys.filter((key) => key !== current)].flatMap((key) => {
    const hash = key.hash(['hook', hookId, phone, code].join('\0'))
    return [window, window - 1].map((each) => `${REPEAT_KEY_PREFIX}${hash}_${each}`)
  })
}
