import { type TRPCError, initTRPC } from '@trpc/server'
import { z } from 'zod'
import { FieldError, ApiError, UserError } from '../../lib/errors.ts'
import { type Sql, isTemporary } from '../../lib/db/pool.ts'
import { redactError } from '../../lib/http/redact-error.ts'
import { findUnstorableText } from '../../lib/http/faults.ts'
import type { Parts } from '../../runtime/parts.ts'
import { type CodedText, plainText, readIssue } from '../../../locales/text.ts'
import { type Action, type ActionInput, type Operator, perform } from '../actions/action.ts'
import type { Examiner } from '../../operations/doctor/examiner.ts'
import { CallError, type InputFault } from './errors.ts'
import { type MemberRole, findMembership, hasRole } from '../auth/members.ts'
import type { Person } from '../auth/person.ts'
import type { UserConcurrency } from './user-concurrency.ts'

export type Context = {
  parts: Parts
  /** A small pool for queries over many rows, limited for each user; these are planned on every execution. */
  figures: Sql
  /** Limits the concurrent calls of each user. */
  calls: UserConcurrency
  person: Person | undefined
  doctor: Examiner
  correlationId: string
}

type Meta = {
  /** The lowest role that may make this call of a workspace. */
  minRole?: MemberRole
  /** A mutation that changes nothing of the workspace: no page reloads its data. */
  changesNothing?: true
}

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    errorFormatter({ shape, error }) {
      const { code, httpStatus } = shape.data
      // tRPC's own messages mean nothing to a user of the dashboard.
      const text: CodedText = error instanceof CallError ? error.text : { code: 'admin.not_known' }
      return { ...shape, data: { code, httpStatus, text, faults: faultsOf(error.cause) } }
    },
  })

const faultsOf = (cause: unknown): InputFault[] =>
  cause instanceof z.ZodError
    ? cause.issues.map(({ path, message }) => ({
        path: path.map(String).join('.'),
        text: readIssue(message) ?? { code: 'http.not_valid' },
      }))
    : cause instanceof ApiError
      ? cause.faults.map(({ pointer, detail }) => ({ path: pointer.slice(1).replaceAll('/', '.'), text: detail }))
      : cause instanceof FieldError
        ? cause.faults.flatMap(({ field, message }) => (field === null ? [] : [{ path: field, text: message }]))
        : []

export const router = t.router

/** Turns every error into text for the user. An internal error is logged, and the answer shows only its id. */
const plainErrors = t.middleware(async ({ ctx, next, path }) => {
  const result = await next()
  if (!result.ok) throw plain(result.error, ctx, path)
  return result
})

function plain(error: TRPCError, { parts, correlationId }: Context, path: string): TRPCError {
  const cause = error.cause
  if (cause instanceof UserError || cause instanceof ApiError)
    return new CallError(cause.code === 'NOT_FOUND' ? 'NOT_FOUND' : 'BAD_REQUEST', cause.text, cause)
  if (cause instanceof z.ZodError) return new CallError('BAD_REQUEST', { code: 'admin.form_faulty' }, cause)
  if (error.code !== 'INTERNAL_SERVER_ERROR') return error
  if (isTemporary(cause)) return new CallError('SERVICE_UNAVAILABLE', { code: 'admin.no_database' })
  parts.log.error({ correlationId, path, fault: redactError(cause) }, 'a dashboard call failed with an internal error')
  return new CallError('INTERNAL_SERVER_ERROR', { code: 'admin.internal_error', correlationId })
}

/** Rejects text that PostgreSQL cannot store, in any field of any call. */
const storableInput = t.middleware(async ({ getRawInput, next }) => {
  // A call without input has none to read; for other calls the schema reports missing input.
  const faults = findUnstorableText(await getRawInput().catch(() => undefined))
  if (faults.length > 0) {
    throw new ApiError('DEVELOPER_INVALID_INPUT', { code: 'admin.not_kept' }, faults)
  }
  return next()
})

