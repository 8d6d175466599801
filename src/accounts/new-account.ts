import { isIP } from 'node:net'
import { z } from 'zod'
import { type CodedText, asIssue, plainText, readIssue } from '../../locales/text.ts'
import { FieldError } from '../lib/errors.ts'

export const GRAPH_URL = 'https://graph.facebook.com'

const WABA_ID_DIGITS = { min: 15, max: 17 }
const WABA_ID = new RegExp(`^\\d{${WABA_ID_DIGITS.min},${WABA_ID_DIGITS.max}}$`)

const trimmed = z.string().trim()

/** One word of visible ASCII, which an HTTP header can carry. */
function secretText(name: 'access_token' | 'app_secret' | 'verify_token') {
  const secret = plainText(`accounts.${name}`)
  return trimmed
    .min(1, { error: asIssue({ code: 'accounts.new_account_missing', secret }), abort: true })
    .regex(/^[\x21-\x7e]{1,1024}$/, asIssue({ code: 'accounts.secret', secret }))
}

const newAccount = z.object({
  workspaceId: trimmed.toLowerCase(),
  wabaId: trimmed.regex(WABA_ID, asIssue({ code: 'accounts.waba_id', ...WABA_ID_DIGITS })),
  accessToken: secretText('access_token'),
  appSecret: secretText('app_secret'),
  verifyToken: secretText('verify_token'),
  /** The URL of the Graph API or an emulator. It may end in a version such as /v26.0. */
  graphUrl: trimmed.optional().transform((text = '', context) => {
    const url = URL.parse(text.replace(/\/+$/, '') || GRAPH_URL)
    const fault = graphUrlFault(url)
    if (fault) context.addIssue({ code: 'custom', message: asIssue(fault) })
    // Not as typed: an empty query or a missing slash would hide the account from elsewhere.ts, and break calls of an emulator.
    return url ? url.origin + url.pathname.replace(/\/+$/, '') : ''
  }),
})

export type NewAccount = z.input<typeof newAccount>
export type AccountToConnect = z.output<typeof newAccount>

/** Trims the values and adds the default URL. Throws FieldError with every fault. */
export function readNewAccount(values: NewAccount): AccountToConnect {
  const read = newAccount.safeParse(values)
  if (read.success) return read.data
  const { issues } = read.error
  throw new FieldError(
    issues.map(({ path, message }) => ({
      field: String(path[0]),
      message: readIssue(message) ?? { code: 'http.not_valid' },
    })),
  )
}

function graphUrlFault(url: URL | null): CodedText | undefined {
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    return { code: 'accounts.graph_url', example: GRAPH_URL }
  if (url.protocol === 'http:' && !isPrivateHost(url.hostname)) return { code: 'accounts.graph_scheme' }
  return undefined
}

/** An emulator on this machine or in the same container network. */
const isPrivateHost = (host: string): boolean => !host.includes('.') || isIP(host.replaceAll(/[[\]]/g, '')) !== 0
