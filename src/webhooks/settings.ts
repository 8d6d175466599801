import type { CodedText } from '../../locales/text.ts'
import { isBlank, isOneVisibleLine } from '../../locales/visible-text.ts'
import { type ChosenEventType, chosenEventTypes } from '../events/event-types.ts'
import type { Parts } from '../runtime/parts.ts'
import { UserError } from '../lib/errors.ts'
import { AddressRejectedError, checkHost } from './delivery/connector.ts'

export const MAX_URL_LENGTH = 2_048
/** In code points. */
export const MAX_DESCRIPTION_LENGTH = 200

/** What a person chooses for an endpoint. */
export type EndpointSettings = {
  url: string
  /** Empty: the endpoint is shown by its URL. */
  description: string
  /** A ping is always sent. Null: all types, including those that later releases add. */
  eventTypes: ChosenEventType[] | null
}

export type EndpointChange = { [Name in keyof EndpointSettings]?: EndpointSettings[Name] | undefined }

/** Asks DNS, so it is called before the transaction that stores the settings. */
export async function checkNewSettings(
  { url, ...others }: EndpointChange & { url: string },
  parts: Pick<Parts, 'config' | 'log'>,
): Promise<EndpointSettings> {
  const { description = '', eventTypes = null } = await checkSettings(others, parts)
  return { url: await checkUrl(url, parts), description, eventTypes }
}

/** `currentUrl` is not checked again: its host may be unreachable while the description is changed. */
export async function checkSettings(
  { url, description, eventTypes }: EndpointChange,
  parts: Pick<Parts, 'config' | 'log'>,
  currentUrl?: string,
): Promise<EndpointChange> {
  const isNew = url !== undefined && url !== currentUrl
  return {
    description: description === undefined ? undefined : checkDescription(description),
    eventTypes: eventTypes && checkTypes(eventTypes),
    url: isNew ? await checkUrl(url, parts) : url,
  }
}

function checkDescription(text: string): string {
  const trimmed = text.trim()
  if (Array.from(trimmed).length > MAX_DESCRIPTION_LENGTH || !isOneVisibleLine(trimmed))
    throw new UserError(BAD_DESCRIPTION)
  return isBlank(trimmed) ? '' : trimmed
}

function checkTypes(types: readonly ChosenEventType[]): ChosenEventType[] {
  const chosen = chosenEventTypes.filter((type) => types.includes(type))
  if (chosen.length === 0) throw new UserError({ code: 'webhooks.no_types' })
  return chosen
}

/** Returns the URL as it will be requested. */
async function checkUrl(text: string, { config, log }: Pick<Parts, 'config' | 'log'>): Promise<string> {
  const allowPrivate = config.allowPrivateWebhooks
  if (text.length > MAX_URL_LENGTH) throw new UserError(URL_TOO_LONG)
  if (!URL.canParse(text)) throw new UserError({ code: 'webhooks.incomplete', example: 'https://example.com/path' })
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    throw new UserError(
      allowPrivate
        ? { code: 'webhooks.scheme_or_http', scheme: 'https://', insecure: 'http://' }
        : { code: 'webhooks.scheme', scheme: 'https://' },
    )
  if (url.username || url.password) throw new UserError({ code: 'webhooks.credentials' })
  if (url.hash) throw new UserError({ code: 'webhooks.fragment' })
  if (url.href.length > MAX_URL_LENGTH) throw new UserError({ code: 'webhooks.encoded_too_long', max: MAX_URL_LENGTH })
  if (!allowPrivate) await checkPublic(url.hostname, log)
  return url.href
}

/**
 * Shows a mistake early. What protects us is the check at each connection. Only the log has the address: a person who may add
 * endpoints need not know what names of the internal network mean.
 */
async function checkPublic(hostname: string, log: Parts['log']): Promise<void> {
  try {
    await checkHost(hostname)
  } catch (error) {
    if (!(error instanceof AddressRejectedError)) throw new UserError({ code: 'webhooks.not_found', hostname })
    log.warn({ hostname, address: error.address }, 'an endpoint was rejected, because its address is not public')
    throw new UserError({ code: 'webhooks.endpoints_not_public' })
  }
}

/** The dashboard's form checks them too. */
export const URL_TOO_LONG: CodedText = { code: 'webhooks.url_too_long', max: MAX_URL_LENGTH }
export const BAD_DESCRIPTION: CodedText = { code: 'webhooks.bad_description', max: MAX_DESCRIPTION_LENGTH }
