import { z } from 'zod'
import { asIssue } from '../../../locales/text.ts'
import { type EventType, chosenEventTypes, eventTypes } from '../../events/event-types.ts'
import { holdBacklog } from '../../webhooks/endpoint-status.ts'
import {
  addEndpoint,
  deleteEndpoint,
  enableEndpoint,
  getEndpoint,
  pauseEndpoint,
  pingEndpoint,
  resumeEndpoint,
  rotateSecret,
} from '../../webhooks/endpoints.ts'
import { findDeliveryDetails } from '../../explain/deliveries.ts'
import { notAfter } from '../../lib/clock.ts'
import { resendBatch, resendDelivery, resendable } from '../../webhooks/resend.ts'
import { beginRetry, endPauses } from '../../webhooks/retry.ts'
import {
  BAD_DESCRIPTION,
  MAX_DESCRIPTION_LENGTH,
  MAX_URL_LENGTH,
  URL_TOO_LONG,
  checkNewSettings,
} from '../../webhooks/settings.ts'
import { prepareUpdate, updateEndpoint } from '../../webhooks/update.ts'
import { found } from './found.ts'
import { action, change, commit } from './action.ts'

export const endpointId = z.uuid(asIssue({ code: 'admin.endpoint_id' }))
export const deliveryId = z.uuid(asIssue({ code: 'admin.delivery_id' }))
export const endpointInput = z.object({ endpointId })

const settings = {
  url: z
    .string()
    .trim()
    .min(1, asIssue({ code: 'admin.no_url', example: 'https://example.com/path' }))
    .max(MAX_URL_LENGTH, asIssue(URL_TOO_LONG)),
  /** The length counts UTF-16 units, of which a code point has at most two. */
  description: z
    .string()
    .max(2 * MAX_DESCRIPTION_LENGTH, asIssue(BAD_DESCRIPTION))
    .optional(),
  /** Null means all types. */
  eventTypes: z
    .array(z.enum(chosenEventTypes))
    .min(1, asIssue({ code: 'webhooks.no_types' }))
    .max(chosenEventTypes.length)
    .nullable()
    .optional(),
}

const type = z.enum(Object.keys(eventTypes) as [EventType, ...EventType[]], asIssue({ code: 'admin.type' })).optional()
const instant = z.iso
  .datetime({ offset: true, error: asIssue({ code: 'admin.instant' }) })
  .transform((text) => new Date(text))

/** `from` and `to`: when the event was recorded. */
export const eventFilter = { type, from: instant.optional(), to: instant.optional() }

export const rangeIsForward = ({ from, to }: { from?: Date | undefined; to?: Date | undefined }): boolean =>
  !from || !to || from < to
export const RANGE_ISSUE = { message: asIssue({ code: 'admin.endpoints_backwards' }), path: ['to'] }

export const chosenDeliveries = z
  .object({
    endpointId,
    ...eventFilter,
    statuses: z
      .array(z.enum(resendable))
      .min(1, asIssue({ code: 'admin.none_chosen' }))
      .max(resendable.length)
      .transform((statuses) => [...new Set(statuses)]),
  })
  .refine(rangeIsForward, RANGE_ISSUE)

