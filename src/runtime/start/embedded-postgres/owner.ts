import fs from 'node:fs/promises'
import path from 'node:path'
import { type Client, DatabaseError, escapeLiteral } from 'pg'
import { StartupError } from '../../../lib/errors.ts'
import { readPassword, writePassword } from './cluster.ts'
import type { SystemUser } from './system-user.ts'

/** Doorcode connects as this role, which owns the database and is not a superuser. In compose too. */
export const OWNER = 'doorcode_owner'

/** Also by an earlier release, which connected as the superuser and may still run. */
const LOCK_TIMEOUT_MS = 3_000

const HAND_OVER = path.join(import.meta.dirname, 'hand-over.sql')

/**
 * Creates the role on the first start, and gives it what an earlier release made as the superuser. `client` is the superuser's,
 * and the caller holds the folder's lock. Returns the role's password.
 */
export async function prepareOwner(client: Client, file: string, user: SystemUser | undefined): Promise<string> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [OWNER])
  const isComplete = rowCount === 1 && (await fs.stat(file).catch(() => undefined)) !== undefined
  if (!isComplete) await writePassword(file, user)
  const password = await readPassword(file)
  try {
    // The password is already in its file, so the role must outlive a crash, also of a server that is not durable.
    await client.query(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local synchronous_commit = on`)
    if (rowCount === 0) await client.query(`create role ${OWNER} login; grant pg_monitor to ${OWNER}`)
    if (!isComplete) await client.query(`alter role ${OWNER} password ${escapeLiteral(password)}`)
    if (rowCount === 0) await client.query(`alter database postgres owner to ${OWNER}`)
    await client.query(await fs.readFile(HAND_OVER, 'utf8'))
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    if (!isComplete) await fs.rm(file, { force: true }) // the next start sets the password again
    throw error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE ? new StartupError(IN_USE) : error
  }
  return password
}

const LOCK_NOT_AVAILABLE = '55P03'
const IN_USE =
  'The embedded PostgreSQL is in use by an earlier release of Doorcode or another program, so the role that Doorcode connects as now cannot become the owner of its tables. Stop it, then start Doorcode again.'
