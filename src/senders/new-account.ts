import { isIP } from 'node:net'
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
    ...(WABA_ID.test(account.wabaId) ? [] : [{ field: 'wabaId', message: WABA_ID_FAULT } as const]),
    ...secretFaults('accessToken', account.accessToken),
    ...secretFaults('appSecret', account.appSecret),
    ...secretFaults('verifyToken', account.verifyToken),
    ...graphUrlFaults(account.graphUrl),
  ]
  if (faults.length > 0) throw new AccountRefused(faults)
  return account
}

const WABA_ID_FAULT = 'The WABA id must be digits, as WhatsApp Manager shows it under "WhatsApp Business Account ID".'

const SECRET_NAMES = {
  accessToken: 'access token',
  appSecret: 'app secret',
  verifyToken: 'verify token',
} as const

function secretFaults(field: keyof typeof SECRET_NAMES, value: string): AccountFault[] {
  const name = SECRET_NAMES[field]
  if (value === '') return [{ field, message: `The ${name} is missing.` }]
  if (SECRET.test(value)) return []
  return [{ field, message: `The ${name} must be one word of at most 1,024 ASCII characters.` }]
}

function graphUrlFaults(text: string): AccountFault[] {
  const message = graphUrlFault(text)
  return message === undefined ? [] : [{ field: 'graphUrl', message }]
}

function graphUrlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    return `The Graph URL must look like ${GRAPH_URL}, with no query.`
  if (url.protocol === 'http:' && !isNear(url.hostname))
    return 'The Graph URL must begin with https:// because the access token travels with each request. Plain HTTP is for localhost, addresses and one-word names.'
  return undefined
}

/** A twin on the same machine or in the same network of containers. */
const isNear = (host: string): boolean => !host.includes('.') || isIP(host.replaceAll(/[[\]]/g, '')) !== 0
