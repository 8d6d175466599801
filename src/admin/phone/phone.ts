import { experimental_standaloneMiddleware } from '@trpc/server'
import { z } from 'zod'
import type { CodedText } from '../../../locales/text.ts'
import { later } from '../../lib/clock.ts'
import { createRefusalCheckAcceptor } from '../../cod/accept-refusal.ts'
import { createConfirmationAcceptor } from '../../cod/accept.ts'
import { confirmationBody, refusalCheckBody } from '../../cod/routes.ts'
import { otpBody } from '../../otp/routes.ts'
import { normalizePhone, phoneFault } from '../../lib/phone/phone.ts'
import { listDueOfCustomer, listConfirmationsOfCustomer } from '../../sandbox/customer-due.ts'
import { listDueWork } from '../../sandbox/due.ts'
import { listClockMoves } from '../../workspaces/workspace-time.ts'
import { sandboxActions } from '../actions/sandbox.ts'
import type { Membership } from '../auth/members.ts'
import { found } from '../actions/found.ts'
import { CallError } from '../rpc/errors.ts'
import { callsOf, readCall, router, writeCall } from '../rpc/trpc.ts'
import { act, actInput, customer, listEntries } from './chats.ts'
import { findEmulator } from '../../sandbox/emulator.ts'
import { hasSent, mustBeFree } from '../../sandbox/work.ts'
import { connectEmulator } from './own-account.ts'
import { type Accept, acceptRecorded, requestedBy, sendOtp } from './send.ts'
import { listLatestDeliveries } from '../../explain/deliveries.ts'
import type { TemplateUse } from '../../providers/template-draft.ts'
import { testReceiverUrl } from '../../webhooks/test-receiver.ts'
import { verdictsOf } from '../../accounts/templates/usability.ts'
import { listApprovedTemplates, type ApprovedTemplate } from '../../accounts/templates/stored.ts'

/** The length of a typed phone number. */
const MAX_TYPED = 50
/** For each use. */
const MAX_TEMPLATES = 20

const onlySandboxes = experimental_standaloneMiddleware<{ ctx: { membership: Membership } }>().create(
  ({ ctx, next }) => {
    if (!ctx.membership.sandbox) throw new CallError('NOT_FOUND', { code: 'admin.live' })
    return next()
  },
)
const sandboxRead = readCall.use(onlySandboxes)

/**
 * Accepts a request as the API does, without a key. Rejected while a demo month is made: the clock goes on by hours each second, so
 * the deadline of an order would pass before its sender sees the question.
 */
const sendCall = writeCall.use(onlySandboxes).use(async ({ ctx, input: { workspaceId }, next }) => {
  const { operator, correlationId } = ctx
  await mustBeFree(operator.db, workspaceId)
  const by = requestedBy({ workspaceId, correlationId })
  const send = <Accepted>(accept: Accept<Accepted>): Promise<Accepted> => acceptRecorded(operator, workspaceId, accept)
  return next({ ctx: { ...ctx, by, send } })
})
/** Members use the phones, because any customer could do the same. Admins move the clock and send. */
const emulatorCall = sandboxRead.use(async ({ ctx, input: { workspaceId }, next }) => {
  const emulator = await findEmulator(ctx.parts.db, workspaceId)
  if (!emulator) throw new CallError('NOT_FOUND', { code: 'admin.no_phones' })
  return next({ ctx: { ...ctx, emulator } })
})

