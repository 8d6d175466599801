import { randomBytes } from 'node:crypto'
import { DAY_MS, later } from '../clock.ts'
import { type Sql, statement } from '../db.ts'
import { hashSecret } from '../ids.ts'
import type { Parts } from '../parts.ts'
import { audit } from './audit.ts'
import type { SignIn } from './auth.ts'
import type { MemberRole } from './roles.ts'

export type Link = {
  purpose: 'setup' | 'invitation' | 'password'
  workspaceId: string | null
  workspaceName: string | null
  role: MemberRole | null
  email: string | null
}

const TOKEN_BYTES = 32
const SETUP_LINK_DAYS = 7

type LinkParts = Pick<Parts, 'db' | 'clock'>

const isOwned = statement<{ owned: boolean }>('instance_has_an_owner', 'select exists (select from operators) as owned')

const insertLink = statement(
  'insert_access_link',
  `insert into access_links (token_hash, purpose, workspace_id, role, email, created_by, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)

/** For the first owner; undefined when there is one. A new one leaves older ones valid until one of them is used. */
export async function makeSetupLink({
  db,
  clock,
  config,
}: LinkParts & Pick<Parts, 'config'>): Promise<string | undefined> {
  if ((await db.row(isOwned))?.owned) return undefined
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const now = clock.now()
  await db.rows(insertLink, [
    hashSecret(token),
    'setup',
    null,
    'owner',
    null,
    null,
    now,
    later(now, SETUP_LINK_DAYS * DAY_MS),
  ])
  return linkTo(config.publicUrl, token)
}

/** In the fragment: no server and no log ever sees it. */
export const linkTo = (publicUrl: string, token: string): string => `${publicUrl}/dashboard/welcome#${token}`

const findLinkOf = statement<Link>(
  'find_access_link',
  `select l.purpose, l.workspace_id as "workspaceId", w.name as "workspaceName", l.role, l.email
   from access_links l left join workspaces w on w.id = l.workspace_id
   where l.token_hash = $1 and l.used_at is null and l.expires_at > $2
     and (l.purpose <> 'setup' or not exists (select from operators))`,
)

export const findLink = ({ db, clock }: { db: Sql } & Pick<Parts, 'clock'>, token: string): Promise<Link | undefined> =>
  db.row(findLinkOf, [hashSecret(token), clock.now()])

const markUsed = statement<{ token_hash: Buffer }>(
  'use_access_link',
  `update access_links set used_at = $2 where token_hash = $1 and used_at is null returning token_hash`,
)

const insertOperator = statement('insert_operator', 'insert into operators (user_id) values ($1)')

/** Undefined when the link is over. The first of two who use it at once gets in. */
export async function useLink(
  { db, clock }: LinkParts,
  signIn: SignIn,
  token: string,
  person: { email: string; name: string; password: string },
): Promise<{ email: string } | undefined> {
  return db.transaction(async (tx) => {
    const link = await findLink({ db: tx, clock }, token)
    if (!link || !(await tx.row(markUsed, [hashSecret(token), clock.now()]))) return undefined
    const { userId } = await signIn.createPerson(person)
    await tx.rows(insertOperator, [userId])
    await audit(
      tx,
      { actor: { userId, who: person.email }, at: clock.now() },
      {
        workspaceId: null,
        action: 'person.joined',
        target: person.email,
        after: { name: person.name, role: 'owner' },
      },
    )
    return { email: person.email }
  })
}
