import { isUuid } from '../../lib/ids.ts'

/** Sent with a message and returned with each of its statuses: `<kind>:<our message id>`. */
export const callbackDataOf = (kind: string, messageId: string): string => `${kind}:${messageId}`

const CALLBACK_DATA = /^([a-z_]{1,30}):(.{36})$/

/** Returns undefined for data that is not ours: other apps may send with the same number. */
export function readCallbackData(text: string | undefined): { kind: string; messageId: string } | undefined {
  const [, kind, messageId] = CALLBACK_DATA.exec(text ?? '') ?? []
  return kind && messageId && isUuid(messageId) ? { kind, messageId: messageId.toLowerCase() } : undefined
}
