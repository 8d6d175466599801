import type { Sql } from '../../lib/db/pool.ts'
import { UserError } from '../../lib/errors.ts'
import { listSenders } from '../../accounts/senders.ts'
import { findStoredTemplate } from '../../accounts/templates/stored.ts'
import { otpUnusableReason } from '../../accounts/templates/usability.ts'
import type { HookSettings } from './hooks.ts'
import { DEFAULT_POINTERS, type HookKind, type Pointers } from './kinds.ts'
import { MAX_SECRET_LENGTH } from './signature.ts'

/** One for each language. */
export const MAX_TEMPLATES = 50
export const MAX_POINTER_LENGTH = 200

type SomePointers = { [Part in keyof Pointers]?: string | undefined }

export type HookChoice = Omit<HookSettings, 'pointers'> & { pointers?: SomePointers | undefined }

/** Shows mistakes early: sender and templates are checked again for each code. `current`: the pointers until now. */
export async function checkHookSettings(
  tx: Sql,
  { workspaceId, kind, pointers, ...settings }: HookChoice & { workspaceId: string; kind: HookKind },
  current: Pointers = DEFAULT_POINTERS,
): Promise<HookSettings> {
  const sender = (await listSenders(tx, workspaceId)).find(({ senderId }) => senderId === settings.senderId)
  if (!sender) throw new UserError({ code: 'accounts.no_sender' })
  const languages = new Set<string>()
  for (const template of settings.templates) {
    const stored = await findStoredTemplate(tx, { workspaceId, accountId: sender.accountId, ...template })
    if (!stored) throw new UserError({ code: 'hooks.no_template', ...template })
    const reason = otpUnusableReason(stored)
    if (reason) throw new UserError(reason)
    if (languages.has(template.language))
      throw new UserError({ code: 'hooks.language_twice', language: template.language })
    languages.add(template.language)
  }
  return { ...settings, pointers: kind === 'generic' ? withPointers(current, pointers) : null }
}

function withPointers(current: Pointers, given: SomePointers = {}): Pointers {
  const { phone = current.phone, code = current.code, language = current.language } = given
  return { phone, code, language }
}

/** RFC 6901, below the whole body. */
export const isPointer = (text: string): boolean =>
  text.length <= MAX_POINTER_LENGTH && /^(?:\/(?:[^~/]|~[01])*)+$/.test(text)

const MIN_SECRET_LENGTH = 16
/** As Standard Webhooks require. */
const MIN_STANDARD_BYTES = 24

/** A secret that the product made. */
export function checkHookSecret(kind: HookKind, text: string): string {
  const secret = text.trim().replace(/^bearer +/i, '')
  const isPrintable = /^[\x21-\x7e]+$/.test(secret)
  if (!isPrintable || secret.length < MIN_SECRET_LENGTH || secret.length > MAX_SECRET_LENGTH)
    throw new UserError({ code: 'hooks.secret_form', min: MIN_SECRET_LENGTH, max: MAX_SECRET_LENGTH })
  if (kind === 'supabase' && !isStandardSecret(secret))
    throw new UserError({ code: 'hooks.standard_secret', start: 'v1,whsec_' })
  return secret
}

function isStandardSecret(secret: string): boolean {
  const [, base64] = /^(?:v1,)?whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
  return base64 !== undefined && Buffer.from(base64, 'base64').length >= MIN_STANDARD_BYTES
}
