import { z } from 'zod'
import type { Sql } from '../db.ts'
import { type EventType, eventTypes } from '../events/event-types.ts'
import type { Parts } from '../parts.ts'
import { type Language, keptSentences, readSentence, sentences } from '../sentences.ts'
import type { EndpointStatus } from '../webhooks/claim.ts'
import {
  type Endpoint,
  type EndpointId,
  ENDPOINTS_PER_WORKSPACE,
  URL_LENGTH_MOST,
  addEndpoint,
  enableEndpoint,
  findEndpoint,
  listEndpoints,
  pauseEndpoint,
  pingEndpoint,
  resumeEndpoint,
  rotateSecret,
  urlTooLong,
} from '../webhooks/endpoints.ts'
import { deliveryStatuses, findLastFailure, findWholeDelivery, listDeliveries } from '../webhooks/log.ts'
import {
  type ResendFilter,
  countMissed,
  countResendable,
  resendBatch,
  resendDelivery,
  resendable,
} from '../webhooks/resend.ts'
import { COUNTED_MOST, findStanding, listStandings } from '../webhooks/standing.ts'
import { type Actor, audit } from './audit.ts'
import { CallRefused } from './call-refused.ts'
import { changing, missing, reading, router } from './trpc.ts'

const says = keptSentences({
  endpointId: { en: 'is not the id of an endpoint', ar: 'ليس معرّف نقطة' },
  deliveryId: { en: 'is not the id of a delivery', ar: 'ليس معرّف عملية تسليم' },
  type: { en: 'is not a type of event', ar: 'ليس نوعًا من الأحداث' },
  instant: { en: 'must be a time with its zone', ar: 'يجب أن يكون وقتًا مع منطقته الزمنية' },
  backwards: { en: 'must be later than the beginning', ar: 'يجب أن يكون بعد البداية' },
  noneChosen: { en: 'choose at least one', ar: 'اختر واحدًا على الأقل' },
  about: {
    en: 'must be the complete id of an event (webhook-id), a message or a confirmation',
    ar: 'يجب أن يكون معرّفًا كاملًا لحدث أو رسالة أو تأكيد',
  },
  noUrl: {
    en: 'Give the address that webhooks are sent to, such as {example}.',
    ar: 'اكتب العنوان الذي تُرسل إليه الإشعارات، مثل {example}.',
  },
})

const endpointId = z.uuid(says.endpointId.en)
const deliveryId = z.uuid(says.deliveryId.en)
const type = z.enum(Object.keys(eventTypes) as [EventType, ...EventType[]], says.type.en).optional()
const instant = z.iso.datetime({ offset: true, error: says.instant.en }).transform((text) => new Date(text))
const named = z.object({ endpointId })

const rangeIsForward = ({ from, to }: { from?: Date | undefined; to?: Date | undefined }): boolean =>
  !from || !to || from < to
const RANGE_FAULT = { message: says.backwards.en, path: ['to'] }

const chosen = z
  .object({
    endpointId,
    statuses: z
      .array(z.enum(resendable))
      .min(1, says.noneChosen.en)
      .max(resendable.length)
      .transform((each) => [...new Set(each)]),
    type,
    from: instant.optional(),
    to: instant.optional(),
  })
  .refine(rangeIsForward, RANGE_FAULT)

const shown = z
  .object({
    endpointId,
    status: z.enum(deliveryStatuses).optional(),
    type,
    from: instant.optional(),
    to: instant.optional(),
    about: z.uuid(says.about.en).optional(),
    cursor: z.uuid().optional(),
  })
  .refine(rangeIsForward, RANGE_FAULT)

