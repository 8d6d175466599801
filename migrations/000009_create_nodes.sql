-- The processes that work on this database. Each holds an advisory lock on its id as long as its connection lives.
create table nodes (
  id uuid primary key,
  roles text[] not null,
  settings jsonb not null,
  version text not null,
  started_at timestamptz not null,
  -- by the database's clock, even in tests that move the program's clock
  seen_at timestamptz not null,
  constraint node_roles check (roles <@ array['api', 'worker', 'dashboard'])
) with (fillfactor = 50);

-- What one claim took; its id is in messages.lease or webhook_deliveries.lease. Housekeeping removes rows after seconds.
create table leases (
  id uuid primary key,
  -- without a foreign key: a node taken for dead goes on under its id, and commands work without a row in nodes
  node_id uuid not null,
  kind text not null,
  item_ids uuid[] not null,
  taken_at timestamptz not null,
  -- of messages: written before the first byte of a request; while it is null, nothing was sent
  begun_at timestamptz,
  constraint lease_kind check (kind in ('messages', 'deliveries')),
  constraint only_messages_begin check (kind = 'messages' or begun_at is null),
  constraint lease_holds_something check (cardinality(item_ids) > 0)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

create index leases_taken on leases (taken_at);

-- The trace of the request that created a message or a confirmation, written only with tracing on (docs/tracing.md): what follows
-- joins it. Apart from the rows themselves, so that tracing costs nothing while it is off. Housekeeping removes rows after days.
create table traces (
  -- of the message or the confirmation, without a foreign key: it is written before that row, and may outlive it
  id uuid primary key,
  -- as in the header of W3C Trace Context
  traceparent text not null,
  created_at timestamptz not null
);

create index traces_created on traces (created_at);
