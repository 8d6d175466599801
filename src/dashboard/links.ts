import { randomBytes } from 'node:crypto'
import { DAY_MS, later } from '../clock.ts'
import { type Sql, statement } from '../db.ts'
import { hashSecret, newId } from '../ids.ts'
import type { Parts } from '../parts.ts'
import { audit } from './audit.ts'
import { addMember, makeOperator } from './members.ts'
import {
  type KnownPerson,
  type Person,
  createPerson,
  endSecondFactor,
  findPersonByEmail,
  hashPassword,
  normalEmail,
  setPassword,
} from './person.ts'
import type { MemberRole } from './roles.ts'

/** What a one-time link is for. Whoever has it gets in once, so only a hash of its token is kept. */
export type Link = {
  purpose: 'setup' | 'invitation' | 'password'
  workspaceId: string | null
  workspaceName: string | null
  role: MemberRole | null
  email: string | null
  endsSecondFactor: boolean
  /** Whether the address of the link signs in here already. */
  hasAccount: boolean
}

const TOKEN_BYTES = 32
const VALID_DAYS = { setup: 7, invitation: 7, password: 1 } as const satisfies Record<Link['purpose'], number>

type LinkParts = Pick<Parts, 'db' | 'clock'>

/** Where a token leads. It is in the fragment: no server and no log ever sees it. */
export const linkTo = (publicUrl: string, token: string): string => `${publicUrl}/dashboard/welcome#${token}`

const isOwned = statement<{ owned: boolean }>('instance_has_an_owner', 'select exists (select from operators) as owned')

/** For the first owner; undefined when there is one. A new one leaves older ones valid until one of them is used. */
export async function makeSetupLink({
  db,
  clock,
  config,
}: LinkParts & Pick<Parts, 'config'>): Promise<string | undefined> {
  if ((await db.row(isOwned))?.owned) return undefined
  const { token } = await makeLink(db, { purpose: 'setup', role: 'owner', at: clock.now() })
  return linkTo(config.publicUrl, token)
}

type NewLink = {
  purpose: Link['purpose']
  workspaceId?: string
  role?: MemberRole
  email?: string
  endsSecondFactor?: boolean
  createdBy?: string | null
  at: Date
}

/** `token` is shown once. */
export type MadeLink = { linkId: string; token: string; expiresAt: Date }

