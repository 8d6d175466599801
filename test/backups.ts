import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { runCommand } from './command-line.ts'
import { INSTANCE_KEY } from './node.ts'
import { createDatabase, dropDatabase, serverUrl, urlOf, withConnection } from './postgres.ts'

/** As DOORCODE_SECRET_KEY. */
export const KEY = INSTANCE_KEY.toString('base64')

export async function newFile(t: TestContext): Promise<{ folder: string; file: string }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-backup-'))
  t.after(() => rm(folder, { recursive: true }))
  return { folder, file: path.join(folder, 'doorcode.backup') }
}

let databases = 0

export async function emptyDatabase(t: TestContext): Promise<string> {
  const name = `restored_${process.pid}_${++databases}`
  await createDatabase(serverUrl(), name)
  t.after(() => dropDatabase(serverUrl(), name))
  return urlOf(serverUrl(), name)
}

/** The result of a command that must succeed. */
export async function command(
  words: readonly string[],
  environment: Record<string, string>,
): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand([...words, '--json'], environment)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as Record<string, unknown>
}

export const environmentOf = ({ databaseUrl }: { databaseUrl: string }): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  DOORCODE_SECRET_KEY: KEY,
})

export const backUp = (world: { databaseUrl: string }, file: string, ...options: string[]) =>
  command(['backup', file, ...options], environmentOf(world))

/** As SQL names them, unlogged ones left out. */
export async function tablesOf(url: string): Promise<string[]> {
  const { rows } = await withConnection(url, (connection) =>
    connection.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname in ('public', 'auth') order by 1`,
    ),
  )
  return rows.map(({ name }) => name)
}
