import type { World } from '../world/world.ts'

/** Makes writing audit log entries fail if they match an SQL condition on `new`. */
export async function failAuditEntries(world: World, condition: string): Promise<{ again(): Promise<void> }> {
  await world.query(`
    create or replace function reject_entry() returns trigger language plpgsql
      as $$ begin raise exception 'the audit log takes no entry' using errcode = 'P0001'; end $$`)
  await world.query(
    `create trigger rejected before insert on audit_log for each row when (${condition}) execute function reject_entry()`,
  )
  return { again: async () => void (await world.query('drop function reject_entry cascade')) }
}

/**
 * The content of every table, without what changes at any time: the next sync, the last use of a key, nodes, leases, the doctor’s runs and
 * paces. Leaves out the rows of other workspaces, because other tests share the database.
 */
export async function stateOf(world: World): Promise<Record<string, string>> {
  const tables = await world.query<{ name: string; owned: boolean }>(
    `select format('%I.%I', nspname, relname) as name,
       exists (select from pg_attribute where attrelid = c.oid and attname = 'workspace_id') as owned
     from pg_class c join pg_namespace n on n.oid = relnamespace
     where nspname in ('public', 'auth') and relkind in ('r', 'p') and relname not in ('nodes', 'leases', 'doctor_runs', 'pair_pace', 'rate_limits', 'removal_guard', 'retention', 'retention_postponed')
     order by 1`, // the views of information_schema take 50 ms
  )
  const digests = tables.map(
    ({ name, owned }) =>
      `select '${name}' as name, md5(coalesce(string_agg(row, ' ' order by row), '')) as digest
       from (select (to_jsonb(t) - 'sync_due_at' - 'last_used_at')::text as row from ${name} t
             ${owned ? `where workspace_id = '${world.workspaceId}'` : ''}) rows`,
  )
  const rows = await world.query<{ name: string; digest: string }>(digests.join(' union all '))
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
}
