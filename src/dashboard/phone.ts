import { z } from 'zod'
import { MINUTE_MS, SECOND_MS, later } from '../clock.ts'
import { refusalCheckAccepting } from '../cod/accept-refusal.ts'
import { confirmationAccepting } from '../cod/accept.ts'
import { confirmationBody, refusalCheckBody } from '../cod/routes.ts'
import type { Sql } from '../db.ts'
import { must } from '../http/fields.ts'
import { otpAccepting } from '../otp/accept.ts'
import { otpBody } from '../otp/routes.ts'
import type { Parts } from '../parts.ts'
import { type CustomerOf, listDueOfCustomer, listOrdersOfCustomer } from '../sandbox/due-of-customer.ts'
import { ADVANCE_MOST_MS, advanceSandbox } from '../sandbox/advance.ts'
import { findDueOf } from '../sandbox/due.ts'
import { getSandboxOffset } from '../sandbox/move-clock.ts'
import { listClockMoves } from '../sandbox/workspace-time.ts'
import { keptSentences } from '../sentences.ts'
import type { TemplateUse } from '../templates/draft.ts'
import { parametersOf } from '../templates/parameters.ts'
import { findStoredTemplate, listStoredTemplates } from '../templates/stored.ts'
import { listLatestDeliveries } from '../webhooks/latest.ts'
import { type Actor, type Change, audit } from './audit.ts'
import { CallRefused } from './call-refused.ts'
import { changing, missing, reading, router } from './trpc.ts'
import { findTwin } from './twin.ts'

/** How long somebody waits for the clock; an endpoint that hangs can take longer than anybody looks at a page. */
export const JUMP_MOST_MS = 90 * SECOND_MS
/** A span that somebody types. */
const SPAN_LEAST_MS = MINUTE_MS / 2
/** Templates of each use to choose from. */
const TEMPLATES_MOST = 20

/** What is sent from the page has no key: this stands in its place wherever a request is explained. */
export const SENT_BY_HAND = 'dashboard'

const says = keptSentences({
  live: {
    en: 'This workspace is a live one, and its phones are in people’s hands. Look at a sandbox instead.',
    ar: 'مساحة العمل هذه فعلية، وهواتفها في أيدي الناس. انظر إلى مساحة تجريبية بدلًا منها.',
  },
  phone: {
    en: 'must be a phone number with its + and country',
    ar: 'يجب أن يكون رقم هاتف مع علامة + ورمز البلد',
  },
  number: { en: 'must be the id of a number', ar: 'يجب أن يكون معرّف رقم' },
  tooShort: { en: 'must be at least half a minute', ar: 'نصف دقيقة على الأقل' },
  tooLong: { en: 'must be at most 90 days', ar: '90 يومًا على الأكثر' },
})

const onlySandbox = (sandbox: boolean): void => {
  if (sandbox) return
  throw new CallRefused('NOT_FOUND', says.live)
}

/** Members look, and tap (twin-proxy.ts). Whoever moves the clock or sends changes what all of them work with. */
const looking = reading.use(({ ctx, next }) => {
  onlySandbox(ctx.membership.sandbox)
  return next()
})
const acting = changing.use(({ ctx, next }) => {
  onlySandbox(ctx.membership.sandbox)
  return next()
})

const customer = {
  phone: z.string().regex(/^\+\d{7,15}$/, says.phone.en),
  number: z.string().regex(/^\d{1,40}$/, says.number.en),
}

