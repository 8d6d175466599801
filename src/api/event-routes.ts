import { z } from 'zod'
import { ApiError } from '../lib/errors.ts'
import {
  type EventPage,
  type ListedEvent,
  MAX_EVENTS_PER_PAGE,
  START,
  findLatest,
  findPosition,
  listEvents,
} from '../events/list.ts'
import { MAX_WAIT_SECONDS, createWaiter } from '../events/wait.ts'
import { wholeNumber } from '../lib/http/fields.ts'
import { type Client, type Route, noBody, noHeaders, noParams, route } from '../lib/http/route.ts'
import { FIRST_ID, isUuid } from '../lib/ids.ts'
import { asIssue, asWritten } from '../../locales/text.ts'
import type { Parts } from '../runtime/parts.ts'
import { isBeforeKeptEvents } from '../operations/lifecycle/retention/kept-since.ts'
import { documentedEvents } from './documented-events.ts'

/** Only the API returns this, and the API is English. */
const NO_EVENT = asWritten(
  'No event of this workspace has the id in "after", or its content is no longer kept: leave "after" out to begin with the oldest event that is kept.',
)

const LATEST = 'latest'

const after = z
  .string({ error: asIssue({ code: 'events.form' }) })
  .refine((text) => text === LATEST || isUuid(text), { error: asIssue({ code: 'events.form' }) })
  .toLowerCase()
  .optional()
  .meta({
    description:
      'The id of an event, which is its `webhook-id`: the response has the events after it. `latest`: only events recorded from now on. Default, and with the nil UUID: from the oldest event that is kept.',
  })

const limit = wholeNumber(1, MAX_EVENTS_PER_PAGE)
  .optional()
  .meta({ description: `The maximum number of events in the response. Default: ${MAX_EVENTS_PER_PAGE}.` })

const wait = wholeNumber(0, MAX_WAIT_SECONDS)
  .optional()
  .meta({ description: 'How many seconds to wait for an event if there is none. Default: 0.' })

const query = z.strictObject({ after, limit, wait })

const EXAMPLE_ID = '01994f66-aa84-7d7e-a2c1-3b1de2f0c9a4'
const examples = documentedEvents
  .filter(({ type }) => type === 'cod.confirmed')
  .map(({ example }) => ({ id: EXAMPLE_ID, ...example }))

const eventId = z.uuid().meta({ description: 'The id of the event, which is its `webhook-id`.' })

/** What an endpoint receives, with the id that it has in the header `webhook-id`. A ping is sent to one endpoint only. */
const event = z
  .union(
    documentedEvents
      .filter(({ type }) => type !== 'ping')
      .map(({ body, name }) => z.strictObject({ id: eventId, ...body.shape }).meta({ id: `Recorded${name}` })),
  )
  .meta({ id: 'RecordedEvent', description: 'Later releases may add types: ignore any that you do not know.' })

const listSchema = z
  .strictObject({
    events: z.array(event).meta({ description: 'In the order in which they are read.' }),
    hasMore: z.boolean().meta({ description: 'Whether more events can be read now, after `next`.' }),
    next: z
      .uuid()
      .nullable()
      .meta({ description: 'The value of `after` for the next request. Null while the workspace has no event.' }),
  })
  .meta({ id: 'EventList' })

export function eventRoutes(parts: Pick<Parts, 'db' | 'live'>): Route[] {
  const { db, live } = parts
  const waitFor = createWaiter(live)
  return [
    route({
      method: 'GET',
      path: '/events',
      operationId: 'listEvents',
      tag: 'Events',
      summary: 'Read events',
      description:
        'The events of the workspace, as webhooks report them, in one order that never changes. To read them all, send `next` of each response as `after` of the next request: no event is missed, even one that is committed late. With `wait` the response comes as soon as there is an event. Pings are not listed, and neither are events whose content was removed.',
      errors: ['EVENT_NOT_FOUND'],
      schemas: { params: noParams, query, headers: noHeaders, body: noBody },
      success: {
        status: 200,
        description: 'The events after `after`; an empty list if there are none.',
        schema: listSchema,
        example: { events: examples, hasMore: false, next: EXAMPLE_ID },
      },
      async handler({ workspaceId, apiKeyId, end, query: { after, limit = MAX_EVENTS_PER_PAGE, wait: seconds = 0 } }) {
        const position = await positionOf(workspaceId, after)
        const look = (): Promise<EventPage> => listEvents(db, { workspaceId, after: position, limit })
        const found = await look()
        const page =
          isEmpty(found) && seconds > 0
            ? await waitFor({ workspaceId, apiKeyId, seconds, end: end(), look, isEmpty })
            : found
        const next = page.events.at(-1)?.id ?? (position === START ? null : position.id)
        return { events: page.events.map(asRead), hasMore: page.hasMore, next }
      },
    }),
  ]

  async function positionOf(workspaceId: Client['workspaceId'], after: string | undefined) {
    if (after === undefined || after === FIRST_ID) return START
    if (after === LATEST) return findLatest(db, workspaceId)
    const position = await findPosition(db, workspaceId, after)
    // An erased event is still a position: the events after it are kept.
    if (!position || (!position.hasContent && (await isBeforeKeptEvents(db, position.id))))
      throw new ApiError('EVENT_NOT_FOUND', NO_EVENT)
    return position
  }
}

const isEmpty = ({ events }: EventPage): boolean => events.length === 0

/** JSON.stringify turns the parsed body back into the same bytes, so without `id` an event is the body of its webhook. */
const asRead = ({ id, body }: ListedEvent): z.input<typeof event> => ({ id, ...(JSON.parse(body) as Envelope) })

type Envelope = Omit<z.input<typeof event>, 'id'>
