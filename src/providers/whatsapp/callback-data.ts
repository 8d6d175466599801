import { isUuid } from '../../ids.ts'

/** What travels with a message and comes back with each of its statuses: `<kind>:<our message id>`. */
export const callbackDataOf = (kind: string, messageId: string): string => `${kind}:${messageId}`

const CALLBACK_DATA = /^([a-z_]{1,30}):(.{36})$/

/** Undefined when it is not ours: other apps on the same number put what they like there. */
export function readCallbackData(text: string | undefined): { kind: string; messageId: string } | undefined {
  const [, kind, messageId] = CALLBACK_DATA.exec(text ?? '') ?? []
  return kind && messageId && isUuid(messageId) ? { kind, messageId: messageId.toLowerCase() } : undefined
}