export const endpoints = router({
  /** Every endpoint and how it fares. */
  list: reading.query(async ({ ctx: { parts, figures }, input: { workspaceId } }) => {
    const [all, standings] = await Promise.all([
      listEndpoints(parts.db, workspaceId),
      listStandings(figures, workspaceId),
    ])
    const standingOf = new Map(standings.map((standing) => [standing.endpointId, standing]))
    return {
      most: ENDPOINTS_PER_WORKSPACE,
      countedMost: COUNTED_MOST,
      endpoints: all.map((endpoint) => ({ ...endpoint, standing: standingOf.get(endpoint.endpointId) ?? null })),
    }
  }),

  find: reading.input(named).query(async ({ ctx: { parts, figures, language }, input }) => {
    const lastFailure = await findLastFailure(figures, input)
    return {
      ...(await mustFind(parts.db, input)),
      standing: (await findStanding(figures, input)) ?? null,
      countedMost: COUNTED_MOST,
      lastFailure: lastFailure ? toldIn(language, lastFailure) : null,
    }
  }),

  /** The secret is in this answer and nowhere else. */
  add: changing
    .input(
      z.object({
        url: z
          .string()
          .trim()
          .min(1, says.noUrl({ example: 'https://example.com/path' }).en)
          .max(URL_LENGTH_MOST, urlTooLong.en),
      }),
    )
    .mutation(({ ctx: { parts, actor }, input: { workspaceId, url } }) =>
      addEndpoint(parts, { workspaceId, url }, (tx, added) =>
        audit(
          tx,
          { actor, at: parts.clock.now() },
          { workspaceId, action: 'endpoint.added', target: added.endpointId, after: { url: added.url } },
        ),
      ),
    ),

  pause: changing.input(named).mutation(async ({ ctx: { parts, actor }, input }) => {
    await mustBe(parts.db, input, ['enabled'])
    await pauseEndpoint(parts, input, noted(parts, actor, { ...input, action: 'endpoint.paused' }))
  }),

  /** Lets new events through again, after a pause or when failures disabled the endpoint. What was held stays held. */
  enable: changing.input(named).mutation(async ({ ctx: { parts, actor }, input }) => {
    const { status, statusReason, failingSince } = await mustBe(parts.db, input, ['paused', 'disabled'])
    const before = { status, reason: statusReason, failingSince }
    if (status === 'paused') {
      await resumeEndpoint(parts, input, noted(parts, actor, { ...input, action: 'endpoint.resumed', before }))
    } else {
      await enableEndpoint(parts, input, noted(parts, actor, { ...input, action: 'endpoint.enabled', before }))
    }
  }),

  /** The new secret is in this answer and nowhere else. */
  rotate: changing.input(named).mutation(async ({ ctx: { parts, actor }, input }) => {
    await mustFind(parts.db, input)
    return parts.db.transaction(async (tx) => {
      const rotated = await rotateSecret({ ...parts, db: tx }, input)
      const after = { previousSecretUntil: rotated.previousSecretUntil }
      await noted(parts, actor, { ...input, action: 'endpoint.secret_rotated', after })(tx)
      return rotated
    })
  }),

  /** Sends a test event. Its delivery tells what comes of it. */
  ping: changing.input(named).mutation(async ({ ctx: { parts, actor }, input }) => {
    await mustBe(parts.db, input, ['enabled'])
    return pingEndpoint(parts, input, noted(parts, actor, { ...input, action: 'endpoint.pinged' }))
  }),

  deliveries: reading
    .input(shown)
    .query(async ({ ctx: { parts, figures, language }, input: { cursor, ...filter } }) => {
      await mustFind(parts.db, filter)
      const { deliveries, next } = await listDeliveries(figures, { ...filter, before: cursor })
      return { deliveries: deliveries.map((each) => toldIn(language, each)), next }
    }),

  delivery: reading.input(z.object({ endpointId, deliveryId })).query(async ({ ctx: { parts, language }, input }) => {
    const delivery = await findWholeDelivery(parts.db, input)
    if (!delivery) throw missing('delivery')
    return { ...delivery, tries: delivery.tries.map((each) => toldIn(language, each)) }
  }),

  /** Sends one once more, whatever came of it; one that waits for its next attempt is attempted now. */
  resend: changing
    .input(z.object({ endpointId, deliveryId }))
    .mutation(async ({ ctx: { parts, actor }, input: { workspaceId, endpointId, deliveryId } }) => {
      const delivery = await findWholeDelivery(parts.db, { workspaceId, endpointId, deliveryId })
      if (!delivery) throw missing('delivery')
      await mustBe(parts.db, { workspaceId, endpointId }, ['enabled'])
      await parts.db.transaction(async (tx) => {
        await resendDelivery({ ...parts, db: tx, wake: () => {} }, { workspaceId, deliveryId })
        const { eventId, status } = delivery
        const change = { workspaceId, endpointId, action: 'endpoint.resent_one', before: { eventId, status } }
        await noted(parts, actor, change)(tx)
      })
      parts.wake('deliver')
    }),

  /** What catching up would send, whatever the status of the endpoint; `at` begins the run. */
  missed: reading.input(named).query(async ({ ctx: { parts, figures }, input }) => {
    await mustFind(parts.db, input)
    const at = parts.clock.now()
    return { at, ...(await countMissed(figures, input)) }
  }),

  /** How many the choice would send; `at` begins the run. */
  countChosen: reading.input(chosen).query(async ({ ctx: { parts, figures }, input }) => {
    await mustBe(parts.db, input, ['enabled'])
    const at = parts.clock.now()
    return { at, total: await countResendable({ db: figures, clock: { now: () => at } }, filterOf(input)) }
  }),

  /** One batch of a run: the page asks for the next until there is no more, shows how far it is, and can stop. */
  resendChosen: changing
    .input(chosen.safeExtend({ at: instant }))
    .mutation(async ({ ctx: { parts, actor }, input: { at, ...choice } }) => {
      await mustBe(parts.db, choice, ['enabled'])
      const now = parts.clock.now()
      const startedAt = at < now ? at : now
      const filter = filterOf(choice)
      const batch = await parts.db.transaction(async (tx) => {
        const done = await resendBatch({ db: tx, clock: parts.clock }, { ...filter, startedAt })
        const { statuses, type, from, to } = filter
        const after = { resent: done.resent, statuses, type, from, to }
        const { workspaceId, endpointId } = choice
        if (done.resent > 0)
          await noted(parts, actor, { workspaceId, endpointId, action: 'endpoint.resent', after })(tx)
        return done
      })
      parts.wake('deliver')
      return batch
    }),
})

