-- The order in which callers read events (docs/webhooks.md#reading-events). Ids are made before the commit, so an event may be
-- committed after one with a later id. The transaction's number has the same fault, but PostgreSQL knows the lowest one that is
-- still running: everything below it is complete, and only that is read.
alter table events add column recorded_xid xid8 not null default '0';
alter table events alter column recorded_xid set default pg_current_xact_id();

-- Without pings, and without events whose content was removed.
create index events_recorded on events (workspace_id, recorded_xid, id) where endpoint_id is null and body <> '';
