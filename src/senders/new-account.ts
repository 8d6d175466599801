import { isIP } from 'node:net'
import { SetupRefused } from '../setup-refused.ts'

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

/** Trimmed and with the default URL. Throws SetupRefused that names every fault at once. */
export function readNewAccount(given: NewAccount): AccountToConnect {
  const account = {
    workspaceId: given.workspaceId.trim().toLowerCase(),
    wabaId: given.wabaId.trim(),
    accessToken: given.accessToken.trim(),
    appSecret: given.appSecret.trim(),
    verifyToken: given.verifyToken.trim(),
    graphUrl: (given.graphUrl ?? '').trim().replace(/\/+$/, '') || GRAPH_URL,
  }
  const faults = [
    WABA_ID.test(account.wabaId)
      ? undefined
      : 'The WABA id must be digits, as WhatsApp Manager shows it under "WhatsApp Business Account ID".',
    secretFault('access token', account.accessToken),
    secretFault('app secret', account.appSecret),
    secretFault('verify token', account.verifyToken),
    graphUrlFault(account.graphUrl),
  ].filter((fault) => fault !== undefined)
  if (faults.length > 0) throw new SetupRefused(faults.join(' '))
  return account
}

function secretFault(name: string, value: string): string | undefined {
  if (value === '') return `The ${name} is missing.`
  return SECRET.test(value) ? undefined : `The ${name} must be one word of at most 1,024 ASCII characters.`
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
