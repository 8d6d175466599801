-- The order in which clients read events (docs/webhooks.md#reading-events). Ids are made before the commit, so an event may be
-- committed after one with a later id. The transaction's number has the same fault, but PostgreSQL knows the lowest one that is
-- still running: everything below it is complete, and only that is read.
create function next_recorded_order() returns bigint language sql volatile as
  $$ select coalesce((select added_to_order from instance), 0) + pg_current_xact_id()::text::bigint $$;

create table events (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  type text not null,
  message_id uuid,
  confirmation_id uuid,
  -- of a conversation: the answer, timer, failed message or erasure that triggered it (confirmations.inputs)
  input_number integer,
  -- of a ping, which goes to this endpoint only
  endpoint_id uuid,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  -- the exact bytes that are signed and sent
  body text not null,
  recorded_order bigint not null default next_recorded_order(),
  unique (workspace_id, id),
  foreign key (workspace_id, message_id) references messages (workspace_id, id),
  foreign key (workspace_id, confirmation_id) references confirmations (workspace_id, id)
);

-- With the workspace: see messages_provider_message_id.
create index events_message on events (message_id, workspace_id) where message_id is not null;
create index events_confirmation on events (confirmation_id, workspace_id) where confirmation_id is not null;
-- Without pings, and without events whose content was removed.
create index events_recorded on events (workspace_id, recorded_order, id) where endpoint_id is null and body <> '';

create table webhook_endpoints (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  url text not null,
  -- shown instead of the URL; empty: none
  description text not null default '',
  -- the types that it receives; null: all, including those that later releases add. A ping is always sent.
  event_types text[],
  -- which types it received before is not stored
  event_types_changed_at timestamptz,
  -- earlier attempts went to another URL
  url_changed_at timestamptz,
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz,
  status text not null,
  -- coded text
  status_reason jsonb,
  status_at timestamptz not null,
  -- start of the current run of failures
  failing_since timestamptz,
  -- When an endpoint succeeds after failures, its waiting deliveries are brought forward step by step, oldest first.
  -- release_at is when the next step is due, and null when nothing is being released.
  release_at timestamptz,
  -- failures in a row since the release began
  release_failures smallint not null default 0,
  created_at timestamptz not null,
  -- A deleted endpoint stays for its deliveries, which reference it.
  deleted_at timestamptz,
  unique (workspace_id, id),
  constraint endpoint_status check (status in ('enabled', 'paused', 'disabled')),
  constraint previous_secret_ends check ((previous_secret is null) = (previous_secret_until is null)),
  constraint release_failures_of_release check (release_failures = 0 or release_at is not null),
  constraint event_types_not_empty check (cardinality(event_types) > 0),
  constraint deleted_has_no_secret check (
    deleted_at is null or (status = 'disabled' and length(secret) = 0 and previous_secret is null))
);

-- Every event reads the endpoints of its workspace: those that were deleted must cost nothing.
create index webhook_endpoints_workspace on webhook_endpoints (workspace_id) where deleted_at is null;
create index webhook_endpoints_release on webhook_endpoints (release_at) where release_at is not null;

-- One event for one endpoint. due_at is its schedule and its lease.
create table webhook_deliveries (
  id uuid primary key,
  workspace_id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  status text not null,
  created_at timestamptz not null,
  ended_at timestamptz,

  due_at timestamptz,
  lease uuid,
  attempts integer not null default 0,
  -- position in the retry schedule; starts again at 0 when the event is sent again
  step smallint not null default 0,
  -- from when a release may bring the next attempt forward, and the order in which it does
  early_at timestamptz,
  -- failed attempts that were brought forward
  early_attempts smallint not null default 0,
  -- the regular time of the attempt that was brought forward, to return to when it fails
  scheduled_at timestamptz,

  unique (event_id, endpoint_id),
  foreign key (workspace_id, event_id) references events (workspace_id, id),
  foreign key (workspace_id, endpoint_id) references webhook_endpoints (workspace_id, id),
  -- held: recorded while the endpoint was paused or disabled
  constraint delivery_status check (status in ('pending', 'succeeded', 'failed', 'held')),
  constraint pending_has_schedule check ((status = 'pending') = (due_at is not null)),
  constraint early_attempts_limit check (early_attempts between 0 and 8)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at) where due_at is not null;
-- For sending again in bulk, mostly what never arrived.
create index webhook_deliveries_undelivered on webhook_deliveries (endpoint_id, created_at) where status in ('failed', 'held');
-- Rows are inserted in the order of time, so this costs almost nothing.
create index webhook_deliveries_created on webhook_deliveries using brin (created_at);
-- The delivery log of an endpoint, newest first, and only its failed or held deliveries: a few failed ones are found
-- among a million held ones.
create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_missed on webhook_deliveries (endpoint_id, status, id) where status in ('failed', 'held');
-- Retries only: a delivery that succeeds at its first attempt never enters it.
create index webhook_deliveries_early on webhook_deliveries (endpoint_id, early_at)
  where early_at is not null and lease is null and due_at is not null;

create table webhook_attempts (
  workspace_id uuid not null,
  delivery_id uuid not null references webhook_deliveries,
  attempt integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  http_status smallint,
  -- coded text: why there was no answer, or why the answer is no success
  error jsonb,
  -- the first bytes of the answer's body
  response text,
  primary key (delivery_id, attempt)
);
