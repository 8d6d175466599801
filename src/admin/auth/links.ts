import { randomBytes } from 'node:crypto'
import { DAY_MS, later } from '../../lib/clock.ts'
import { type Sql, statement } from '../../lib/db/pool.ts'
import { hashSecret, newId } from '../../lib/ids.ts'
import type { Parts } from '../../runtime/parts.ts'
import { UserError } from '../../lib/errors.ts'
import { audit } from '../audit/audit.ts'
import { type MemberRole, addMember, addOperator, hasOperators } from './members.ts'
import { type User, createPerson, findPersonByEmail, hashPassword, normalizeEmail, resetPassword } from './person.ts'

/** A one-time link. It gives access, so only a hash of its token is stored. */
export type Link = {
  purpose: 'setup' | 'invitation' | 'password'
  workspaceId: string | null
  workspaceName: string | null
  role: MemberRole | null
  email: string | null
  endsSecondFactor: boolean
  hasAccount: boolean
}

const TOKEN_BYTES = 32
const VALID_DAYS = { setup: 7, invitation: 7, password: 1 } as const satisfies Record<Link['purpose'], number>

/** The token is in the fragment, so no server or log sees it. */
export const linkUrl = (publicUrl: string, token: string): string => `${publicUrl}/dashboard/welcome#${token}`

/** A link for the first owner; undefined when there is an owner. Older links stay valid until one of them is used. */
export async function createSetupLink(parts: Pick<Parts, 'db' | 'clock' | 'config'>): Promise<string | undefined> {
  const { db, clock, config } = parts
  if (await hasOperators(db)) return undefined
  const { token } = await createLink(db, { purpose: 'setup', role: 'owner', createdBy: null, at: clock.now() })
  return linkUrl(config.publicUrl, token)
}

type NewLink = { createdBy: string | null; at: Date } & (
  | { purpose: 'setup'; role: 'owner' }
  | { purpose: 'invitation'; workspaceId: string; role: MemberRole; email: string }
  /** For a person who forgot the password. */
  | { purpose: 'password'; email: string; endsSecondFactor: boolean }
)