/** An attempt with why no answer came. */
const toldIn = <Attempt extends { error: string | null }>(language: Language, attempt: Attempt): Attempt => ({
  ...attempt,
  error: attempt.error && readSentence(attempt.error)[language],
})

type Choice = EndpointId & z.output<typeof chosen>

const filterOf = ({ workspaceId, endpointId, statuses, type, from, to }: Choice): ResendFilter => ({
  workspaceId,
  endpointId,
  statuses,
  ...(type && { type }),
  ...(from && { from }),
  ...(to && { to }),
})

async function mustFind(sql: Sql, { workspaceId, endpointId }: EndpointId): Promise<Endpoint> {
  const endpoint = await findEndpoint(sql, { workspaceId, endpointId })
  if (!endpoint) throw missing('endpoint')
  return endpoint
}

const instead = sentences({
  enabled: {
    en: 'The endpoint is enabled already. Somebody else may have changed it: look at it again.',
    ar: 'النقطة مفعّلة من قبل. ربما غيّرها شخص آخر: انظر إليها مجددًا.',
  },
  paused: { en: 'The endpoint is paused. Resume it first.', ar: 'النقطة موقوفة مؤقتًا. استأنفها أولًا.' },
  disabled: {
    en: 'The endpoint is disabled because it failed. Enable it again first.',
    ar: 'النقطة معطّلة لأنها فشلت. فعّلها مجددًا أولًا.',
  },
})

/** The domain's own refusals name commands; here there are buttons. */
async function mustBe(sql: Sql, id: EndpointId, statuses: readonly EndpointStatus[]): Promise<Endpoint> {
  const endpoint = await mustFind(sql, id)
  if (statuses.includes(endpoint.status)) return endpoint
  throw new CallRefused('CONFLICT', instead[endpoint.status])
}

type Noted = EndpointId & { action: string; before?: object; after?: object }

const noted =
  ({ clock }: Pick<Parts, 'clock'>, actor: Actor, { workspaceId, endpointId, action, before, after }: Noted) =>
  (tx: Sql): Promise<void> =>
    audit(
      tx,
      { actor, at: clock.now() },
      { workspaceId, action, target: endpointId, ...(before && { before }), ...(after && { after }) },
    )
