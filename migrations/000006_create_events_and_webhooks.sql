create table events (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  type text not null,
  message_id uuid,
  -- a ping goes to this endpoint alone
  endpoint_id uuid,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  -- the exact bytes that are signed and sent
  body text not null,
  unique (workspace_id, id),
  foreign key (workspace_id, message_id) references messages (workspace_id, id)
);

create index events_message on events (message_id) where message_id is not null;

create table webhook_endpoints (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  url text not null,
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz,
  status text not null,
  status_reason text,
  status_at timestamptz not null,
  -- since when there were only failures
  failing_since timestamptz,
  created_at timestamptz not null,
  unique (workspace_id, id),
  constraint endpoint_status check (status in ('enabled', 'paused', 'disabled')),
  constraint previous_secret_ends check ((previous_secret is null) = (previous_secret_until is null))
);

create index webhook_endpoints_workspace on webhook_endpoints (workspace_id);

-- One event on its way to one endpoint. due_at is schedule and lease.
create table webhook_deliveries (
  id uuid primary key,
  workspace_id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  status text not null,
  -- place in the retry schedule; starts anew when it is sent again
  step smallint not null default 0,
  attempts integer not null default 0,
  due_at timestamptz,
  lease uuid,
  created_at timestamptz not null,
  ended_at timestamptz,
  unique (event_id, endpoint_id),
  foreign key (workspace_id, event_id) references events (workspace_id, id),
  foreign key (workspace_id, endpoint_id) references webhook_endpoints (workspace_id, id),
  -- held: recorded while the endpoint was paused or disabled
  constraint delivery_status check (status in ('pending', 'succeeded', 'failed', 'held')),
  constraint pending_has_schedule check ((status = 'pending') = (due_at is not null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at) where due_at is not null;
-- What is sent again in bulk: mostly what never arrived.
create index webhook_deliveries_undelivered on webhook_deliveries (endpoint_id, created_at) where status in ('failed', 'held');
-- Rows come in order of time, so this costs next to nothing.
create index webhook_deliveries_created on webhook_deliveries using brin (created_at);

create table webhook_attempts (
  workspace_id uuid not null,
  delivery_id uuid not null references webhook_deliveries,
  attempt integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  http_status smallint,
  -- why there was no answer, or why it was no success
  error text,
  -- the first bytes of the answer's body
  response text,
  primary key (delivery_id, attempt)
);
