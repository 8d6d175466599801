import { chartTables } from './chart-tables.ts'
import { type ExportedList, list } from './list.ts'

const SEARCHED = ['text', 'template', 'senderId', 'from', 'to', 'status']

/** Every list and chart of the dashboard. Codes and statuses are the API's words, in every language. */
export const exportedLists = {
  messages: list(
    [...SEARCHED, 'kind', 'failureCode', 'verification'],
    async ({ messages }, input) => {
      const { rows, nextCursor: next } = await messages.list(input)
      return { rows, next }
    },
    {
      id: ({ id }) => id,
      created: ({ createdAt }) => createdAt,
      recipient: ({ recipient }) => recipient,
      status: ({ status }) => status,
      failure_code: ({ failureCode }) => failureCode,
      kind: ({ kind }) => kind,
      verification: ({ verification }) => verification,
      conversation: ({ check }) => check,
      purpose: ({ purpose }) => purpose,
      reference: ({ reference }) => reference,
      confirmation_id: ({ confirmationId }) => confirmationId,
      template: ({ templateName }) => templateName,
      language: ({ templateLanguage }) => templateLanguage,
      sender: ({ senderPhone }) => senderPhone,
      sent: ({ sentAt }) => sentAt,
    },
  ),
  confirmations: list(
    [...SEARCHED, 'refusal'],
    async ({ confirmations }, input) => {
      const { rows, nextCursor: next } = await confirmations.list(input)
      return { rows, next }
    },
    {
      id: ({ id }) => id,
      reference: ({ reference }) => reference,
      created: ({ createdAt }) => createdAt,
      recipient: ({ recipient }) => recipient,
      status: ({ status }) => status,
      answered: ({ answeredAt }) => answeredAt,
      new_date: ({ reschedule }) => reschedule?.date,
      new_time_range: ({ reschedule }) => reschedule?.timeRange,
      customer_note: ({ reschedule }) => reschedule?.note,
      failure_code: ({ failureCode }) => failureCode,
      refusal_status: ({ refusalStatus }) => refusalStatus,
      refusal_reason: ({ refusalReason }) => refusalReason,
      template: ({ templateName }) => templateName,
      language: ({ templateLanguage }) => templateLanguage,
      sender: ({ senderPhone }) => senderPhone,
    },
  ),
  deliveries: list(
    ['endpointId', 'status', 'type', 'from', 'to', 'about'],
    async ({ endpoints }, input) => {
      const { rows, nextCursor: next } = await endpoints.deliveries(input)
      return { rows, next }
    },
    {
      id: ({ deliveryId }) => deliveryId,
      created: ({ createdAt }, time) => time.at(createdAt),
      event_id: ({ eventId }) => eventId,
      event_type: ({ type }) => type,
      message_id: ({ messageId }) => messageId,
      confirmation_id: ({ confirmationId }) => confirmationId,
      recipient: ({ recipient }) => recipient,
      reference: ({ reference }) => reference,
      status: ({ status }) => status,
      attempts: ({ attempts }) => attempts,
      http_status: ({ httpStatus }) => httpStatus,
      error: ({ error }) => error,
      duration_ms: ({ durationMs }) => durationMs,
      last_attempt: ({ lastAttemptAt }, time) => lastAttemptAt && time.at(lastAttemptAt),
      next_attempt: ({ dueAt }, time) => dueAt && time.due(dueAt),
      ended: ({ endedAt }, time) => endedAt && time.at(endedAt),
    },
  ),
  blocked: list(
    ['order', 'text'],
    async ({ blocked }, input) => {
      const { rows, next } = await blocked.list(input)
      return { rows, next: next && { ...next, blockedAt: next.blockedAt.toISOString() } }
    },
    {
      phone: ({ phone }) => phone,
      reason: ({ reason }) => reason,
      blocked: ({ blockedAt }, time) => time.at(blockedAt),
      blocked_by: ({ blockedBy }) => blockedBy,
    },
  ),
  keys: list([], async ({ keys }, input) => ({ rows: await keys.list(input), next: null }), {
    id: ({ publicId }) => publicId,
    name: ({ name }) => name,
    status: ({ state }) => state,
    created: ({ createdAt }, time) => time.at(createdAt),
    last_used: ({ lastUsedAt }, time) => lastUsedAt && time.at(lastUsedAt),
    expires: ({ expiresAt }, time) => expiresAt && time.due(expiresAt),
    revoked: ({ revokedAt }, time) => revokedAt && time.at(revokedAt),
  }),
  endpoints: list([], async ({ endpoints }, input) => ({ rows: (await endpoints.list(input)).endpoints, next: null }), {
    id: ({ endpointId }) => endpointId,
    url: ({ url }) => url,
    description: ({ description }) => description,
    event_types: ({ eventTypes }) => eventTypes?.join(' '),
    status: ({ status }) => status,
    status_since: ({ statusAt }, time) => time.at(statusAt),
    reason: ({ statusReason }) => statusReason,
    failing_since: ({ failingSince }, time) => failingSince && time.due(failingSince),
    created: ({ createdAt }, time) => time.at(createdAt),
  }),
  senders: list([], async ({ senders }, input) => ({ rows: await senders.list(input), next: null }), {
    id: ({ senderId }) => senderId,
    phone: ({ phoneNumber }) => phoneNumber,
    name: ({ verifiedName }) => verifiedName,
    status: ({ status }) => status,
    quality: ({ quality }) => quality,
    account_id: ({ accountId }) => accountId,
    paused: ({ pausedAt }, time) => pausedAt && time.at(pausedAt),
  }),
  templates: list(
    ['use', 'status', 'language', 'search'],
    async ({ templates }, input) => {
      const { templates: rows, nextCursor: next } = await templates.list(input)
      return { rows, next }
    },
    {
      name: ({ name }) => name,
      language: ({ language }) => language,
      category: ({ category }) => category,
      status: ({ status }) => status,
      quality: ({ quality }) => quality,
      reason: ({ rejectedReason }) => rejectedReason,
      text: ({ text }) => text,
      account_id: ({ accountId }) => accountId,
    },
  ),
  people: list([], async ({ people }, input) => ({ rows: (await people.list(input)).members, next: null }), {
    name: ({ name }) => name,
    email: ({ email }) => email,
    role: ({ role }) => role,
    operator: ({ operator }) => operator,
    two_factor: ({ twoFactor }) => twoFactor,
    last_seen: ({ lastSeenAt }, time) => lastSeenAt && time.at(lastSeenAt),
    member_since: ({ since }, time) => since && time.at(since),
  }),
  'audit-log': list(
    ['of', 'action', 'who', 'resource', 'from', 'to'],
    async ({ auditLog }, input) => {
      const { entries: rows, next } = await auditLog.list(input)
      return { rows, next }
    },
    {
      id: ({ id }) => id,
      at: ({ at }, time) => time.at(at),
      who: ({ who }) => who,
      action: ({ action }) => action,
      target: ({ target }) => target,
      name: ({ name }) => name,
      before: ({ before }) => before && JSON.stringify(before),
      after: ({ after }) => after && JSON.stringify(after),
    },
  ),
  ...chartTables,
} as const satisfies Readonly<Record<string, ExportedList>>

export type ExportedListName = keyof typeof exportedLists

export const findExportedList = (name: string): ExportedList | undefined =>
  Object.entries(exportedLists).find(([each]) => each === name)?.[1]