export const endpointActions = {
  /** Returns the secret, which no other call shows. */
  add: action('admin', z.object(settings), async (operator, { workspaceId, ...input }) => {
    const settings = await checkNewSettings(input, operator)
    return commit(operator, workspaceId, async (tx, record) => {
      const added = await addEndpoint(tx, operator, { workspaceId, ...settings })
      await record({ action: 'endpoint.added', target: added.endpointId, after: settings })
      return added
    })
  }),

  /** Changes only the given settings. */
  update: action('admin', z.object(settings).partial().extend({ endpointId }), async (operator, input) => {
    const prepared = await prepareUpdate(operator, input)
    return commit(operator, input.workspaceId, async (tx, record) => {
      const { before, after, isChanged } = await updateEndpoint(tx, operator.clock, prepared)
      if (isChanged) await record({ action: 'endpoint.updated', target: input.endpointId, before, after })
      return after
    })
  }),

  /** Cannot be undone. */
  remove: action('admin', endpointInput, async (operator, id) => {
    await commit(operator, id.workspaceId, async (tx, record) => {
      const { url, description, eventTypes, status } = await getEndpoint(tx, id)
      await deleteEndpoint(tx, operator.clock, id)
      const before = { url, description, eventTypes, status }
      await record({ action: 'endpoint.deleted', target: id.endpointId, before })
    })
    await holdBacklog(operator.db, id)
  }),

  pause: action('admin', endpointInput, async (operator, id) => {
    await commit(operator, id.workspaceId, async (tx, record) => {
      await pauseEndpoint(tx, operator.clock, id)
      await record({ action: 'endpoint.paused', target: id.endpointId })
    })
    await holdBacklog(operator.db, id)
  }),

  /** Delivers new events again, after a pause or after failures, or only after one of them. Deliveries held until now stay held. */
  enable: change(
    'admin',
    endpointInput.extend({ from: z.enum(['paused', 'disabled']).optional() }),
    async ({ tx, record, clock }, { from, ...id }) => {
      const { status, statusReason: reason, failingSince } = await getEndpoint(tx, id)
      const [action, enable] =
        (from ?? status) === 'paused'
          ? (['endpoint.resumed', resumeEndpoint] as const)
          : (['endpoint.enabled', enableEndpoint] as const)
      await enable(tx, clock, id)
      await record({ action, target: id.endpointId, before: { status, reason, failingSince } })
    },
  ),

  /** Returns the new secret, which no other call shows. */
  rotate: change('admin', endpointInput, async ({ tx, record, clock, seal }, id) => {
    const rotated = await rotateSecret({ db: tx, clock, seal }, id)
    const after = { previousSecretUntil: rotated.previousSecretUntil }
    await record({ action: 'endpoint.secret_rotated', target: id.endpointId, after })
    return rotated
  }),

  /** Sends a test event; its delivery shows the result. */
  ping: change(
    'admin',
    endpointInput,
    async ({ tx, record, clock }, id) => {
      const sent = await pingEndpoint(tx, clock, id)
      await record({ action: 'endpoint.pinged', target: id.endpointId })
      return sent
    },
    'deliver',
  ),

  /** Sends a delivery again, whatever its status; one that waits for a retry is attempted now. */
  resend: change(
    'admin',
    z.object({ endpointId, deliveryId }),
    async ({ tx, record, clock }, delivery) => {
      const { eventId, status } = found(await findDeliveryDetails(tx, delivery), 'delivery')
      await resendDelivery({ db: tx, clock }, delivery)
      await record({ action: 'endpoint.resent_one', target: delivery.endpointId, before: { eventId, status } })
    },
    'deliver',
  ),

  /** Retries all pending deliveries now, at the pace of a release. */
  retryWaiting: action('admin', endpointInput, async (operator, id) => {
    const waiting = await endPauses(operator, id)
    if (waiting > 0)
      await commit(operator, id.workspaceId, async (tx, record) => {
        if (await beginRetry(tx, operator.clock, id))
          await record({ action: 'endpoint.retried', target: id.endpointId, after: { waiting } })
      })
    return { waiting }
  }),

  /** Resends one batch of what was chosen before `at`. The caller repeats it until nothing is left, so it can show progress and stop. */
  resendChosen: change(
    'admin',
    chosenDeliveries.safeExtend({ at: instant }),
    async ({ tx, record, clock }, { at, ...filter }) => {
      const now = clock.now()
      const batch = await resendBatch({ db: tx, clock }, { ...filter, startedAt: notAfter(now, at) })
      const { statuses, type, from, to } = filter
      const after = { resent: batch.resent, statuses, type, from, to }
      if (batch.resent > 0) await record({ action: 'endpoint.resent', target: filter.endpointId, after })
      return batch
    },
    'deliver',
  ),
}
