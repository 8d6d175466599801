import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account, NumberOfAccount } from '../accounts/accounts.ts'
import { GraphError, reject, rejectManagement } from '../errors.ts'
import type { Parts } from '../parts.ts'

/** One call of the Graph API. `id` is the object of its path. */
export type Call = {
  parts: Parts
  id: string
  query: Record<string, unknown>
  body: unknown
  request: FastifyRequest
  reply: FastifyReply
}

/**
 * Reads the token from the Authorization header or, as Graph allows, the query. Throws 104 without a token and 190 for
 * an unknown one.
 */
export function requireToken({ parts, request, query }: Call): string {
  const header = request.headers.authorization
  const token = header === undefined ? query['access_token'] : /^Bearer +(\S+) *$/i.exec(header)?.[1]
  if (typeof token !== 'string') {
    const message = 'An access token is required to request this resource.'
    throw new GraphError(104, undefined, { message, httpStatus: 400 })
  }
  if (!parts.accounts.isToken(token))
    throw new GraphError(190, undefined, { message: 'Invalid OAuth access token - Cannot parse access token' })
  return token
}

export function requireNumber(call: Call): NumberOfAccount {
  const token = requireToken(call)
  const row = call.parts.accounts.findNumber(call.id)
  if (row === undefined) throw missing(call.id)
  requireAccess(token, row.account)
  return row
}

export function requireAccount(call: Call): Account {
  const { parts, query } = call
  const token = requireToken(call)
  const account = parts.accounts.find(call.id)
  if (account === undefined) throw missing(call.id)
  requireAccess(token, account)
  const proof = query['appsecret_proof']
  if (proof !== undefined && proof !== createHmac('sha256', account.appSecret).update(token).digest('hex'))
    rejectManagement(100, 'Invalid appsecret_proof provided in the API argument')
  return account
}

export function requireAccess(token: string, account: Account): void {
  if (account.accessToken !== token) reject(200, 'the access token has no permission on this object')
}

export function missing(id: string): GraphError {
  return new GraphError(100, `the object with id ${id} does not exist, or the token may not see it`, { subcode: 33 })
}