export const phone = router({
  /** Whether there is a phone to look at, and the workspace's time. */
  state: looking.query(async ({ ctx: { parts }, input: { workspaceId } }) => {
    const [twin, moves, offsetMs] = await Promise.all([
      findTwin(parts, workspaceId),
      listClockMoves(parts.db, workspaceId),
      getSandboxOffset(parts.db, workspaceId),
    ])
    return {
      hasTwin: twin !== undefined,
      now: later(parts.clock.now(), offsetMs),
      offsetMs,
      moves: moves.map(({ moved_at, by_ms }) => ({ movedAt: moved_at, byMs: by_ms })),
      baseUrl: `${parts.config.publicUrl}/api/v1`,
    }
  }),

  /** What happens next: to the orders of the open customer, and in the workspace. Times are the workspace's. */
  due: looking
    .input(z.object({ customer: z.object(customer).nullable() }))
    .query(async ({ ctx: { parts }, input: { workspaceId, customer } }) => {
      const offsetMs = await getSandboxOffset(parts.db, workspaceId)
      const now = parts.clock.now()
      const ofCustomer = customer ? await listDueOfCustomer(parts.db, asked(workspaceId, customer)) : []
      const ofAll = await findDueOf(parts.db, workspaceId, now)
      return {
        customer: ofCustomer.map((due) => ({ ...due, at: later(due.at, offsetMs), inMs: inMs(due.at, now) })),
        next: ofAll
          .flatMap(({ kind, nextAt }) =>
            nextAt ? [{ kind, at: later(nextAt, offsetMs), inMs: inMs(nextAt, now) }] : [],
          )
          .sort((one, other) => one.inMs - other.inMs),
      }
    }),

  orders: looking
    .input(z.object(customer))
    .query(({ ctx: { parts }, input: { workspaceId, ...customer } }) =>
      listOrdersOfCustomer(parts.db, asked(workspaceId, customer)),
    ),

  webhooks: looking.query(({ ctx: { parts }, input: { workspaceId } }) => listLatestDeliveries(parts.db, workspaceId)),

  /** What can be sent from a number, and with what. */
  sendable: looking
    .input(z.object({ number: customer.number }))
    .query(async ({ ctx: { parts }, input: { workspaceId, number } }) => {
      const found = (await findTwin(parts, workspaceId))?.numbers.get(number)
      if (!found) throw missing('number')
      const { senderId, accountId } = found
      const of = (use: TemplateUse) => listSendable(parts.db, { workspaceId, accountId, use })
      const [otp, confirmation, refusal] = await Promise.all([of('otp'), of('confirmation'), of('refusal')])
      return { senderId, templates: { otp, confirmation, refusal } }
    }),

  /**
   * Moves the clock by a span, or to something that is due for a customer. It may stop before: then `advancedBy` is less
   * than `askedMs`, and the rest is asked for anew.
   */
  advance: acting
    .input(
      z.object({
        to: z.union([
          z.object({
            byMs: z.int(must.beWhole.en).min(SPAN_LEAST_MS, says.tooShort.en).max(ADVANCE_MOST_MS, says.tooLong.en),
          }),
          z.object({
            ...customer,
            confirmationId: z.uuid(),
            check: z.enum(['confirmation', 'refusal']),
            timer: z.enum(['reminder', 'deadline', 'expiry']),
          }),
        ]),
      }),
    )
    .mutation(async ({ ctx: { parts, actor }, input: { workspaceId, to } }) => {
      const askedMs = 'byMs' in to ? to.byMs : await untilDue(parts, workspaceId, to)
      const note = (sql: Sql, change: Pick<Change, 'action' | 'after'>): Promise<void> =>
        audit(sql, { actor, at: parts.clock.now() }, { workspaceId, target: workspaceId, ...change })
      const advanced = await advanceSandbox(parts, {
        workspaceId,
        byMs: askedMs,
        signal: AbortSignal.timeout(JUMP_MOST_MS),
        alongside: (tx) => note(tx, { action: 'clock.advance_asked', after: { byMs: askedMs } }),
      })
      const { advancedBy: byMs, now } = advanced
      if (byMs > 0) await note(parts.db, { action: 'clock.advanced', after: { byMs, now } })
      return { ...advanced, askedMs }
    }),

  /** The three requests of the API, by the functions that answer them there; only the key is missing. */
  sendOtp: acting
    .input(z.object({ body: otpBody }))
    .mutation(({ ctx: { parts, actor, correlationId }, input: { workspaceId, body } }) => {
      const { to, senderId, template, code, reference = null } = body
      const by = { workspaceId, apiKeyId: SENT_BY_HAND, correlationId, idempotencyKey: null }
      const request = { ...by, recipient: to, senderId, template, code, reference }
      const after = { to, template, reference }
      return send(
        { parts, actor },
        (within) => otpAccepting(within)(request),
        ({ messageId }) => ({
          workspaceId,
          action: 'otp.sent',
          target: messageId,
          after,
        }),
      )
    }),

  sendConfirmation: acting
    .input(z.object({ body: confirmationBody }))
    .mutation(({ ctx: { parts, actor, correlationId }, input: { workspaceId, body } }) => {
      const { to, senderId, template, parameters = {}, reference } = body
      const by = { workspaceId, apiKeyId: SENT_BY_HAND, correlationId, idempotencyKey: null }
      const request = { ...by, recipient: to, senderId, template, parameters, reference }
      const after = { to, template, reference }
      return send(
        { parts, actor },
        (within) => confirmationAccepting(within)(request),
        ({ confirmationId }) => ({
          workspaceId,
          action: 'confirmation.sent',
          target: confirmationId,
          after,
        }),
      )
    }),

  sendRefusalCheck: acting
    .input(z.object({ confirmationId: z.uuid(), body: refusalCheckBody }))
    .mutation(({ ctx: { parts, actor, correlationId }, input: { workspaceId, confirmationId, body } }) => {
      const { template, parameters = {} } = body
      const by = { workspaceId, apiKeyId: SENT_BY_HAND, correlationId, idempotencyKey: null }
      const request = { ...by, confirmationId, template, parameters }
      const change = { workspaceId, action: 'refusal_check.sent', target: confirmationId, after: { template } }
      return send(
        { parts, actor },
        (within) => refusalCheckAccepting(within)(request),
        () => change,
      )
    }),
})