const insertLink = statement(
  'insert_access_link',
  `insert into access_links (id, token_hash, purpose, workspace_id, role, email, ends_second_factor, created_by,
     created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)

async function makeLink(sql: Sql, { purpose, at, ...link }: NewLink): Promise<MadeLink> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const linkId = newId()
  const expiresAt = later(at, VALID_DAYS[purpose] * DAY_MS)
  await sql.rows(insertLink, [
    linkId,
    hashSecret(token),
    purpose,
    link.workspaceId ?? null,
    link.role ?? null,
    link.email ?? null,
    link.endsSecondFactor ?? false,
    link.createdBy ?? null,
    at,
    expiresAt,
  ])
  return { linkId, token, expiresAt }
}

const deleteInvitationsOf = statement(
  'replace_invitations',
  `delete from access_links where workspace_id = $1 and purpose = 'invitation' and email = $2 and used_at is null`,
)

export type NewInvitation = { workspaceId: string; role: MemberRole; email: string; createdBy: string | null; at: Date }

/** So that whoever comes in or is removed keeps no other way in. */
export const endInvitations = async (
  tx: Sql,
  { workspaceId, email }: { workspaceId: string; email: string },
): Promise<void> => {
  await tx.rows(deleteInvitationsOf, [workspaceId, email])
}

/** Takes the place of an earlier one of this address to this workspace. */
export async function makeInvitation(tx: Sql, invitation: NewInvitation): Promise<MadeLink> {
  const email = normalEmail(invitation.email)
  await endInvitations(tx, { ...invitation, email })
  return makeLink(tx, { ...invitation, email, purpose: 'invitation' })
}

export type Invitation = {
  invitationId: string
  email: string
  role: MemberRole
  invitedBy: string | null
  createdAt: Date
  expiresAt: Date
}

export const INVITATIONS_MOST = 200

const listOpenInvitations = statement<Invitation>(
  'list_invitations',
  `select l.id as "invitationId", l.email, l.role, l.created_at as "createdAt", l.expires_at as "expiresAt",
     (select u."email" from auth."user" u where u."id" = l.created_by) as "invitedBy"
   from access_links l
   where l.workspace_id = $1 and l.purpose = 'invitation' and l.used_at is null and l.expires_at > $2
   order by l.id desc limit ${INVITATIONS_MOST}`,
)

export const listInvitations = (sql: Sql, workspaceId: string, now: Date): Promise<Invitation[]> =>
  sql.rows(listOpenInvitations, [workspaceId, now])

const deleteInvitation = statement<{ email: string; role: MemberRole }>(
  'revoke_invitation',
  `delete from access_links
   where workspace_id = $1 and id = $2 and purpose = 'invitation' and used_at is null returning email, role`,
)

/** Undefined when there is no open invitation with this id in the workspace. */
export const revokeInvitation = (
  tx: Sql,
  { workspaceId, invitationId }: { workspaceId: string; invitationId: string },
): Promise<{ email: string; role: MemberRole } | undefined> => tx.row(deleteInvitation, [workspaceId, invitationId])

export type NewPasswordLink = { email: string; endsSecondFactor: boolean; createdBy: string | null; at: Date }

const deletePasswordLinksOf = statement(
  'replace_password_links',
  `delete from access_links where purpose = 'password' and email = $1 and used_at is null`,
)

/** For somebody who has an account and forgot its password. Takes the place of an earlier one. */
export async function makePasswordLink(sql: Sql, { email: given, ...link }: NewPasswordLink): Promise<MadeLink> {
  const email = normalEmail(given)
  await sql.rows(deletePasswordLinksOf, [email])
  return makeLink(sql, { ...link, email, purpose: 'password' })
}

const LINK = `l.purpose, l.workspace_id as "workspaceId", l.role, l.email, l.ends_second_factor as "endsSecondFactor",
   (select w.name from workspaces w where w.id = l.workspace_id) as "workspaceName",
   exists (select from auth."user" u where u."email" = l.email) as "hasAccount"`

const IS_OPEN = `l.token_hash = $1 and l.used_at is null and l.expires_at > $2
   and (l.purpose <> 'setup' or not exists (select from operators))`

const findLinkOf = statement<Link>('find_access_link', `select ${LINK} from access_links l where ${IS_OPEN}`)

/** Undefined when it was used, has expired or was never made. */
export const findLink = ({ db, clock }: LinkParts, token: string): Promise<Link | undefined> =>
  db.row(findLinkOf, [hashSecret(token), clock.now()])

const lockFirstOwner = statement('lock_first_owner', `select pg_advisory_xact_lock(hashtext('doorcode: first owner'))`)

/** Of two who use a link at once, the second waits here for the first and finds it used. */
const takeLinkOf = statement<Link>(
  'use_access_link',
  `update access_links l set used_at = $2 where ${IS_OPEN} and l.purpose = any($3) returning ${LINK}`,
)

async function takeLink(
  tx: Sql,
  { token, at, purposes }: { token: string; at: Date; purposes: readonly Link['purpose'][] },
): Promise<Link | undefined> {
  // Two setup links are two rows, and only one of them may make the first owner.
  if (purposes.includes('setup')) await tx.rows(lockFirstOwner)
  return tx.row(takeLinkOf, [hashSecret(token), at, purposes])
}

export type Newcomer = { email: string | undefined; name: string; password: string }

/**
 * Makes the account that a setup link or an invitation is for, and what it may do, in one transaction with the link's
 * end. Undefined when the link is over. An invitation is for its own address, whichever is given.
 */
export async function acceptLink(
  { db, clock }: LinkParts,
  token: string,
  { email: given, name, password }: Newcomer,
): Promise<{ email: string } | undefined> {
  if (!(await findLink({ db, clock }, token))) return undefined
  const passwordHash = await hashPassword(password)
  const at = clock.now()
  return db.transaction(async (tx) => {
    const link = await takeLink(tx, { token, at, purposes: ['setup', 'invitation'] })
    const email = normalEmail(link?.email ?? given ?? '')
    if (!link || email === '') return undefined
    const { userId } = await createPerson(tx, { email, name, passwordHash, at })
    await letIn(tx, link, { userId, email, at })
    return { email }
  })
}

/** Adds the workspace of an invitation to an account that is there already. Undefined when the link is not theirs. */
export async function joinByLink(
  { db, clock }: LinkParts,
  token: string,
  { userId, email }: Pick<Person, 'userId' | 'email'>,
): Promise<{ workspaceId: string } | undefined> {
  const at = clock.now()
  if ((await findLink({ db, clock }, token))?.email !== email) return undefined
  return db.transaction(async (tx) => {
    const link = await takeLink(tx, { token, at, purposes: ['invitation'] })
    if (!link?.workspaceId) return undefined
    await letIn(tx, link, { userId, email, at })
    return { workspaceId: link.workspaceId }
  })
}

/** What the link promises: the instance, or a role in a workspace. */
async function letIn(
  tx: Sql,
  { workspaceId, role }: Link,
  { userId, email, at }: { userId: string; email: string; at: Date },
): Promise<void> {
  if (workspaceId === null) await makeOperator(tx, userId)
  else {
    await addMember(tx, { workspaceId, userId, role: role ?? 'member', at })
    await endInvitations(tx, { workspaceId, email }) // of two that were made at once the other would let them in again
  }
  const after = workspaceId === null ? { runsTheInstance: true } : { role }
  const change = { workspaceId, action: 'person.joined', target: email, after }
  await audit(tx, { actor: { userId, who: email }, at }, change)
}

/** Undefined when the link is over. Whoever was signed in to the account is not any more. */
export async function setPasswordByLink(
  { db, clock }: LinkParts,
  token: string,
  password: string,
): Promise<{ email: string } | undefined> {
  if (!(await findLink({ db, clock }, token))) return undefined
  const passwordHash = await hashPassword(password)
  const at = clock.now()
  return db.transaction(async (tx) => {
    const link = await takeLink(tx, { token, at, purposes: ['password'] })
    const person: KnownPerson | undefined = link && (await findPersonByEmail(tx, link.email ?? ''))
    if (!link || !person) return undefined
    const { userId, email } = person
    await setPassword(tx, { userId, passwordHash, at })
    await tx.rows(deletePasswordLinksOf, [email])
    if (link.endsSecondFactor) await endSecondFactor(tx, userId)
    const after = { secondFactorEnded: link.endsSecondFactor }
    const change = { workspaceId: null, action: 'person.password_set_by_link', target: email, after }
    await audit(tx, { actor: { userId, who: email }, at }, change)
    return { email }
  })
}