/** Open to everyone: only what signing in needs. */
export const publicCall = t.procedure.use(plainErrors).use(storableInput)

export const signedInCall = publicCall.use(({ ctx, next }) => {
  if (!ctx.person) throw new CallError('UNAUTHORIZED', { code: 'admin.signed_out' })
  const { person, calls } = ctx
  const { userId, email } = person
  const operator: Operator = { ...ctx.parts, actor: { userId, who: email } }
  return calls(userId, () => next({ ctx: { ...ctx, person, operator } }))
})

/**
 * For members of the input's workspace with at least this role, read from the database on each call. The rest of the
 * input is validated afterwards, so a caller without the role learns nothing about it.
 */
const workspaceCall = (minRole: MemberRole) =>
  signedInCall
    .meta({ minRole })
    .input(z.object({ workspaceId: z.uuid() }))
    .use(async ({ ctx, input: { workspaceId }, next, type, meta }) => {
      const membership = await findMembership(ctx.parts.db, { userId: ctx.person.userId, workspaceId })
      if (!membership) throw new CallError('NOT_FOUND', { code: 'admin.no_workspace' })
      if (!hasRole(membership.role, minRole))
        throw new CallError('FORBIDDEN', {
          code: 'admin.role',
          required: plainText(`admin.role_${minRole}`),
          role: plainText(`admin.role_${membership.role}`),
        })
      const result = await next({ ctx: { ...ctx, membership } })
      if (type === 'mutation' && !meta?.changesNothing && result.ok) ctx.parts.live.changed([workspaceId])
      return result
    })

/** Members read, admins change, and owners also change people and quotas, export and erase recipients, and delete the workspace. */
export const readCall = workspaceCall('member')
export const writeCall = workspaceCall('admin')

/** Calls about the whole instance. Other people get the answer for a workspace that does not exist. */
export const operatorCall = readCall.use(({ ctx, next }) => {
  if (!ctx.membership.operator) throw new CallError('NOT_FOUND', { code: 'admin.no_workspace' })
  return next()
})
export const ownerCall = workspaceCall('owner')

const CALLS = { member: readCall, admin: writeCall, owner: ownerCall }

/** A call with the role and the input of an action. */
export const callOf = <Input extends z.ZodObject>({ minRole, input }: Action<Input, unknown>) =>
  CALLS[minRole].input<Input>(input as never) // tRPC cannot check a schema whose type it does not know

/** A middleware that may reject a call before its action runs. */
type Guard = { readonly _middlewares: unknown }

const mutationOf = <Input extends z.ZodObject, Result>(action: Action<Input, Result>, guard: Guard | undefined) => {
  const call = callOf(action)
  const guarded = guard ? (call.use(guard as never) as unknown as typeof call) : call
  type Performed = { ctx: { operator: Operator }; input: ActionInput<Input> }
  return guarded.mutation<Result>((({ ctx, input }: Performed) => perform(action, ctx.operator, input)) as never)
}

type Actions = Readonly<Record<string, { run: (operator: Operator, input: never) => Promise<unknown> }>>
type MutationOf<Each> =
  Each extends Action<infer Input, infer Result> ? ReturnType<typeof mutationOf<Input, Result>> : never
type CallsOf<All> = {
  [Name in keyof All as All[Name] extends { onlyForCommands: true } ? never : Name]: MutationOf<All[Name]>
}

/** The calls of a noun's actions, by name. A call that needs more than a guard is written after them. */
export const callsOf = <All extends Actions>(all: All, guards: { [Name in keyof All]?: Guard } = {}): CallsOf<All> =>
  Object.fromEntries(
    Object.entries(all)
      .filter(([, action]) => !('onlyForCommands' in action))
      .map(([name, action]) => [name, mutationOf(action as never, guards[name])]),
  ) as CallsOf<All>
