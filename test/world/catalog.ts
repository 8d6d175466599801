import { withConnection } from '../database/postgres.ts'

/** Leaves out PostgreSQL's own objects. */
const OURS = `n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_'`

const CATALOG = `
  select 'extension', extname, extversion from pg_extension
  union all
  select 'schema', nspname, nspacl::text from pg_namespace n where ${OURS}
  union all
  select 'relation', c.oid::regclass::text,
    concat_ws(' ', c.relkind, c.relpersistence, c.relreplident, c.reloptions, c.relacl, c.relrowsecurity)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OURS}
  union all
  select 'column', c.oid::regclass || '.' || a.attname,
    concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attstorage,
      a.attcompression, a.attcollation::regcollation, a.attacl, a.attoptions, pg_get_expr(d.adbin, d.adrelid))
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attnum > 0 and not a.attisdropped and c.relkind <> 'i' and ${OURS}
  union all
  select 'constraint', k.conrelid::regclass || '.' || k.conname, concat_ws(' ', pg_get_constraintdef(k.oid), k.convalidated)
  from pg_constraint k join pg_namespace n on n.oid = k.connamespace where ${OURS} and k.contype <> 'n'
  union all
  select 'index', i.indexrelid::regclass::text, concat_ws(' ', pg_get_indexdef(i.indexrelid), i.indisvalid)
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace where ${OURS}
  union all
  select 'function', p.oid::regprocedure::text, pg_get_functiondef(p.oid)
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace where p.prokind <> 'a' and ${OURS}
  union all
  select 'trigger', t.tgrelid::regclass || '.' || t.tgname, pg_get_triggerdef(t.oid)
  from pg_trigger t where not t.tgisinternal
  union all
  select 'type', t.oid::regtype::text, t.typtype::text
  from pg_type t join pg_namespace n on n.oid = t.typnamespace where ${OURS}
  union all
  select 'rule', r.ev_class::regclass || '.' || r.rulename, pg_get_ruledef(r.oid)
  from pg_rewrite r join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace where ${OURS}
  union all
  select 'policy', polrelid::regclass || '.' || polname, pg_get_expr(polqual, polrelid) from pg_policy
  union all
  select 'statistics', stxname, pg_get_statisticsobjdef(oid) from pg_statistic_ext
  union all
  select 'default grant', defaclobjtype::text, defaclacl::text from pg_default_acl`

/** Everything that a database's schema consists of, without the order of columns. */
export function readCatalog(url: string): Promise<string[]> {
  return withConnection(url, async (connection) => {
    const answer = await connection.query<string[]>({ text: CATALOG, rowMode: 'array' })
    return answer.rows.map((row) => row.join(' | ')).sort()
  })
}
