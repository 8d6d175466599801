import { createHmac } from 'node:crypto'
import { GraphError, refuse } from './errors.ts'
import type { FastifyRequest } from 'fastify'
import type { Account, NumberOfAccount } from './accounts.ts'
import type { Parts } from './parts.ts'

/** The token of the Authorization header or, as Graph also allows, of the query. Throws 190 when it is none of ours. */
export function requireToken(parts: Parts, request: FastifyRequest): string {
  const header = request.headers.authorization
  const token = header === undefined ? queryToken(request.query) : /^Bearer +(\S+) *$/i.exec(header)?.[1]
  if (token === undefined) refuse(190, 'an access token is required: Authorization: Bearer {token}')
  if (!parts.accounts.isToken(token)) refuse(190, 'the access token is not one of this twin')
  return token
}

export function requireNumber(parts: Parts, request: FastifyRequest, id: string): NumberOfAccount {
  const token = requireToken(parts, request)
  const row = parts.accounts.findNumber(id)
  if (row === undefined) throw missing(id)
  requireAccess(parts, token, row.account)
  return row
}

export function requireAccount(parts: Parts, request: FastifyRequest, id: string): Account {
  const token = requireToken(parts, request)
  const account = parts.accounts.find(id)
  if (account === undefined) throw missing(id)
  requireAccess(parts, token, account)
  requireProof(request.query, token, account.appSecret)
  countManagementCall(parts, account)
  return account
}

/** A call may prove that the caller knows the app secret; one that proves another is refused. */
function requireProof(query: unknown, token: string, appSecret: string): void {
  const proof = (query as Record<string, unknown>)['appsecret_proof']
  if (proof === undefined) return
  if (proof === createHmac('sha256', appSecret).update(token).digest('hex')) return
  throw new GraphError(100, 'Invalid appsecret_proof provided in the API argument', { management: true })
}

export function requireAccess(parts: Parts, token: string, account: Account): void {
  if (!parts.accounts.mayUse(token, account)) refuse(200, 'the access token has no permission on this object')
}

export function missing(id: string): GraphError {
  return new GraphError(100, `the object with id ${id} does not exist, or the token may not see it`, { subcode: 33 })
}

function countManagementCall(parts: Parts, account: Account): void {
  const perHour = parts.settings.managementCallsPerHour
  if (perHour === undefined) return
  if (!parts.managementCalls.take(account.id, 3_600_000 / perHour, perHour, parts.now())) refuse(80007)
}

function queryToken(query: unknown): string | undefined {
  const token = (query as Record<string, unknown>)['access_token']
  return typeof token === 'string' ? token : undefined
}
