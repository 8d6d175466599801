import { randomBytes } from 'node:crypto'
import { request as get } from 'undici'
import { reject } from '../errors.ts'
import { type Call, requireAccount } from './call.ts'
import { META_LIMITS, EMULATOR_LIMITS } from '../limits.ts'
import { optionalText, isObject } from '../reading.ts'
import type { Account } from '../accounts/accounts.ts'

/** `POST /{waba_id}/subscribed_apps`: without a subscription no webhooks are sent. */
export async function subscribe(call: Call) {
  const account = requireAccount(call)
  const { override_callback_uri, verify_token } = { ...call.query, ...(isObject(call.body) ? call.body : {}) }
  const url = optionalText(override_callback_uri, 'override_callback_uri')
  if (url !== undefined) {
    await checkOverride(url, optionalText(verify_token, 'verify_token'))
    account.overrideCallbackUrl = url
  }
  account.subscribed = true
  call.parts.accounts.changed(account)
  return { success: true }
}

export function readSubscription(call: Call) {
  const account = requireAccount(call)
  return { data: account.subscribed ? [subscriptionOf(account)] : [] }
}

export function unsubscribe(call: Call) {
  const account = requireAccount(call)
  account.subscribed = false
  account.overrideCallbackUrl = undefined
  call.parts.accounts.changed(account)
  return { success: true }
}

/** Meta's verification of a callback. Returns what is wrong, or undefined. */
export async function verifyCallback(url: string, verifyToken: string): Promise<string | undefined> {
  const challenge = randomBytes(8).readBigUInt64BE().toString()
  const address = new URL(url)
  address.searchParams.set('hub.mode', 'subscribe')
  address.searchParams.set('hub.challenge', challenge)
  address.searchParams.set('hub.verify_token', verifyToken)
  try {
    const answer = await get(address, {
      headersTimeout: EMULATOR_LIMITS.handshakeTimeoutMs,
      bodyTimeout: EMULATOR_LIMITS.handshakeTimeoutMs,
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) return `the callback answered the verification with ${answer.statusCode}, not 200`
    return text === challenge ? undefined : 'the callback did not answer with the challenge'
  } catch (fault) {
    return `the callback could not be reached: ${fault instanceof Error ? fault.message : String(fault)}`
  }
}

async function checkOverride(url: string, verifyToken: string | undefined): Promise<void> {
  if (verifyToken === undefined) reject(100, 'verify_token is required with override_callback_uri')
  if (!URL.canParse(url) || !/^https?:/.test(url)) reject(100, 'override_callback_uri must be an http or https URL')
  if (url.length > META_LIMITS.overrideCallbackCharacters)
    reject(100, `override_callback_uri has at most ${META_LIMITS.overrideCallbackCharacters} characters`)
  const fault = await verifyCallback(url, verifyToken)
  if (fault !== undefined) reject(100, `override_callback_uri: ${fault}`)
}

function subscriptionOf({ appId: id, overrideCallbackUrl }: Account) {
  const app = { id, name: 'Emulator app', link: `https://www.facebook.com/games/?app_id=${id}` }
  return { whatsapp_business_api_data: app, override_callback_uri: overrideCallbackUrl }
}
