import { TRPCError, initTRPC } from '@trpc/server'
import { z } from 'zod'
import { type Sql, isDatabaseUnavailable } from '../db.ts'
import { Refusal } from '../errors.ts'
import { faultOfOurs } from '../http/fault-of-ours.ts'
import { unstorableText } from '../http/faults.ts'
import type { Parts } from '../parts.ts'
import type { Language } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import { WorkspaceUnknown } from '../workspaces/keys.ts'
import { findMembership } from './membership.ts'
import type { Person } from './person.ts'
import { type MemberRole, mayAct } from './roles.ts'
import type { Turns } from './turns.ts'

/** What each call knows before it begins. */
export type Context = {
  parts: Parts
  /** A few connections of their own for questions over many rows; the planner decides. Each person asks in turn. */
  figures: Sql
  /** Of each person so many at once. */
  calls: Turns
  /** Undefined: nobody is signed in. */
  person: Person | undefined
  /** Of the page: in which the call is answered. */
  language: Language
  correlationId: string
}

/** What a form shows beside its fields. */
export type InputFault = { path: string; message: string }

type Meta = {
  /** The least role that it takes, where it is of a workspace. */
  least?: MemberRole
  /** A mutation because its input is longer than an address may be. */
  changesNothing?: true
}

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    errorFormatter({ shape, error }) {
      const { code, httpStatus } = shape.data
      return { ...shape, data: { code, httpStatus, faults: faultsOf(error.cause) } }
    },
  })

const faultsOf = (cause: unknown): InputFault[] =>
  cause instanceof z.ZodError
    ? cause.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }))
    : cause instanceof Refusal
      ? cause.faults.map(({ pointer, detail }) => ({ path: pointer.slice(1).replaceAll('/', '.'), message: detail }))
      : []

export const router = t.router

/** Says in one sentence what went wrong and what to do. A fault of ours is logged and says nothing of itself. */
const plainErrors = t.middleware(async ({ ctx, next, path }) => {
  const result = await next()
  if (!result.ok) throw plain(result.error, ctx, path)
  return result
})

function plain(error: TRPCError, { parts, correlationId }: Context, path: string): TRPCError {
  const cause = error.cause
  if (cause instanceof SetupRefused) return new TRPCError({ code: 'BAD_REQUEST', message: cause.message, cause })
  if (cause instanceof Refusal) return new TRPCError({ code: 'BAD_REQUEST', message: cause.message, cause })
  if (cause instanceof WorkspaceUnknown) return missing('workspace')
  if (cause instanceof z.ZodError) {
    return new TRPCError({ code: 'BAD_REQUEST', message: 'Something in the form has to be changed.', cause })
  }
  if (error.code !== 'INTERNAL_SERVER_ERROR') return error
  if (isDatabaseUnavailable(cause)) {
    return new TRPCError({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The database cannot be reached right now. Nothing was changed; try again in a moment.',
    })
  }
  parts.log.error({ correlationId, path, fault: faultOfOurs(cause) }, 'a dashboard call met a fault of ours')
  return new TRPCError({
    code: 'INTERNAL_SERVER_ERROR',
    message: `Doorcode met a fault of its own. The log tells more under ${correlationId}.`,
  })
}

/** Another workspace's thing answers exactly like a missing one. */
export const missing = (thing: string): TRPCError =>
  new TRPCError({ code: 'NOT_FOUND', message: `There is no such ${thing} in this workspace.` })

/** Of somebody's own account. */
export const missingOfYours = (thing: string): TRPCError =>
  new TRPCError({ code: 'NOT_FOUND', message: `You have no such ${thing}.` })

/** What the database cannot hold is refused once for all calls, in whichever field it stands. */
const storableInput = t.middleware(async ({ getRawInput, next }) => {
  // Of a call that takes nothing there may be nothing to read; of the others their schemas say so.
  const faults = unstorableText(await getRawInput().catch(() => undefined))
  if (faults.length > 0) {
    throw new Refusal('DEVELOPER_INVALID_INPUT', 'This holds a character that cannot be kept. Write it anew.', faults)
  }
  return next()
})

/** For whoever comes: only what signing in itself needs. */
export const anybody = t.procedure.use(plainErrors).use(storableInput)

export const signedIn = anybody.use(({ ctx, next }) => {
  if (!ctx.person) throw new TRPCError({ code: 'UNAUTHORIZED', message: 'You are not signed in.' })
  const { person, calls } = ctx
  const { userId, email } = person
  return calls(userId, () => next({ ctx: { ...ctx, person, actor: { userId, who: email } } }))
})

/**
 * For members of the workspace that the input names, asked anew on each call, with at least this role. What a procedure
 * takes beside is looked at afterwards: whoever may not call it learns nothing of what it takes.
 */
export const inWorkspace = (least: MemberRole) =>
  signedIn
    .meta({ least })
    .input(z.object({ workspaceId: z.uuid() }))
    .use(async ({ ctx, input, next, type, meta }) => {
      const membership = await findMembership(ctx.parts.db, {
        userId: ctx.person.userId,
        workspaceId: input.workspaceId,
      })
      if (!membership) throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such workspace.' })
      if (!mayAct(membership.role, least)) {
        throw new TRPCError({
          code: 'FORBIDDEN',
          message: `This takes the role ${least}, and yours here is ${membership.role}. An owner can change it.`,
        })
      }
      const result = await next({ ctx: { ...ctx, membership } })
      // Others who look at it see what was changed here.
      if (type === 'mutation' && !meta?.changesNothing && result.ok) ctx.parts.live.changed([input.workspaceId])
      return result
    })

/** member: reads. */
export const reading = inWorkspace('member')
/** admin: changes. */
export const changing = inWorkspace('admin')
/** owner: people and allowances. */
export const owning = inWorkspace('owner')
