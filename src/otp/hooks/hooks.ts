import { isDeepStrictEqual } from 'node:util'
import { type Clock, DAY_MS, later } from '../../lib/clock.ts'
import { type Sql, batch, statement } from '../../lib/db/pool.ts'
import { workspaceStatement } from '../../lib/db/workspace-batch.ts'
import { UserError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { type Seal, keyOf } from '../../lib/seal.ts'
import { tables } from '../../operations/columns.ts'
import { lockSealingKey } from '../../operations/secrets/instance.ts'
import { lockWorkspace } from '../../workspaces/workspaces.ts'
import { type HookKind, type Pointers, kinds } from './kinds.ts'
import type { SignatureCheck } from './signature.ts'

/** Hooks of a workspace: a few for each product and stage. */
export const MAX_HOOKS = 20
/** After a rotation, requests that are signed with the previous secret are accepted for this long (docs/auth-hooks.md). */
const PREVIOUS_SECRET_VALID_MS = DAY_MS

export type HookTemplate = { name: string; language: string }

/** What a person chooses for a hook. `templates`: the first is sent to users of any other language. */
export type HookSettings = { name: string; senderId: string; templates: HookTemplate[]; pointers: Pointers | null }

export type Hook = HookSettings & {
  hookId: string
  kind: HookKind
  previousSecretUntil: Date | null
  createdAt: Date
}

/** A hook of another workspace is answered like a missing one. */
export type HookId = { workspaceId: string; hookId: string }

type Parts = { clock: Clock; seal: Seal }

const KEY_ID_PREFIX = 'hook:'

/** What messages of a hook have instead of the id of an API key. */
export const keyIdOf = (hookId: string): string => `${KEY_ID_PREFIX}${hookId}`

/** For statements: the hook that a message has instead of an API key. */
export const hookOfKeyId = (keyId: string): string =>
  `case when ${keyId} like '${KEY_ID_PREFIX}%' then substr(${keyId}, ${KEY_ID_PREFIX.length + 1})::uuid end`

const { secret: secretContext } = tables.auth_hooks.sealed

/**
 * Adds a hook with checked settings. The secret is shown only this once, and not at all if the product makes its own:
 * `rotateHookSecret` stores that one.
 */
export async function addHook(
  tx: Sql,
  { clock, seal }: Parts,
  { workspaceId, kind, secret: given, name, senderId, templates, pointers }: NewHook,
): Promise<{ hookId: string; secret: string | null }> {
  const hookId = newId()
  const secret = given ?? kinds[kind].newSecret()
  await lockWorkspace(tx, workspaceId) // two concurrent additions must not exceed the limit
  const { length } = await listHooks(tx, workspaceId)
  if (length >= MAX_HOOKS) throw new UserError({ code: 'hooks.too_many', count: length })
  const sealed = (await lockSealingKey(tx, seal)).close(secret, secretContext(hookId))
  const values = [
    hookId,
    workspaceId,
    name,
    kind,
    senderId,
    JSON.stringify(templates),
    jsonOf(pointers),
    sealed,
    clock.now(),
  ]
  await tx.rows(insertHook, values)
  return { hookId, secret: given === undefined && !kinds[kind].hasOwnSecret ? secret : null }
}

const jsonOf = (pointers: Pointers | null): string | null => pointers && JSON.stringify(pointers)

export type NewHook = HookSettings & { workspaceId: string; kind: HookKind; secret?: string | undefined }

const insertHook = statement(
  'insert_auth_hook',
  `insert into auth_hooks (id, workspace_id, name, kind, sender_id, templates, pointers, secret, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
)

const COLUMNS = `id as "hookId", name, kind, sender_id as "senderId", templates, pointers,
     previous_secret_until as "previousSecretUntil", created_at as "createdAt"`

/** All hooks of the workspace, the oldest first. */
export const listHooks = (db: Sql, workspaceId: string): Promise<Hook[]> => db.rows(selectHooks, [workspaceId])

const selectHooks = statement<Hook>(
  'list_auth_hooks',
  `select ${COLUMNS} from auth_hooks where workspace_id = $1 and deleted_at is null order by id`,
)

/** The hooks whose secret no known key opens: they accept nothing. */
export async function listUnreadableHooks(
  db: Sql,
  { seal, workspaceId }: { seal: Seal; workspaceId: string },
): Promise<Pick<Hook, 'hookId' | 'name'>[]> {
  const sealed = await db.rows(selectSecrets, [workspaceId])
  return sealed.filter(({ hookId, secret }) => !keyOf(seal.keys, secret, secretContext(hookId)))
}

const selectSecrets = workspaceStatement<Pick<Hook, 'hookId' | 'name'> & { secret: Buffer }>(
  'list_auth_hook_secrets',
  'select id as "hookId", name, secret from auth_hooks where workspace_id = $1 and deleted_at is null',
)

/** Locks the hook, until its change commits. */
export async function lockHook(tx: Sql, { workspaceId, hookId }: HookId): Promise<Hook> {
  const hook = await tx.row(selectAndLock, [workspaceId, hookId])
  if (!hook) throw missingHook(hookId)
  return hook
}

const selectAndLock = statement<Hook>(
  'lock_auth_hook',
  `select ${COLUMNS} from auth_hooks where workspace_id = $1 and id = $2 and deleted_at is null for no key update`,
)

export const missingHook = (hookId: string): UserError => new UserError({ code: 'hooks.missing', hookId }, 'NOT_FOUND')

/** For the command line, which names only the hook. */
export async function findWorkspaceOfHook(db: Sql, hookId: string): Promise<string | undefined> {
  return (await db.row(selectWorkspaceOf, [hookId]))?.workspaceId
}

const selectWorkspaceOf = statement<{ workspaceId: string }>(
  'select_workspace_of_auth_hook',
  'select workspace_id as "workspaceId" from auth_hooks where id = $1 and deleted_at is null',
)

/** Stores checked settings of a hook that `lockHook` has locked. */
export async function updateHook(
  tx: Sql,
  { workspaceId, hookId }: HookId,
  { before, after }: { before: HookSettings; after: HookSettings },
): Promise<boolean> {
  const { name, senderId, templates, pointers } = after
  if (isDeepStrictEqual(before, after)) return false
  await tx.rows(updateSettings, [workspaceId, hookId, name, senderId, JSON.stringify(templates), jsonOf(pointers)])
  return true
}

const updateSettings = statement(
  'update_auth_hook',
  `update auth_hooks set name = $3, sender_id = $4, templates = $5, pointers = $6 where workspace_id = $1 and id = $2`,
)

/** The new secret is shown only this once; null if it was given. The current one is accepted for another day; an older one ends immediately. */
export async function rotateHookSecret(
  tx: Sql,
  { clock, seal }: Parts,
  { workspaceId, hookId, kind, secret: given }: HookId & { kind: HookKind; secret?: string | undefined },
): Promise<{ secret: string | null; previousSecretUntil: Date }> {
  const secret = given ?? kinds[kind].newSecret()
  const previousSecretUntil = later(clock.now(), PREVIOUS_SECRET_VALID_MS)
  const sealed = (await lockSealingKey(tx, seal)).close(secret, secretContext(hookId))
  await tx.rows(replaceSecret, [workspaceId, hookId, sealed, previousSecretUntil])
  return { secret: given === undefined ? secret : null, previousSecretUntil }
}

const replaceSecret = statement(
  'rotate_auth_hook_secret',
  `update auth_hooks set previous_secret = secret, previous_secret_until = $4, secret = $3
   where workspace_id = $1 and id = $2`,
)

/** Ends the hook and erases its secrets. What it sent can still be read. */
export async function deleteHook(tx: Sql, clock: Clock, { workspaceId, hookId }: HookId): Promise<void> {
  await tx.rows(markDeleted, [workspaceId, hookId, clock.now()])
}

const markDeleted = statement(
  'delete_auth_hook',
  `update auth_hooks set deleted_at = $3, secret = '', previous_secret = null, previous_secret_until = null
   where workspace_id = $1 and id = $2`,
)

/** What a request to a hook is checked with. */
export type ServedHook = HookId &
  Pick<Hook, 'kind' | 'senderId' | 'templates' | 'pointers'> & {
    /** Of the current secret and of the one before a recent rotation. */
    checks: readonly { isSigned: SignatureCheck; until: Date | null }[]
  }

/** Sealed: see `openServedHook`. */
export type SealedHook = Omit<ServedHook, 'checks'> &
  Pick<Hook, 'previousSecretUntil'> & { secret: Buffer; previousSecret: Buffer | null }

/** Those that exist, by their ids in lower case, without those of workspaces that are being deleted. */
export async function findServedHooks(db: Sql, hookIds: readonly string[]): Promise<Map<string, SealedHook>> {
  const rows = await db.rows(selectServed, [batch(hookIds.map((id) => ({ id })))])
  return new Map(rows.map((row) => [row.hookId, row]))
}

/** Throws UnsealError if no known key opens the current secret. */
export function openServedHook(
  seal: Seal,
  { secret, previousSecret, previousSecretUntil, ...hook }: SealedHook,
): ServedHook {
  const context = secretContext(hook.hookId)
  const kind = kinds[hook.kind]
  const current = { isSigned: kind.signatureCheck(seal.open(secret, context)), until: null }
  if (!previousSecret || !previousSecretUntil) return { ...hook, checks: [current] }
  // It may be unreadable, which is why the operator replaced it.
  const previous = keyOf(seal.keys, previousSecret, context)?.open(previousSecret, context)
  if (previous === undefined) return { ...hook, checks: [current] }
  return { ...hook, checks: [current, { isSigned: kind.signatureCheck(previous), until: previousSecretUntil }] }
}

const selectServed = statement<SealedHook>(
  'find_served_auth_hooks',
  `select h.id as "hookId", h.workspace_id as "workspaceId", h.kind, h.sender_id as "senderId", h.templates, h.pointers,
     h.secret, h.previous_secret as "previousSecret", h.previous_secret_until as "previousSecretUntil"
   from jsonb_to_recordset($1) as r (id uuid)
   cross join lateral (select * from auth_hooks where id = r.id and deleted_at is null limit 1) h
   cross join lateral (
     select 1 from workspaces where id = h.workspace_id and deletion_requested_at is null limit 1) w`,
)