export const phone = router({
  ...callsOf(sandboxActions, { advance: onlySandboxes, fill: onlySandboxes, empty: onlySandboxes }),

  state: sandboxRead.query(async ({ ctx: { parts, membership }, input: { workspaceId } }) => {
    const { clockOffsetMs: offsetMs } = membership
    const moves = await listClockMoves(parts.db, workspaceId)
    const emulator = await findEmulator(parts.db, workspaceId)
    return {
      hasEmulator: emulator !== undefined,
      /** The ids of the workspace's numbers on it. */
      numbers: [...(emulator?.numbers.keys() ?? [])].toSorted(),
      now: later(parts.clock.now(), offsetMs),
      offsetMs,
      moves: moves.map(({ moved_at, by_ms }) => ({ movedAt: moved_at, byMs: by_ms })),
      baseUrl: `${parts.config.publicUrl}/api/v1`,
      testReceiverUrl: testReceiverUrl(parts.config, workspaceId),
    }
  }),

  hasSent: sandboxRead.query(({ ctx: { parts }, input: { workspaceId } }) => hasSent(parts.db, workspaceId)),

  /** One click: the sandbox gets an account of its own on the emulator of this machine. */
  connect: writeCall.use(onlySandboxes).mutation(async ({ ctx: { operator, membership } }) => {
    const { senders, templates } = await connectEmulator(operator, membership)
    return { numbers: senders.length, templates: templates.length }
  }),

  chat: emulatorCall
    .input(z.object(customer))
    .query(({ ctx: { emulator }, input: { phone, number } }) => listEntries(emulator, { phone, number })),

  act: emulatorCall
    .meta({ changesNothing: true })
    .input(z.object({ act: actInput }))
    .mutation(({ ctx: { emulator }, input }) => act(emulator, input.act)),

  /** The next events of the open customer's confirmations and of the workspace, in the workspace's time. */
  due: sandboxRead
    .input(z.object({ customer: z.object(customer).nullable() }))
    .query(async ({ ctx: { parts, membership }, input: { workspaceId, customer } }) => {
      const now = parts.clock.now()
      const ofCustomer = customer ? await listDueOfCustomer(parts.db, { workspaceId, ...customer }) : []
      const ofAll = await listDueWork(parts.db, workspaceId, now)
      const timesOf = (at: Date) => ({ at: later(at, membership.clockOffsetMs), inMs: inMs(at, now) })
      return {
        customer: ofCustomer.map((due) => ({ ...due, ...timesOf(due.at) })),
        next: ofAll
          .flatMap(({ kind, nextAt }) => (nextAt ? [{ kind, ...timesOf(nextAt) }] : []))
          .sort((a, b) => a.inMs - b.inMs),
      }
    }),

  confirmations: sandboxRead
    .input(z.object(customer))
    .query(({ ctx: { parts }, input }) => listConfirmationsOfCustomer(parts.db, input)),

  webhooks: sandboxRead.query(({ ctx: { parts }, input }) => listLatestDeliveries(parts.db, input.workspaceId)),

  /** The number as the API stores it, or why the API would reject it. */
  normalize: sandboxRead
    .input(z.object({ typed: z.string().max(MAX_TYPED) }))
    .query(({ input: { typed } }): { phone: string } | { fault: CodedText } => {
      const phone = normalizePhone(typed)
      return phone === undefined ? { fault: phoneFault(typed) } : { phone }
    }),

  /** The sender of a number and its templates for each use. */
  sendable: emulatorCall
    .input(z.object({ number: customer.number }))
    .query(async ({ ctx: { parts, emulator }, input: { workspaceId, number } }) => {
      const { senderId, accountId } = found(emulator.numbers.get(number), 'number')
      const templates = (await listApprovedTemplates(parts.db, workspaceId)).filter(
        (each) => each.accountId === accountId,
      )
      const listFor = (use: TemplateUse) =>
        templates
          .filter((template) => verdictsOf(template)[use] === null)
          .slice(0, MAX_TEMPLATES)
          .map(toSendable)
      const [otp, confirmation, refusal] = [listFor('otp'), listFor('confirmation'), listFor('refusal')]
      return { senderId, templates: { otp, confirmation, refusal } }
    }),

  sendOtp: sendCall
    .input(z.object({ body: otpBody }))
    .mutation(({ ctx: { operator, by }, input: { body } }) => sendOtp(operator, by, body)),

  sendConfirmation: sendCall
    .input(z.object({ body: confirmationBody }))
    .mutation(({ ctx: { by, send }, input: { body } }) =>
      send(async (within, record) => {
        const { to, parameters = {}, ...request } = body
        const accept = createConfirmationAcceptor(within)
        const accepted = await accept({ ...by, ...request, recipient: to, parameters })
        const after = { recipient: to, template: body.template, reference: body.reference }
        await record({ action: 'confirmation.sent', target: accepted.confirmationId, after })
        return accepted
      }),
    ),

  sendRefusalCheck: sendCall
    .input(z.object({ confirmationId: z.uuid(), body: refusalCheckBody }))
    .mutation(({ ctx: { by, send }, input: { confirmationId, body } }) =>
      send(async (within, record) => {
        const { template, parameters = {} } = body
        const accepted = await createRefusalCheckAcceptor(within)({ ...by, confirmationId, template, parameters })
        await record({ action: 'refusal_check.sent', target: confirmationId, after: { template } })
        return accepted
      }),
    ),
})

const inMs = (at: Date, now: Date): number => Math.max(0, at.getTime() - now.getTime())

/** A template with the parts that a request fills in. */
const toSendable = ({ name, language, components }: ApprovedTemplate) => ({
  name,
  language,
  components: components.filter(({ type }) => type === 'HEADER' || type === 'BODY'),
})
