import { endpointActions } from '../admin/actions/endpoints.ts'
import { inEnglish } from '../../locales/resources.ts'
import { type EventType, eventTypes } from '../events/event-types.ts'
import type { Sql } from '../lib/db/pool.ts'
import { asWritten } from '../../locales/text.ts'
import { UserError } from '../lib/errors.ts'
import { deliverNow } from '../webhooks/delivery/deliver-now.ts'
import { type Endpoint, type EndpointId, findWorkspaceOf, getEndpoint, listEndpoints } from '../webhooks/endpoints.ts'
import { UNDELIVERED, countResendable, getDeliveryOfEvent, resendable } from '../webhooks/resend.ts'
import { countWaiting } from '../webhooks/retry.ts'
import { act, command, notFound, columns } from './command.ts'
import { argument, chosenTypes, flag, instant, oneOf, optional, required, url, uuid, workspace } from './inputs.ts'

const description = required('text', 'Names the endpoint on the dashboard.', (text) => text)

const endpointAdd = command({
  words: 'endpoint add',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --url https://shop.example.com/doorcode',
  summary: 'Send the events of a workspace to a URL as signed webhooks. The secret is shown only once.',
  options: {
    workspace,
    url: url('A public https:// URL.'),
    events: optional(chosenTypes('Only events of these types. Default: all, including types added in later releases.')),
    description: optional(description),
  },
  run: (operator, { workspace: workspaceId, url, events: eventTypes, description }) =>
    act(endpointActions.add, operator, { workspaceId, url, eventTypes, description }),
  format: ({ endpointId, secret }) => `Endpoint ${endpointId}. Verify its webhooks with this secret:\n${secret}`,
})

const endpointList = command({
  words: 'endpoint list',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'List the endpoints of a workspace with their status and its reason.',
  options: { workspace },
  async run({ db }, { workspace }) {
    return { workspaceId: workspace, endpoints: (await listEndpoints(db, workspace)).map(withEnglish) }
  },
  format: ({ endpoints }) =>
    columns(['ENDPOINT', 'URL', 'STATUS'], endpoints.map(cellsOf)) ?? 'The workspace has no endpoints.',
})

const withEnglish = (endpoint: Endpoint) => ({
  ...endpoint,
  statusReason: endpoint.statusReason && inEnglish(endpoint.statusReason),
})

function cellsOf(endpoint: ReturnType<typeof withEnglish>): string[] {
  const { endpointId, url, description, eventTypes, status, statusReason, statusAt, failingSince } = endpoint
  const since = status === 'enabled' ? '' : ` since ${statusAt.toISOString()}`
  const failing = failingSince ? `; every attempt has failed since ${failingSince.toISOString()}` : ''
  const types = eventTypes ? `; only ${eventTypes.join(', ')}` : ''
  const about = description ? `; ${description}` : ''
  return [endpointId, url, `${status}${since}${statusReason ? ` (${statusReason})` : ''}${failing}${types}${about}`]
}

const endpointId = argument(uuid('The id that “doorcode endpoint list” shows.'))

/** The command line names only the endpoint, so its workspace is looked up. */
async function findId(db: Sql, endpointId: string): Promise<EndpointId> {
  const workspaceId = await findWorkspaceOf(db, endpointId)
  if (!workspaceId) throw notFound(`There is no endpoint ${endpointId}.`)
  return { workspaceId, endpointId }
}

const endpointUpdate = command({
  words: 'endpoint update',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f --events message.sent,message.failed',
  summary: 'Change the URL, the types of events or the description of an endpoint. Its secret stays the same.',
  options: {
    endpointId,
    url: optional(url('A public https:// URL. Pending events are tried there immediately.')),
    events: optional(chosenTypes('Only these types of events, or "all". Applies to new events.')),
    description: optional(description),
  },
  async run(operator, { endpointId, url, events: eventTypes, description }) {
    if (url === undefined && eventTypes === undefined && description === undefined)
      throw new UserError(asWritten('Say what to change: --url, --events or --description.'))
    const id = await findId(operator.db, endpointId)
    return { endpointId, ...(await act(endpointActions.update, operator, { ...id, url, eventTypes, description })) }
  },
  format: ({ endpointId, url, eventTypes }) =>
    `Endpoint ${endpointId} receives ${eventTypes ? eventTypes.join(', ') : 'all events'} at ${url}.`,
})

const endpointDelete = command({
  words: 'endpoint delete',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f --yes',
  summary: 'Delete an endpoint for good, with its secret. Events that wait for it are not sent; its deliveries stay.',
  options: { endpointId, yes: flag('Required: an endpoint that was deleted cannot be restored.') },
  async run(operator, { endpointId, yes }) {
    const id = await findId(operator.db, endpointId)
    const { url } = await getEndpoint(operator.db, id)
    if (!yes) throw new UserError(asWritten(`This deletes the endpoint ${url} for good. To do so, add --yes.`))
    await act(endpointActions.remove, operator, id)
    return { endpointId, url, deleted: true }
  },
  format: ({ url }) => `The endpoint ${url} is deleted: nothing more is sent to it.`,
})

