import { DAY_MS } from '../clock.ts'
import { type Sql, statement } from '../db.ts'

/** A session is over after this, however much it is used. */
export const SESSION_MOST_MS = 30 * DAY_MS

/** Where somebody is signed in. The token is the browser's alone and goes nowhere else. */
export type ListedSession = {
  sessionId: string
  /** Of the browser, as it names itself. */
  device: string | null
  address: string | null
  signedInAt: Date
  /** To within ten minutes (auth.ts). */
  lastUsedAt: Date
}

const SESSIONS_MOST = 100
const DEVICE_CHARACTERS_MOST = 300

const listOf = statement<ListedSession>(
  'list_sessions_of_person',
  `select s."id" as "sessionId", left(nullif(s."userAgent", ''), ${DEVICE_CHARACTERS_MOST}) as device,
     nullif(s."ipAddress", '') as address, s."createdAt" as "signedInAt", s."updatedAt" as "lastUsedAt"
   from auth."session" s where s."userId" = $1 and s."expiresAt" > $2
   order by s."updatedAt" desc, s."id" limit ${SESSIONS_MOST}`,
)

export const listSessions = (sql: Sql, userId: string, now: Date): Promise<ListedSession[]> =>
  sql.rows(listOf, [userId, now])

const deleteSession = statement<{ id: string }>(
  'end_session_of_person',
  `delete from auth."session" where "userId" = $1 and "id" = $2 returning "id"`,
)

/** False when the person has no such session. */
export const endSession = async (
  sql: Sql,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<boolean> => (await sql.row(deleteSession, [userId, sessionId])) !== undefined

const deleteSessions = statement('end_sessions_of_person', `delete from auth."session" where "userId" = $1`)

/** All of them, at once: each call asks for its session anew. */
export const endSessions = async (sql: Sql, userId: string): Promise<void> => {
  await sql.rows(deleteSessions, [userId])
  await endChallenges(sql, userId)
}

const deleteChallenges = statement('end_challenges_of_person', `delete from auth."verification" where "value" = $1`)

/** Sign-ins whose password was right and whose second factor is still to come. */
export const endChallenges = async (sql: Sql, userId: string): Promise<void> => {
  await sql.rows(deleteChallenges, [userId])
}
