import { asWritten } from '../../locales/text.ts'
import { type Sql, statement } from '../lib/db/pool.ts'
import { FieldError } from '../lib/errors.ts'
import type { AccountToConnect } from './new-account.ts'
import type { AccountRef } from './templates/changes.ts'

type Identity = Pick<AccountToConnect, 'workspaceId' | 'wabaId' | 'graphUrl'>

/**
 * Another workspace has the account. Its text names no workspace, because the other one may be hidden from the person; it is
 * thrown only after WhatsApp has accepted an access token for the account.
 */
export class ConnectedElsewhereError extends FieldError {
  readonly elsewhere: AccountRef

  constructor(elsewhere: AccountRef) {
    super([{ field: 'wabaId', message: { code: 'accounts.connected_elsewhere' } }])
    this.elsewhere = elsewhere
  }

  /** For a person who may see the other workspace. */
  named(workspace: string): FieldError {
    const message = { code: 'accounts.connected_to', workspace: asWritten(workspace) } as const
    return new FieldError([{ field: 'wabaId', message }])
  }
}

const lockWaba = statement('lock_waba_id', `select pg_advisory_xact_lock(hashtext('doorcode: account ' || $1))`)

/** Of two workspaces that connect an account at the same time, the second waits and sees the first. Take it before other locks. */
export const lockAccountId = async (tx: Sql, { wabaId }: Identity): Promise<void> =>
  void (await tx.rows(lockWaba, [wabaId]))

/** More than there can be: one for each protocol and port of a host. */
const MAX_CANDIDATES = 100

/** An instance has few workspaces. `$2`: the hosts that are the same provider. */
const selectConnected = statement<AccountRef & { graphUrl: string }>(
  'find_connected_accounts',
  `select a.workspace_id as "workspaceId", a.id as "accountId", a.graph_url as "graphUrl"
   from workspaces w
   cross join lateral (select * from provider_accounts
     where workspace_id = w.id and waba_id = $1 and status <> 'removed'
       and lower(split_part(split_part(graph_url, '://', 2), '/', 1)) = any ($2)) a
   where w.deleted_at is null
   order by a.id limit ${MAX_CANDIDATES}`,
)

/**
 * The account in another workspace. Undefined if the workspace itself has it: then nothing is taken from another. Two emulators
 * may have accounts with one id, and an account of an emulator gives no right to the one at WhatsApp.
 */
export async function findElsewhere(
  sql: Sql,
  { workspaceId, wabaId, graphUrl }: Identity,
): Promise<AccountRef | undefined> {
  const rows = await sql.rows(selectConnected, [wabaId, hostsOf(graphUrl)])
  const first = rows.find((row) => originOf(row.graphUrl) === originOf(graphUrl))
  return first?.workspaceId === workspaceId ? undefined : first
}

const LOOPBACK = new Set(['localhost', '[::1]', '127.0.0.1'])

/** All spellings of the host that `originOf` takes for the same. */
function hostsOf(graphUrl: string): string[] {
  const { protocol, host, port } = providerOf(graphUrl)
  const names = LOOPBACK.has(host) ? [...LOOPBACK] : [host]
  const ports = port ? [`:${port}`] : ['', protocol === 'https:' ? ':443' : ':80']
  return names.flatMap((name) => ports.flatMap((each) => [`${name}${each}`, `${name}.${each}`]))
}

/** A DNS name may end in a dot. */
function providerOf(graphUrl: string): { protocol: string; host: string; port: string } {
  const { protocol, hostname, port } = new URL(graphUrl)
  return { protocol, host: hostname.replace(/\.$/, ''), port }
}

/** The Graph API without its version, and this machine under one name. */
function originOf(graphUrl: string): string {
  const { protocol, host, port } = providerOf(graphUrl)
  return `${protocol}//${LOOPBACK.has(host) ? '127.0.0.1' : host}:${port}`
}

/** Throws ConnectedElsewhereError. */
export async function assertNotElsewhere(sql: Sql, account: Identity): Promise<void> {
  const elsewhere = await findElsewhere(sql, account)
  if (elsewhere) throw new ConnectedElsewhereError(elsewhere)
}
