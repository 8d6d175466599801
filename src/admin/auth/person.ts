import { type Sql, statement } from '../../lib/db/pool.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { ApiError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { CodedText } from '../../../locales/text.ts'

/** A session ends after this time even when it is used. */
export const MAX_SESSION_MS = 30 * DAY_MS

export type Person = {
  userId: string
  email: string
  name: string
  twoFactor: boolean
  sessionId: string
}

/** Slow on purpose: call it outside a transaction. Imports lazily, because the library would slow down every command. */
export const hashPassword = async (password: string): Promise<string> =>
  (await import('better-auth/crypto')).hashPassword(password)

/** Addresses are stored and compared in lower case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

const insertUser = statement<{ id: string }>(
  'insert_person',
  `insert into auth."user" ("id", "name", "email", "emailVerified", "createdAt", "updatedAt")
   values ($1, $2, $3, true, $4, $4) on conflict ("email") do nothing returning "id"`,
)

const insertPassword = statement(
  'insert_password',
  `insert into auth."account" ("id", "accountId", "providerId", "userId", "password", "createdAt", "updatedAt")
   values ($1, $2, 'credential', $2, $3, $4, $4)`,
)

type NewPerson = { email: string; name: string; passwordHash: string; at: Date }

/** Throws an ApiError at the field `email` when the address has an account. */
export async function createPerson(tx: Sql, { email, name, passwordHash, at }: NewPerson): Promise<{ userId: string }> {
  const userId = newId()
  if (!(await tx.row(insertUser, [userId, name, normalizeEmail(email), at]))) throw emailError({ code: 'admin.taken' })
  await tx.rows(insertPassword, [newId(), userId, passwordHash, at])
  return { userId }
}

export const emailError = (detail: CodedText): ApiError =>
  new ApiError('DEVELOPER_INVALID_INPUT', { code: 'admin.address', detail }, [
    { in: 'body', pointer: '/email', detail },
  ])

export type User = Pick<Person, 'userId' | 'email'>

const selectPersonByEmail = statement<User>(
  'find_person_by_email',
  `select u."id" as "userId", u."email" from auth."user" u where u."email" = $1`,
)

export const findPersonByEmail = (sql: Sql, email: string): Promise<User | undefined> =>
  sql.row(selectPersonByEmail, [normalizeEmail(email)])

const deleteSessions = statement('end_sessions_of_person', `delete from auth."session" where "userId" = $1`)
const deleteChallenges = statement('end_challenges_of_person', `delete from auth."verification" where "value" = $1`)

/** Ends sign-ins that still wait for their second factor. */
export const endChallenges = (sql: Sql, userId: string): Promise<unknown> => sql.rows(deleteChallenges, [userId])

/** Takes effect with the next call. */
export async function endSessions(sql: Sql, userId: string): Promise<void> {
  await sql.rows(deleteSessions, [userId])
  await endChallenges(sql, userId)
}

const updatePassword = statement<{ id: string }>(
  'set_password',
  `update auth."account" set "password" = $2, "updatedAt" = $3 where "id" in (
     select "id" from auth."account" where "userId" = $1 and "providerId" = 'credential') returning "id"`,
)

const deleteSecondFactor = statement(
  'delete_second_factor',
  `with gone as (delete from auth."twoFactor" where "userId" = $1)
   update auth."user" set "twoFactorEnabled" = false where "id" = $1`,
)

type NewPassword = { userId: string; passwordHash: string; endsSecondFactor: boolean; at: Date }

/** Ends every session of the account. */
export async function resetPassword(
  tx: Sql,
  { userId, passwordHash, endsSecondFactor, at }: NewPassword,
): Promise<void> {
  if (!(await tx.row(updatePassword, [userId, passwordHash, at])))
    await tx.rows(insertPassword, [newId(), userId, passwordHash, at])
  if (endsSecondFactor) await tx.rows(deleteSecondFactor, [userId])
  await endSessions(tx, userId)
}

const MAX_PEOPLE = 1_000

export type ListedPerson = Omit<Person, 'sessionId'> & { operator: boolean; workspaces: number; createdAt: Date }

const selectPeople = statement<ListedPerson>(
  'list_people',
  `select u."id" as "userId", u."email", u."name", coalesce(u."twoFactorEnabled", false) as "twoFactor",
     u."createdAt", exists (select from operators o where o.user_id = u."id") as operator,
     (select count(*)::int from members m where m.user_id = u."id") as workspaces
   from auth."user" u order by u."email" limit ${MAX_PEOPLE}`,
)

export const listPeople = (sql: Sql): Promise<ListedPerson[]> => sql.rows(selectPeople)
