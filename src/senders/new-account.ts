import { isIP } from 'node:net'
import { type Sentence, keptSentences } from '../sentences.ts'
import { type AccountFault, AccountRefused } from './account-refused.ts'

export type NewAccount = {
  workspaceId: string
  wabaId: string
  accessToken: string
  appSecret: string
  verifyToken: string
  /** Origin of the Graph API, or of what stands in for it. It may end in a version such as /v26.0. */
  graphUrl?: string | undefined
}

/** With every member as it is stored. */
export type AccountToConnect = { [Member in keyof NewAccount]-?: string }

export const GRAPH_URL = 'https://graph.facebook.com'

const WABA_ID = /^\d{5,20}$/
/** What can travel in a header. */
const SECRET = /^[\x21-\x7e]{1,1024}$/

/** Trimmed and with the default URL. Throws AccountRefused that names every fault at once. */
export function readNewAccount(given: NewAccount): AccountToConnect {
  const account = {
    workspaceId: given.workspaceId.trim().toLowerCase(),
    wabaId: given.wabaId.trim(),
    accessToken: given.accessToken.trim(),
    appSecret: given.appSecret.trim(),
    verifyToken: given.verifyToken.trim(),
    graphUrl: (given.graphUrl ?? '').trim().replace(/\/+$/, '') || GRAPH_URL,
  }
  const faults: AccountFault[] = [
    ...(WABA_ID.test(account.wabaId) ? [] : [{ field: 'wabaId', message: says.wabaId } as const]),
    ...secretFaults('accessToken', account.accessToken),
    ...secretFaults('appSecret', account.appSecret),
    ...secretFaults('verifyToken', account.verifyToken),
    ...graphUrlFaults(account.graphUrl),
  ]
  if (faults.length > 0) throw new AccountRefused(faults)
  return account
}

const secrets = keptSentences({
  accessToken: { en: 'access token', ar: 'رمز الوصول' },
  appSecret: { en: 'app secret', ar: 'سر التطبيق' },
  verifyToken: { en: 'verify token', ar: 'رمز التحقق من العنوان' },
})

/** What of an account is wrong; also where a form shows it. */
const says = keptSentences({
  wabaId: {
    en: 'The WABA id must be digits, as WhatsApp Manager shows it under "WhatsApp Business Account ID".',
    ar: 'يجب أن يكون معرّف حساب واتساب للأعمال أرقامًا فقط، كما يظهر في مدير واتساب.',
  },
  missing: { en: 'The {secret} is missing.', ar: '{secret} غير موجود.' },
  secret: {
    en: 'The {secret} must be one word of at most 1,024 ASCII characters.',
    ar: '{secret} يجب أن يكون كلمة واحدة من أحرف لاتينية وأرقام ورموز، لا تزيد على 1,024 حرفًا.',
  },
  graphUrl: {
    en: 'The Graph URL must look like {example}, with no query.',
    ar: 'يجب أن يكون عنوان Graph على هذا الشكل {example} بلا معاملات بعده.',
  },
  graphScheme: {
    en: 'The Graph URL must begin with https:// because the access token travels with each request. Plain HTTP is for localhost, addresses and one-word names.',
    ar: 'يجب أن يكون عنوان Graph مشفّرًا (HTTPS) لأن رمز الوصول يُرسل مع كل طلب. الاتصال غير المشفّر للجهاز نفسه وللعناوين الرقمية وللأسماء من كلمة واحدة.',
  },
})

function secretFaults(field: keyof typeof secrets, value: string): AccountFault[] {
  const secret = secrets[field]
  if (value === '') return [{ field, message: says.missing({ secret }) }]
  if (SECRET.test(value)) return []
  return [{ field, message: says.secret({ secret }) }]
}

function graphUrlFaults(text: string): AccountFault[] {
  const message = graphUrlFault(text)
  return message === undefined ? [] : [{ field: 'graphUrl', message }]
}

function graphUrlFault(text: string): Sentence | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    return says.graphUrl({ example: GRAPH_URL })
  if (url.protocol === 'http:' && !isNear(url.hostname)) return says.graphScheme
  return undefined
}

/** A twin on the same machine or in the same network of containers. */
const isNear = (host: string): boolean => !host.includes('.') || isIP(host.replaceAll(/[[\]]/g, '')) !== 0
