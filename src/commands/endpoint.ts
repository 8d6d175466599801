import { type EventType, eventTypes } from '../events/event-types.ts'
import type { Sql } from '../db.ts'
import { asWritten } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import { deliverNow } from '../webhooks/deliver-now.ts'
import {
  type Endpoint,
  type EndpointId,
  addEndpoint,
  enableEndpoint,
  findWorkspaceOf,
  listEndpoints,
  pauseEndpoint,
  pingEndpoint,
  resumeEndpoint,
  rotateSecret,
} from '../webhooks/endpoints.ts'
import { countResendable, resendable, resendByFilter, resendEvent } from '../webhooks/resend.ts'
import { workspaceMustExist } from '../workspaces/workspaces.ts'
import { type RecordChange, type Recorded, command, flag, optional, required } from './command.ts'
import { instant, oneOf, url, uuid } from './inputs.ts'

export const endpointAdd = command({
  words: 'endpoint add',
  summary: 'Send the events of a workspace to a URL as signed webhooks. The secret is shown this once.',
  options: { workspace: required(uuid('W')), url: required(url) },
  changes: true,
  async run(parts, { workspace: workspaceId, url }, record) {
    await workspaceMustExist(parts.db, workspaceId)
    return addEndpoint(parts, { workspaceId, url }, (tx, added) =>
      record(tx, { workspaceId, target: added.endpointId, after: { url: added.url } }),
    )
  },
  tell: ({ endpointId, secret }) => `Endpoint ${endpointId}. Verify its webhooks with this secret:\n${secret}`,
})

export const endpointList = command({
  words: 'endpoint list',
  summary: 'List the endpoints of a workspace with their status, and why they have it.',
  options: { workspace: required(uuid('W')) },
  changes: false,
  async run({ db }, { workspace }) {
    await workspaceMustExist(db, workspace)
    return { workspaceId: workspace, endpoints: await listEndpoints(db, workspace) }
  },
  tell: ({ endpoints }) => endpoints.map(inOneLine).join('\n') || 'The workspace has no endpoints.',
})

function inOneLine({ endpointId, url, status, statusReason, statusAt, failingSince }: Endpoint): string {
  const since = status === 'enabled' ? '' : ` since ${statusAt.toISOString()}`
  const failing = failingSince ? `; nothing but failures since ${failingSince.toISOString()}` : ''
  return `${endpointId}  ${url}  ${status}${since}${statusReason ? ` (${statusReason})` : ''}${failing}`
}

const endpointId = { name: 'endpointId', ...required(uuid('ID')) }

async function idOf(db: Sql, id: string): Promise<EndpointId> {
  const workspaceId = await findWorkspaceOf(db, id)
  if (!workspaceId) throw new SetupRefused(asWritten(`There is no endpoint ${id}.`), 'NOT_FOUND')
  return { workspaceId, endpointId: id }
}

/** What is recorded of a change of one endpoint, in the transaction of the change. */
const recordOf =
  (record: RecordChange, { workspaceId, endpointId }: EndpointId, more?: Pick<Recorded, 'after'>) =>
  (tx: Sql): Promise<void> =>
    record(tx, { workspaceId, target: endpointId, ...more })

export const endpointPing = command({
  words: 'endpoint ping',
  summary: 'Send a test event to an endpoint and tell what came of it.',
  argument: endpointId,
  changes: true,
  async run(parts, { argument }, record) {
    const id = await idOf(parts.db, argument)
    const { eventId, deliveryId } = await pingEndpoint(parts, id, recordOf(record, id))
    return { endpointId: argument, eventId, ...(await deliverNow(parts, deliveryId)) }
  },
  tell: ({ eventId, status, httpStatus, error }) =>
    status === 'succeeded'
      ? `The endpoint took the ping ${eventId} with ${httpStatus ?? 'success'}.`
      : `The endpoint did not take the ping ${eventId} (${error ?? `HTTP ${httpStatus ?? 'without an answer'}`}); its delivery is ${status}.`,
})