/** The parts on which a request is accepted within a transaction: nobody is told of it before the commit. */
type Within = Omit<Parts, 'db'> & { db: Sql }

/** Accepts a request in one transaction with its audit entry; what comes by the API goes in groups that have none. */
async function send<Acceptance>(
  { parts, actor }: { parts: Parts; actor: Actor },
  accept: (within: Within) => Promise<Acceptance>,
  changeOf: (accepted: Acceptance) => Change,
): Promise<Acceptance> {
  const accepted = await parts.db.transaction(async (tx) => {
    const accepted = await accept({ ...parts, db: tx, wake: () => {}, live: { ...parts.live, changed: () => {} } })
    await audit(tx, { actor, at: parts.clock.now() }, changeOf(accepted))
    return accepted
  })
  parts.wake('submit')
  return accepted
}

const asked = (workspaceId: string, { phone, number }: { phone: string; number: string }): CustomerOf => ({
  workspaceId,
  recipient: phone,
  phoneNumberId: number,
})

const inMs = (at: Date, now: Date): number => Math.max(0, at.getTime() - now.getTime())

type Timer = { phone: string; number: string; confirmationId: string; check: string; timer: string }

async function untilDue({ db, clock }: Parts, workspaceId: string, to: Timer): Promise<number> {
  const due = await listDueOfCustomer(db, asked(workspaceId, to))
  const found = due.find(
    ({ confirmationId, check, timer }) =>
      confirmationId === to.confirmationId && check === to.check && timer === to.timer,
  )
  if (!found) throw missing('thing due any more')
  return Math.min(ADVANCE_MOST_MS, Math.max(1, inMs(found.at, clock.now())))
}

type Use = { workspaceId: string; accountId: string; use: TemplateUse }

async function listSendable(sql: Sql, { workspaceId, accountId, use }: Use) {
  const { templates } = await listStoredTemplates(sql, { workspaceId, use })
  const ofAccount = templates.filter((template) => template.accountId === accountId).slice(0, TEMPLATES_MOST)
  const whole = await Promise.all(
    ofAccount.map(({ name, language }) => findStoredTemplate(sql, { workspaceId, accountId, name, language })),
  )
  return whole.flatMap((template) => {
    if (!template) return []
    const { name, language, components } = template
    const textIn = (type: string): string => components.find((each) => each.type === type)?.text ?? ''
    const [header = null] = parametersOf(textIn('HEADER')).names
    return [{ name, language, header, body: parametersOf(textIn('BODY')), text: textIn('BODY') }]
  })
}
