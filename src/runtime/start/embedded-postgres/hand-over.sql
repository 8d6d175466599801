-- Gives doorcode_owner everything outside the schemas of PostgreSQL that the superuser has made, except extensions and what
-- follows its table. Run by a start with the embedded PostgreSQL, and in compose by deploy/compose/create-owner.sh.
do $$
declare each record;
begin
  for each in
    with schemas as (
      select oid, nspname, nspowner from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
    ), dependent as (
      select classid, objid from pg_depend where deptype = 'e' or (deptype in ('a', 'i') and refobjsubid > 0)
    ), objects as (
      select 'schema' as kind, quote_ident(nspname) as name, nspowner as owner, 'pg_namespace'::regclass as class, oid from schemas
      union all
      select case relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass::text, relowner, 'pg_class'::regclass, c.oid
      from pg_class c join schemas s on s.oid = relnamespace where relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      union all
      select 'routine', p.oid::regprocedure::text, proowner, 'pg_proc'::regclass, p.oid
      from pg_proc p join schemas s on s.oid = pronamespace
      union all
      select 'type', t.oid::regtype::text, typowner, 'pg_type'::regclass, t.oid
      from pg_type t join schemas s on s.oid = typnamespace where typtype in ('d', 'e')
    )
    select kind, name from objects o
    where owner = current_user::regrole
      and not exists (select from dependent d where d.classid = o.class and d.objid = o.oid)
  loop
    execute format('alter %s %s owner to doorcode_owner', each.kind, each.name);
  end loop;
end $$;
