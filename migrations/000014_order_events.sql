-- The order in which callers read events (docs/webhooks.md#reading-events). Ids are made before the commit, so an event may be
-- committed after one with a later id. The transaction's number has the same fault, but PostgreSQL knows the lowest one that is
-- still running: everything below it is complete, and only that is read.
alter table events add column recorded_order bigint not null default 0;

-- Each PostgreSQL server counts its transactions for itself. A restored database adds so much to the numbers of its new server
-- that they come after those of the events it has.
alter table instance add column added_to_order bigint not null default 0;

create function next_recorded_order() returns bigint language sql volatile as
  $$ select coalesce((select added_to_order from instance), 0) + pg_current_xact_id()::text::bigint $$;
-- holds events.recorded_order: the function reads the row of the instance and the number of the transaction, and changes nothing
alter table events alter column recorded_order set default next_recorded_order();

-- Without pings, and without events whose content was removed.
-- holds events_recorded: part of 0.1.0, so no release before it writes events meanwhile
create index events_recorded on events (workspace_id, recorded_order, id) where endpoint_id is null and body <> '';
