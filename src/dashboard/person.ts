import { type Sql, statement } from '../db.ts'
import { Refusal } from '../errors.ts'
import { newId } from '../ids.ts'
import { type Sentence, keptSentences } from '../sentences.ts'
import { endSessions } from './sessions.ts'

/** Somebody who is signed in. */
export type Person = {
  userId: string
  email: string
  name: string
  twoFactor: boolean
  /** Of the session that the request came with. */
  sessionId: string
}

/**
 * As the sign-in library hashes them, so that it knows them again. Slow on purpose: call it outside a transaction. The
 * library is loaded here: no command needs it, and each would start later by it.
 */
export const hashPassword = async (password: string): Promise<string> =>
  (await import('better-auth/crypto')).hashPassword(password)

/** Addresses are kept and compared in lower case. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

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

export type NewPerson = { email: string; name: string; passwordHash: string; at: Date }

/** An account that can sign in. Throws a Refusal at the field `email` when the address has one already. */
export async function createPerson(tx: Sql, { email, name, passwordHash, at }: NewPerson): Promise<{ userId: string }> {
  const userId = newId()
  if (!(await tx.row(insertUser, [userId, name, normalEmail(email), at]))) throw addressRefused(says.taken)
  await tx.rows(insertPassword, [newId(), userId, passwordHash, at])
  return { userId }
}

/** At the field `email`. */
export const addressRefused = (detail: Sentence): Refusal =>
  new Refusal('DEVELOPER_INVALID_INPUT', says.address({ detail }), [
    { in: 'body', pointer: '/email', detail: detail.en },
  ])

const says = keptSentences({
  address: { en: 'This address {detail}.', ar: 'هذا العنوان {detail}.' },
  taken: {
    en: 'has an account here already: sign in with it, or take another address',
    ar: 'له حساب هنا من قبل: سجّل الدخول به أو اختر عنوانًا آخر',
  },
})

export type KnownPerson = { userId: string; email: string; name: string; operator: boolean }

const findByEmail = statement<KnownPerson>(
  'find_person_by_email',
  `select u."id" as "userId", u."email", u."name", exists (select from operators o where o.user_id = u."id") as operator
   from auth."user" u where u."email" = $1`,
)

export const findPersonByEmail = (sql: Sql, email: string): Promise<KnownPerson | undefined> =>
  sql.row(findByEmail, [normalEmail(email)])

const updatePassword = statement<{ id: string }>(
  'set_password',
  `update auth."account" set "password" = $2, "updatedAt" = $3 where "id" in (
     select "id" from auth."account" where "userId" = $1 and "providerId" = 'credential') returning "id"`,
)

/** Whoever was signed in with the old one is not any more. */
export async function setPassword(
  tx: Sql,
  { userId, passwordHash, at }: { userId: string; passwordHash: string; at: Date },
): Promise<void> {
  if (!(await tx.row(updatePassword, [userId, passwordHash, at]))) {
    await tx.rows(insertPassword, [newId(), userId, passwordHash, at])
  }
  await endSessions(tx, userId)
}

const updateName = statement('rename_person', `update auth."user" set "name" = $2, "updatedAt" = $3 where "id" = $1`)

export async function renamePerson(
  tx: Sql,
  { userId, name, at }: { userId: string; name: string; at: Date },
): Promise<void> {
  await tx.rows(updateName, [userId, name, at])
}

const deleteSecondFactor = statement(
  'delete_second_factor',
  `with gone as (delete from auth."twoFactor" where "userId" = $1)
   update auth."user" set "twoFactorEnabled" = false where "id" = $1`,
)

/** For somebody who has lost it. */
export const endSecondFactor = async (sql: Sql, userId: string): Promise<void> => {
  await sql.rows(deleteSecondFactor, [userId])
}

const PEOPLE_MOST = 1_000

export type ListedPerson = KnownPerson & { twoFactor: boolean; workspaces: number; createdAt: Date }

const listAll = statement<ListedPerson>(
  'list_people',
  `select u."id" as "userId", u."email", u."name", coalesce(u."twoFactorEnabled", false) as "twoFactor",
     u."createdAt", exists (select from operators o where o.user_id = u."id") as operator,
     (select count(*)::int from members m where m.user_id = u."id") as workspaces
   from auth."user" u order by u."email" limit ${PEOPLE_MOST}`,
)

export const listPeople = (sql: Sql): Promise<ListedPerson[]> => sql.rows(listAll)
