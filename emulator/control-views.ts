import type { Account, PhoneNumber } from './accounts.ts'
import type { Message } from './messages.ts'
import type { Template } from './templates.ts'
import type { WebhookPost } from './webhooks.ts'

/** What the control API shows of the twin's objects. Secrets stay in. */

export function showAccount(account: Account) {
  const { id, name, callbackUrl, overrideCallbackUrl, subscribed, blockedBy, otpButtons, userIds } = account
  return {
    id,
    name,
    callbackUrl,
    overrideCallbackUrl,
    subscribed,
    blockedBy,
    otpButtons,
    userIds,
    numbers: [...account.numbers.values()].map(showNumber),
    templates: [...account.templates.values()].map(showTemplate),
  }
}

export function showNumber(number: PhoneNumber) {
  return { ...number, pin: undefined }
}

export function showTemplate({ id, name, language, category, status, qualityScore, rejectedReason }: Template) {
  return { id, name, language, category, status, qualityScore, rejectedReason }
}

export function showMessage(message: Message) {
  const { statuses, acceptedAt, expiresAt, ...rest } = message
  return {
    ...rest,
    acceptedAt: new Date(acceptedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    statuses: statuses.map(({ post, ...status }) => ({ ...status, webhook: showPost(post) })),
  }
}

/** Null where there was nobody to post to. */
export function showPost(post: WebhookPost | undefined) {
  if (post === undefined) return null
  const { id, url, state, attempts } = post
  return { id, url, state, attempts }
}
