import { randomBytes } from 'node:crypto'
import { request as get } from 'undici'
import { refuse } from './errors.ts'
import { requireAccount } from './graph-access.ts'
import { META_LIMITS, TWIN_LIMITS } from './limits.ts'
import { findText, isObject } from './reading.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Account } from './accounts.ts'
import type { Parts } from './parts.ts'

type Request = FastifyRequest<{ Params: { id: string } }>

/** `/{waba_id}/subscribed_apps`: without a subscription no webhooks come. */
export function subscriptionRoutes(server: FastifyInstance, parts: Parts): void {
  server.post('/:id/subscribed_apps', async (request: Request) => {
    const account = requireAccount(parts, request, request.params.id)
    const body = { ...(request.query as object), ...(isObject(request.body) ? request.body : {}) } as Record<
      string,
      unknown
    >
    const url = findText(body['override_callback_uri'], 'override_callback_uri')
    if (url !== undefined) {
      await checkOverride(url, findText(body['verify_token'], 'verify_token'))
      account.overrideCallbackUrl = url
    }
    account.subscribed = true
    parts.accounts.changed(account)
    return { success: true }
  })

  server.get('/:id/subscribed_apps', (request: Request) => {
    const account = requireAccount(parts, request, request.params.id)
    return { data: account.subscribed ? [subscriptionOf(account)] : [] }
  })

  server.delete('/:id/subscribed_apps', (request: Request) => {
    const account = requireAccount(parts, request, request.params.id)
    account.subscribed = false
    account.overrideCallbackUrl = undefined
    parts.accounts.changed(account)
    return { success: true }
  })
}

/** Asks a callback to prove itself, as Meta does before it uses one. Undefined when it did, else what was wrong. */
export async function verifyCallback(url: string, verifyToken: string): Promise<string | undefined> {
  const challenge = randomBytes(8).readBigUInt64BE().toString()
  const address = new URL(url)
  address.searchParams.set('hub.mode', 'subscribe')
  address.searchParams.set('hub.challenge', challenge)
  address.searchParams.set('hub.verify_token', verifyToken)
  try {
    const answer = await get(address, {
      headersTimeout: TWIN_LIMITS.handshakeTimeoutMs,
      bodyTimeout: TWIN_LIMITS.handshakeTimeoutMs,
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) return `the callback answered the verification with ${answer.statusCode}, not 200`
    return text === challenge ? undefined : 'the callback did not answer with the challenge'
  } catch (fault) {
    return `the callback could not be reached: ${fault instanceof Error ? fault.message : String(fault)}`
  }
}

async function checkOverride(url: string, verifyToken: string | undefined): Promise<void> {
  if (verifyToken === undefined) refuse(100, 'verify_token is required with override_callback_uri')
  if (!URL.canParse(url) || !/^https?:/.test(url)) refuse(100, 'override_callback_uri must be an http or https URL')
  if (url.length > META_LIMITS.overrideCallbackCharacters) {
    refuse(100, `override_callback_uri has at most ${META_LIMITS.overrideCallbackCharacters} characters`)
  }
  const fault = await verifyCallback(url, verifyToken)
  if (fault !== undefined) refuse(100, `override_callback_uri: ${fault}`)
}

function subscriptionOf(account: Account) {
  return {
    whatsapp_business_api_data: {
      id: account.appId,
      name: 'Twin app',
      link: `https://www.facebook.com/games/?app_id=${account.appId}`,
    },
    ...(account.overrideCallbackUrl === undefined ? {} : { override_callback_uri: account.overrideCallbackUrl }),
  }
}
