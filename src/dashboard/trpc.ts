import { type TRPCError, initTRPC } from '@trpc/server'
import { z } from 'zod'
import { type Sql, isDatabaseUnavailable } from '../db.ts'
import { Refusal } from '../errors.ts'
import { faultOfOurs } from '../http/fault-of-ours.ts'
import { unstorableText } from '../http/faults.ts'
import type { Parts } from '../parts.ts'
import { type Language, type Sentence, findSentence, sentences } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import { WorkspaceUnknown } from '../workspaces/keys.ts'
import { CallRefused } from './call-refused.ts'
import { formFaulty } from './field-faults.ts'
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
    errorFormatter({ shape, error, ctx }) {
      const { code, httpStatus } = shape.data
      const language = ctx?.language ?? 'en'
      const message = sentenceOf(error)[language]
      return { ...shape, message, data: { code, httpStatus, faults: faultsIn(language, error.cause) } }
    },
  })

/** What the library says itself tells nobody anything who looks at a page. */
const sentenceOf = (error: TRPCError): Sentence =>
  error instanceof CallRefused ? error.sentence : { ...says.notKnown, en: error.message }

const faultsIn = (language: Language, cause: unknown): InputFault[] =>
  faultsOf(cause).map(({ path, message }) => ({
    path,
    message: language === 'en' ? message : (findSentence(message) ?? says.faulty)[language],
  }))

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
  if (cause instanceof SetupRefused || cause instanceof Refusal)
    return new CallRefused('BAD_REQUEST', cause.sentence, cause)
  if (cause instanceof WorkspaceUnknown) return new CallRefused('NOT_FOUND', says.noWorkspace)
  if (cause instanceof z.ZodError) return new CallRefused('BAD_REQUEST', formFaulty, cause)
  if (error.code !== 'INTERNAL_SERVER_ERROR') return error
  if (isDatabaseUnavailable(cause)) return new CallRefused('SERVICE_UNAVAILABLE', says.noDatabase)
  parts.log.error({ correlationId, path, fault: faultOfOurs(cause) }, 'a dashboard call met a fault of ours')
  return new CallRefused('INTERNAL_SERVER_ERROR', says.faultOfOurs({ correlationId }))
}

/** Another workspace's thing answers exactly like a missing one. */
export const missing = (thing: keyof typeof missingThings): CallRefused =>
  new CallRefused('NOT_FOUND', missingThings[thing])

const missingThings = sentences({
  account: { en: 'There is no such account in this workspace.', ar: 'لا يوجد حساب كهذا في مساحة العمل هذه.' },
  'blocked recipient': {
    en: 'There is no such blocked recipient in this workspace.',
    ar: 'لا يوجد مستلم محظور كهذا في مساحة العمل هذه.',
  },
  confirmation: {
    en: 'There is no such confirmation in this workspace.',
    ar: 'لا يوجد تأكيد كهذا في مساحة العمل هذه.',
  },
  delivery: {
    en: 'There is no such delivery in this workspace.',
    ar: 'لا توجد عملية تسليم كهذه في مساحة العمل هذه.',
  },
  endpoint: { en: 'There is no such endpoint in this workspace.', ar: 'لا توجد نقطة كهذه في مساحة العمل هذه.' },
  key: { en: 'There is no such key in this workspace.', ar: 'لا يوجد مفتاح كهذا في مساحة العمل هذه.' },
  message: { en: 'There is no such message in this workspace.', ar: 'لا توجد رسالة كهذه في مساحة العمل هذه.' },
  number: { en: 'There is no such number in this workspace.', ar: 'لا يوجد رقم كهذا في مساحة العمل هذه.' },
  'open invitation': {
    en: 'There is no such open invitation in this workspace.',
    ar: 'لا توجد دعوة مفتوحة كهذه في مساحة العمل هذه.',
  },
  person: { en: 'There is no such person in this workspace.', ar: 'لا يوجد شخص كهذا في مساحة العمل هذه.' },
  sender: { en: 'There is no such sender in this workspace.', ar: 'لا يوجد مرسل كهذا في مساحة العمل هذه.' },
  template: { en: 'There is no such template in this workspace.', ar: 'لا يوجد قالب كهذا في مساحة العمل هذه.' },
  'thing due any more': {
    en: 'There is no such thing due any more in this workspace.',
    ar: 'لم يعد في مساحة العمل هذه شيء كهذا ينتظر موعده.',
  },
})

/** What the database cannot hold is refused once for all calls, in whichever field it stands. */
const storableInput = t.middleware(async ({ getRawInput, next }) => {
  // Of a call that takes nothing there may be nothing to read; of the others their schemas say so.
  const faults = unstorableText(await getRawInput().catch(() => undefined))
  if (faults.length > 0) {
    throw new Refusal('DEVELOPER_INVALID_INPUT', says.notKept, faults)
  }
  return next()
})

/** For whoever comes: only what signing in itself needs. */
export const anybody = t.procedure.use(plainErrors).use(storableInput)

export const signedIn = anybody.use(({ ctx, next }) => {
  if (!ctx.person) throw new CallRefused('UNAUTHORIZED', says.signedOut)
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
      if (!membership) throw new CallRefused('NOT_FOUND', says.noWorkspace)
      if (!mayAct(membership.role, least)) {
        throw new CallRefused('FORBIDDEN', says.role({ least, role: membership.role }))
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

const ROLES = { member: 'عضو', admin: 'مشرف', owner: 'مالك' }

const says = sentences({
  signedOut: { en: 'You are not signed in.', ar: 'لم تسجّل الدخول.' },
  noWorkspace: { en: 'There is no such workspace.', ar: 'لا توجد مساحة عمل كهذه.' },
  role: {
    en: 'This takes the role {least}, and yours here is {role}. An owner can change it.',
    ar: 'يلزم لهذا دور {least}، ودورك هنا {role}. يستطيع أحد المالكين تغييره.',
    words: { least: ROLES, role: ROLES },
  },
  notKept: {
    en: 'This holds a character that cannot be kept. Write it anew.',
    ar: 'في هذا حرف لا يمكن حفظه. اكتبه من جديد.',
  },
  noDatabase: {
    en: 'The database cannot be reached right now. Nothing was changed; try again in a moment.',
    ar: 'يتعذّر الوصول إلى قاعدة البيانات الآن. لم يتغيّر شيء؛ حاول مجددًا بعد لحظات.',
  },
  faultOfOurs: {
    en: 'Doorcode met a fault of its own. The log tells more under {correlationId}.',
    ar: 'حدث خلل في Doorcode نفسه. تجد التفاصيل في السجل تحت {correlationId}.',
  },
  notKnown: {
    en: 'This release does not know what the page asks for. Load the page anew.',
    ar: 'لا يعرف هذا الإصدار ما تطلبه الصفحة. أعد تحميلها.',
  },
  faulty: { en: 'is not as it must be', ar: 'ليس كما ينبغي' },
})
