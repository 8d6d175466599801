import { z } from 'zod'
import { statement } from '../../lib/db/pool.ts'
import { commit } from '../actions/action.ts'
import { listOwnEvents } from '../audit/audit-log.ts'
import { displayName } from '../inputs.ts'
import { CallError } from '../rpc/errors.ts'
import { router, signedInCall } from '../rpc/trpc.ts'
import { endSessions } from './person.ts'

/** `device`: the User-Agent header. `lastUsedAt` is precise to SESSION_UPDATE_INTERVAL_MS. */
type Session = { sessionId: string; device: string | null; address: string | null; signedInAt: Date; lastUsedAt: Date }

const MAX_SESSIONS = 100
const MAX_DEVICE_CHARACTERS = 300

/** Leaves out the token, which only the browser may have. */
const selectSessions = statement<Session>(
  'list_sessions_of_person',
  `select s."id" as "sessionId", left(nullif(s."userAgent", ''), ${MAX_DEVICE_CHARACTERS}) as device,
     nullif(s."ipAddress", '') as address, s."createdAt" as "signedInAt", s."updatedAt" as "lastUsedAt"
   from auth."session" s where s."userId" = $1 and s."expiresAt" > $2
   order by s."updatedAt" desc, s."id" limit ${MAX_SESSIONS}`,
)

const deleteSession = statement<{ id: string }>(
  'end_session_of_person',
  `delete from auth."session" where "userId" = $1 and "id" = $2 returning "id"`,
)

const updateName = statement('rename_person', `update auth."user" set "name" = $2, "updatedAt" = $3 where "id" = $1`)

/** The user's own account. Passwords and second factors go through the sign-in library (sign-in.ts). */
export const account = router({
  sessions: signedInCall.query(async ({ ctx: { parts, person } }) => {
    const sessions = await parts.db.rows(selectSessions, [person.userId, parts.clock.now()])
    return sessions.map((session) => ({ ...session, current: session.sessionId === person.sessionId }))
  }),

  /** Recent sign-ins and changes of password and second factor. */
  events: signedInCall.query(({ ctx: { parts, person } }) => listOwnEvents(parts.db, person.userId)),

  rename: signedInCall
    .input(z.object({ name: displayName }))
    .mutation(({ ctx: { person, operator }, input: { name } }) =>
      commit(operator, null, async (tx, record) => {
        await tx.rows(updateName, [person.userId, name, operator.clock.now()])
        const [before, after] = [{ name: person.name }, { name }]
        await record({ action: 'person.renamed', target: person.email, before, after })
      }),
    ),

  endSession: signedInCall
    .input(z.object({ sessionId: z.string().max(100) }))
    .mutation(({ ctx: { person, operator }, input: { sessionId } }) =>
      commit(operator, null, async (tx, record) => {
        if (!(await tx.row(deleteSession, [person.userId, sessionId])))
          throw new CallError('NOT_FOUND', { code: 'admin.no_session' })
        await record({ action: 'person.session_ended', target: person.email })
      }),
    ),

  /** Ends the current session too. */
  signOutEverywhere: signedInCall.mutation(({ ctx: { person, operator } }) =>
    commit(operator, null, async (tx, record) => {
      await endSessions(tx, person.userId)
      await record({ action: 'person.signed_out_everywhere', target: person.email })
    }),
  ),
})