const endpointPing = command({
  words: 'endpoint ping',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'Send a test event to an endpoint and show the result.',
  options: { endpointId },
  async run(operator, { endpointId }) {
    const { eventId, deliveryId } = await act(endpointActions.ping, operator, await findId(operator.db, endpointId))
    const { error, ...outcome } = await deliverNow(operator, deliveryId)
    return { endpointId, eventId, ...outcome, ...(error && { error: inEnglish(error) }) }
  },
  format: ({ eventId, status, httpStatus, error }) =>
    status === 'succeeded'
      ? `The endpoint accepted the ping ${eventId} with ${httpStatus ?? 'success'}.`
      : `The endpoint did not accept the ping ${eventId} (${error ?? (httpStatus ? `HTTP ${httpStatus}` : 'no response')}); its delivery is ${status}.`,
})

const statusCommand = (verb: 'pause' | 'resume' | 'enable', summary: string) =>
  command({
    words: `endpoint ${verb}`,
    example: '01a1fa06-709a-73f6-8b1e-b4852403567f',
    summary,
    options: { endpointId },
    async run(operator, { endpointId }) {
      const id = await findId(operator.db, endpointId)
      if (verb === 'pause') await act(endpointActions.pause, operator, id)
      else await act(endpointActions.enable, operator, { ...id, from: verb === 'resume' ? 'paused' : 'disabled' })
      return { endpointId, status: verb === 'pause' ? 'paused' : 'enabled' }
    },
    format: ({ endpointId, status }) =>
      status === 'paused'
        ? `The endpoint is paused: its events are held. “doorcode endpoint resume ${endpointId}” makes it receive new events again.`
        : `The endpoint is enabled and receives new events. “doorcode endpoint resend ${endpointId}” sends the events that it missed.`,
  })

const endpointPause = statusCommand('pause', 'Pause an endpoint: its events are held and not sent.')

const endpointResume = statusCommand(
  'resume',
  'Resume a paused endpoint: it receives new events. Held events wait for “doorcode endpoint resend”.',
)

const endpointEnable = statusCommand(
  'enable',
  'Enable an endpoint that was disabled because of failures: it receives new events. Held events wait for “doorcode endpoint resend”.',
)

const endpointRotate = command({
  words: 'endpoint rotate',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary:
    'Give an endpoint a new secret, shown only once. For 24 hours webhooks are also signed with the previous secret.',
  options: { endpointId },
  async run(operator, { endpointId }) {
    return {
      endpointId,
      ...(await act(endpointActions.rotate, operator, await findId(operator.db, endpointId))),
    }
  },
  format: ({ endpointId, secret, previousSecretUntil }) =>
    `The new secret of endpoint ${endpointId} is shown only once. Until ${previousSecretUntil.toISOString()} webhooks are also signed with the previous secret.\n${secret}`,
})

const CHOSEN_STATUSES = [...resendable, 'pending'] as const

const endpointResend = command({
  words: 'endpoint resend',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f --since 2026-12-01T09:00:00Z --count',
  summary: 'Send events to an endpoint again: events that failed or were held, or events that the options select.',
  options: {
    endpointId,
    since: optional(instant('Only events recorded at this time or later. Default: from the first event.')),
    until: optional(instant('Only events recorded before this time. Default: up to the latest event.')),
    type: optional(oneOf('type', Object.keys(eventTypes) as EventType[])('Only events of this type. Default: all.')),
    status: optional(
      oneOf(
        CHOSEN_STATUSES.join('|'),
        CHOSEN_STATUSES,
      )('Only deliveries with this status; "pending" tries everything that waits now. Default: failed and held.'),
    ),
    event: optional(uuid('Only this event, whatever its status. Cannot be combined with other options.')),
    count: flag('Only count the events that would be sent.'),
  },
  async run(operator, { endpointId, since, until, type, status, event, count }) {
    const { db, clock } = operator
    if (event !== undefined && (count || since || until || type || status))
      throw new UserError(asWritten('--event selects a single event and cannot be combined with other options.'))
    if (since && until && since >= until) throw new UserError(asWritten('--since must be earlier than --until.'))
    if (status === 'pending' && (since || until || type))
      throw new UserError(asWritten('--status pending concerns everything that waits: only --count goes with it.'))
    const id = await findId(db, endpointId)
    if (event !== undefined) {
      const deliveryId = await getDeliveryOfEvent(db, { ...id, eventId: event })
      await act(endpointActions.resend, operator, { ...id, deliveryId })
      return { endpointId, events: 1, resent: true }
    }
    if (status === 'pending') {
      if (count) return { endpointId, events: await countWaiting(db, id, clock.now()), resent: false }
      return { endpointId, events: (await act(endpointActions.retryWaiting, operator, id)).waiting, resent: true }
    }
    const filter = { ...id, from: since, to: until, type, statuses: status ? [status] : [...UNDELIVERED] }
    if (count) return { endpointId, events: await countResendable(operator, filter), resent: false }
    const at = clock.now()
    let events = 0
    for (;;) {
      const { resent, more } = await act(endpointActions.resendChosen, operator, { ...filter, at })
      events += resent
      if (!more) return { endpointId, events, resent: true }
    }
  },
  format({ events, resent }) {
    const count = events === 1 ? '1 event' : `${events} events`
    if (!resent) return `${count} would be sent again.`
    return events === 0
      ? 'No events to send again.'
      : `${count} will be sent again by a running server, or by the next one that starts.`
  },
})

export const endpointCommands = [
  endpointAdd,
  endpointList,
  endpointUpdate,
  endpointDelete,
  endpointPing,
  endpointPause,
  endpointResume,
  endpointEnable,
  endpointRotate,
  endpointResend,
]