export const endpointPause = command({
  words: 'endpoint pause',
  summary: 'Send nothing to an endpoint until it is resumed; its events are held.',
  argument: endpointId,
  changes: true,
  async run(parts, { argument }, record) {
    const id = await idOf(parts.db, argument)
    await pauseEndpoint(parts, id, recordOf(record, id))
    return { endpointId: argument, status: 'paused' as const }
  },
  tell: ({ endpointId }) =>
    `The endpoint is paused: its events are held. "endpoint resume ${endpointId}" lets new ones through again.`,
})

export const endpointResume = command({
  words: 'endpoint resume',
  summary: 'Send new events to a paused endpoint again. What was held stays held until "endpoint resend".',
  argument: endpointId,
  changes: true,
  async run(parts, { argument }, record) {
    const id = await idOf(parts.db, argument)
    await resumeEndpoint(parts, id, recordOf(record, id))
    return { endpointId: argument, status: 'enabled' as const }
  },
  tell: tellEnabled,
})

export const endpointEnable = command({
  words: 'endpoint enable',
  summary:
    'Send new events to an endpoint again that was disabled for its failures. What was held stays held until "endpoint resend".',
  argument: endpointId,
  changes: true,
  async run(parts, { argument }, record) {
    const id = await idOf(parts.db, argument)
    await enableEndpoint(parts, id, recordOf(record, id))
    return { endpointId: argument, status: 'enabled' as const }
  },
  tell: tellEnabled,
})

function tellEnabled({ endpointId }: { endpointId: string }): string {
  return `The endpoint is enabled: it gets new events. "endpoint resend ${endpointId}" sends what it missed.`
}

export const endpointRotate = command({
  words: 'endpoint rotate',
  summary: 'Give an endpoint a new secret, which is shown this once. The previous one signs as well for 24 hours.',
  argument: endpointId,
  changes: true,
  async run(parts, { argument }, record) {
    const id = await idOf(parts.db, argument)
    const rotated = await parts.db.transaction(async (tx) => {
      await recordOf(record, id)(tx)
      return rotateSecret({ ...parts, db: tx }, id)
    })
    return { endpointId: argument, ...rotated }
  },
  tell: ({ endpointId, secret, previousSecretUntil }) =>
    `The new secret of endpoint ${endpointId}, shown this once; until ${previousSecretUntil.toISOString()} the previous one signs as well:\n${secret}`,
})

export const endpointResend = command({
  words: 'endpoint resend',
  summary:
    'Send events to an endpoint again: what failed or was held, or what the options choose by the time it was recorded, type and status; --event chooses one whatever came of it, --count only counts.',
  argument: endpointId,
  options: {
    since: optional(instant),
    until: optional(instant),
    type: optional(oneOf('T', Object.keys(eventTypes) as EventType[])),
    status: optional(oneOf(resendable.join('|'), resendable)),
    event: optional(uuid('ID')),
    count: flag,
  },
  changes: true,
  async run(parts, { argument, since, until, type, status, event, count }, record) {
    if (event !== undefined && (count || since || until || type || status))
      throw new SetupRefused(asWritten('--event chooses one event alone: leave the other options out.'))
    if (since && until && since >= until) throw new SetupRefused(asWritten('--since must be earlier than --until.'))
    const id = await idOf(parts.db, argument)
    const resentTo = (tx: Sql, events: number): Promise<void> =>
      recordOf(record, id, { after: { events, since, until, type, status, event } })(tx)
    if (event !== undefined) {
      await resendEvent(parts, { ...id, eventId: event }, (tx) => resentTo(tx, 1))
      return { endpointId: argument, events: 1, resent: true }
    }
    const filter = {
      ...id,
      ...(since && { from: since }),
      ...(until && { to: until }),
      ...(type && { type }),
      ...(status && { statuses: [status] }),
    }
    const events = count ? await countResendable(parts, filter) : await resendByFilter(parts, filter, resentTo)
    return { endpointId: argument, events, resent: !count }
  },
  tell({ events, resent }) {
    const many = events === 1 ? '1 event' : `${events} events`
    if (!resent) return `${many} would be sent again.`
    return events === 0
      ? 'There is nothing to send again.'
      : `${many} will be sent again, by a server that runs or the next that starts.`
  },
})