const insertLink = statement(
  'insert_access_link',
  `insert into access_links (id, token_hash, purpose, workspace_id, role, email, ends_second_factor, created_by,
     created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)

/** Replaces earlier links of the same purpose for the same address and workspace. */
export async function createLink(
  sql: Sql,
  { purpose, createdBy, at, ...link }: NewLink,
): Promise<{ linkId: string; token: string; expiresAt: Date }> {
  const { workspaceId = null, role = null, email = null, endsSecondFactor = false } = link as Partial<Link>
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const linkId = newId()
  const expiresAt = later(at, VALID_DAYS[purpose] * DAY_MS)
  const address = email && normalizeEmail(email)
  if (address) await deleteLinks(sql, { purpose, workspaceId, email: address })
  const values = [linkId, hashSecret(token), purpose, workspaceId, role, address, endsSecondFactor]
  await sql.rows(insertLink, [...values, createdBy, at, expiresAt])
  return { linkId, token, expiresAt }
}

const deleteLinksOf = statement(
  'delete_open_links',
  `delete from access_links
   where purpose = $1 and ($2::uuid is null or workspace_id = $2) and email = $3 and used_at is null`,
)

/** A person who joined or was removed must not keep another invitation. */
export const deleteLinks = (
  tx: Sql,
  { purpose, workspaceId, email }: Pick<Link, 'purpose' | 'workspaceId'> & { email: string },
): Promise<unknown> => tx.rows(deleteLinksOf, [purpose, workspaceId, email])

/** An invitation is worth what its maker may still do: to invite, a person must be an owner. */
export const MAKER_IS_OWNER = `(l.created_by is null
   or exists (select from members m
     where m.workspace_id = l.workspace_id and m.user_id = l.created_by and m.role = 'owner')
   or exists (select from operators o where o.user_id = l.created_by))`

const deleteInvitationsOf = statement<{ email: string; role: MemberRole }>(
  'delete_invitations_of_maker',
  `delete from access_links l
   where l.workspace_id = $1 and l.created_by = $2 and l.purpose = 'invitation' and l.used_at is null and l.expires_at > $3
   returning l.email, l.role`,
)

/** An owner who was removed must not return through an invitation made before. */
export const endInvitationsOf = (
  tx: Sql,
  { workspaceId, userId, at }: { workspaceId: string; userId: string; at: Date },
): Promise<{ email: string; role: MemberRole }[]> => tx.rows(deleteInvitationsOf, [workspaceId, userId, at])

const LINK = `l.purpose, l.workspace_id as "workspaceId", l.role, l.email, l.ends_second_factor as "endsSecondFactor",
   (select w.name from workspaces w where w.id = l.workspace_id) as "workspaceName",
   exists (select from auth."user" u where u."email" = l.email) as "hasAccount"`

const IS_OPEN = `l.token_hash = $1 and l.used_at is null and l.expires_at > $2
   and (l.purpose <> 'setup' or not exists (select from operators))
   and (l.purpose <> 'invitation' or ${MAKER_IS_OWNER})
   and not exists (select from workspaces w where w.id = l.workspace_id and w.deleted_at is not null)`

const selectLink = statement<Link>('find_access_link', `select ${LINK} from access_links l where ${IS_OPEN}`)

type LinkParts = Pick<Parts, 'db' | 'clock'>

/** Throws UserError when the link was used, has expired or never existed. */
export async function getLink({ db, clock }: LinkParts, token: string): Promise<Link> {
  const link = await db.row(selectLink, [hashSecret(token), clock.now()])
  if (!link) throw invalidLink()
  return link
}

const lockFirstOwner = statement('lock_first_owner', `select pg_advisory_xact_lock(hashtext('doorcode: first owner'))`)

/** A concurrent use of the same link waits here and then finds the link used. */
const consumeLink = statement<Link>(
  'use_access_link',
  `update access_links l set used_at = $2 where ${IS_OPEN} and l.purpose = any($3) returning ${LINK}`,
)

/** Uses up the link in the transaction of `work`. Throws UserError when it is not valid for one of the purposes. */
async function useLink<Result>(
  { db, clock }: LinkParts,
  { token, purposes }: { token: string; purposes: readonly Link['purpose'][] },
  work: (tx: Sql, link: Link, at: Date) => Promise<Result>,
): Promise<Result> {
  const at = clock.now()
  return db.transaction(async (tx) => {
    // Two setup links are two rows, and only one of them may create the first owner.
    if (purposes.includes('setup')) await tx.rows(lockFirstOwner)
    const link = await tx.row(consumeLink, [hashSecret(token), at, purposes])
    if (!link) throw invalidLink()
    return work(tx, link, at)
  })
}

type NewAccount = { token: string; email?: string | undefined; name: string; password: string }

/**
 * Creates the account of a setup link or an invitation, with its role. An invitation's own address takes precedence over
 * `email`.
 */
export async function acceptLink(
  parts: LinkParts,
  { token, email: chosenEmail, name, password }: NewAccount,
): Promise<{ email: string }> {
  await getLink(parts, token)
  const passwordHash = await hashPassword(password)
  return useLink(parts, { token, purposes: ['setup', 'invitation'] }, async (tx, link, at) => {
    const email = normalizeEmail(link.email ?? chosenEmail ?? '')
    if (email === '') throw invalidLink()
    const { userId } = await createPerson(tx, { email, name, passwordHash, at })
    await join(tx, link, { userId, email, at })
    return { email }
  })
}

/** Adds the invitation's workspace to an existing account of its address. */
export async function acceptInvitation(
  parts: LinkParts,
  token: string,
  { userId, email }: User,
): Promise<{ workspaceId: string | null }> {
  return useLink(parts, { token, purposes: ['invitation'] }, async (tx, link, at) => {
    if (link.email !== email) throw invalidLink()
    await join(tx, link, { userId, email, at })
    return { workspaceId: link.workspaceId }
  })
}

async function join(
  tx: Sql,
  { workspaceId, role }: Link,
  { userId, email, at }: { userId: string; email: string; at: Date },
): Promise<void> {
  if (workspaceId === null) await addOperator(tx, userId)
  else {
    await addMember(tx, { workspaceId, userId, role: role ?? 'member', at })
    // A second concurrent invitation would let a removed member back in.
    await deleteLinks(tx, { purpose: 'invitation', workspaceId, email })
  }
  const after = workspaceId === null ? { runsTheInstance: true } : { role }
  const change = { workspaceId, action: 'person.joined' as const, target: email, after }
  await audit(tx, { actor: { userId, who: email }, at }, change)
}

/** Ends every session of the account. */
export async function setPasswordByLink(parts: LinkParts, token: string, password: string): Promise<{ email: string }> {
  await getLink(parts, token)
  const passwordHash = await hashPassword(password)
  return useLink(parts, { token, purposes: ['password'] }, async (tx, { email: address, endsSecondFactor }, at) => {
    const person = await findPersonByEmail(tx, address ?? '')
    if (!person) throw invalidLink()
    const { userId, email } = person
    await resetPassword(tx, { userId, passwordHash, endsSecondFactor, at })
    await deleteLinks(tx, { purpose: 'password', workspaceId: null, email })
    const after = { secondFactorEnded: endsSecondFactor }
    const change = { workspaceId: null, action: 'person.password_set_by_link' as const, target: email, after }
    await audit(tx, { actor: { userId, who: email }, at }, change)
    return { email }
  })
}

const invalidLink = (): UserError => new UserError({ code: 'admin.link_over' }, 'NOT_FOUND')
