import fs from 'node:fs/promises'
import { type Client, escapeLiteral } from 'pg'
import { readPassword, writePassword } from './cluster.ts'
import type { SystemUser } from './system-user.ts'

/** Doorcode connects as this role, which owns the database and is not a superuser. In compose too. */
export const OWNER = 'doorcode_owner'

/**
 * Creates the role on the first start, and sets its password again if the file is missing. `client` is the superuser's, and
 * the caller holds the folder's lock. Returns the role's password.
 */
export async function prepareOwner(client: Client, file: string, user: SystemUser | undefined): Promise<string> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [OWNER])
  if (rowCount === 1 && (await fs.stat(file).catch(() => undefined)) !== undefined) return readPassword(file)
  await writePassword(file, user)
  const password = await readPassword(file)
  try {
    // The password is already in its file, so the role must outlive a crash, also of a server that is not durable.
    await client.query('begin; set local synchronous_commit = on')
    if (rowCount === 0) await client.query(`create role ${OWNER} login; grant pg_monitor to ${OWNER}`)
    await client.query(`alter role ${OWNER} password ${escapeLiteral(password)}`)
    if (rowCount === 0) await client.query(`alter database postgres owner to ${OWNER}`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    await fs.rm(file, { force: true }) // the next start sets the password again
    throw error
  }
  return password
}
