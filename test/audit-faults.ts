import type { World } from './world.ts'

/** Makes writing audit log entries fail if they match an SQL condition on `new`. */
export async function failAuditEntries(world: World, condition: string): Promise<{ again(): Promise<void> }> {
  await world.ask(`
    create or replace function refuse_entry() returns trigger language plpgsql
      as $$ begin raise exception 'the audit log takes no entry' using errcode = 'P0001'; end $$`)
  await world.ask(
    `create trigger refused before insert on audit_log for each row when (${condition}) execute function refuse_entry()`,
  )
  return { again: async () => void (await world.ask('drop function refuse_entry cascade')) }
}

/**
 * The content of every table, without what changes at any time: the next sync, the last use of a key, nodes and leases.
 */
export async function stateOf(world: World): Promise<Record<string, string>> {
  const tables = await world.ask<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'auth')
       and tablename not in ('nodes', 'leases')
     order by name`,
  )
  const state: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await world.ask<{ digest: string }>(
      `select md5(coalesce(string_agg(row, ' ' order by row), '')) as digest
       from (select (to_jsonb(t) - 'sync_due_at' - 'last_used_at')::text as row from ${name} t) rows`,
    )
    state[name] = row?.digest ?? ''
  }
  return state
}
