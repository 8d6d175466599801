import { z } from 'zod'
import { sentences } from '../sentences.ts'
import { audit } from './audit.ts'
import { listOwnEvents } from './audit-entries.ts'
import { CallRefused } from './call-refused.ts'
import { renamePerson } from './person.ts'
import { personNameInput } from './session.ts'
import { endSession, endSessions, listSessions } from './sessions.ts'
import { router, signedIn } from './trpc.ts'

const says = sentences({ noSession: { en: 'You have no such session.', ar: 'ليس لديك جلسة كهذه.' } })

/** One's own account. Passwords and second factors go through the sign-in library (sign-in.ts). */
export const account = router({
  sessions: signedIn.query(async ({ ctx: { parts, person } }) => {
    const sessions = await listSessions(parts.db, person.userId, parts.clock.now())
    return sessions.map((session) => ({ ...session, current: session.sessionId === person.sessionId }))
  }),

  /** What happened to the account lately: sign-ins, passwords, second factors. */
  events: signedIn.query(({ ctx: { parts, person } }) => listOwnEvents(parts.db, person.userId)),

  rename: signedIn
    .input(z.object({ name: personNameInput }))
    .mutation(({ ctx: { parts, person, actor }, input: { name } }) =>
      parts.db.transaction(async (tx) => {
        const at = parts.clock.now()
        await renamePerson(tx, { userId: person.userId, name, at })
        const change = { workspaceId: null, action: 'person.renamed', target: person.email }
        await audit(tx, { actor, at }, { ...change, before: { name: person.name }, after: { name } })
      }),
    ),

  endSession: signedIn
    .input(z.object({ sessionId: z.string().max(100) }))
    .mutation(({ ctx: { parts, person, actor }, input: { sessionId } }) =>
      parts.db.transaction(async (tx) => {
        if (!(await endSession(tx, { userId: person.userId, sessionId })))
          throw new CallRefused('NOT_FOUND', says.noSession)
        const change = { workspaceId: null, action: 'person.session_ended', target: person.email }
        await audit(tx, { actor, at: parts.clock.now() }, change)
      }),
    ),

  /** This one included. */
  signOutEverywhere: signedIn.mutation(({ ctx: { parts, person, actor } }) =>
    parts.db.transaction(async (tx) => {
      await endSessions(tx, person.userId)
      const change = { workspaceId: null, action: 'person.signed_out_everywhere', target: person.email }
      await audit(tx, { actor, at: parts.clock.now() }, change)
    }),
  ),
})
