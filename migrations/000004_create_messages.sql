-- Every outgoing message. The row that carries the status is the job as well: due_at is schedule and lease.
create table messages (
  id uuid primary key,
  -- its sender's, whose foreign key says that the workspace exists
  workspace_id uuid not null,
  kind text not null,
  sender_id uuid not null,
  recipient text not null,
  template_name text not null,
  template_language text not null,
  reference text,
  idempotency_key text,
  code bytea,
  correlation_id uuid not null,
  api_key_id text not null,
  quota_unit integer not null,
  created_at timestamptz not null,

  status text not null,
  sent_at timestamptz,
  failure_code text,
  failed_at timestamptz,
  sent_event_at timestamptz,
  failed_event_at timestamptz,

  -- 0 goes before 1
  priority smallint not null,
  submit_by timestamptz not null,
  due_at timestamptz,
  lease uuid,
  attempts smallint not null default 0,
  -- set while an attempt may have reached the provider and its outcome is not known
  attempted_at timestamptz,
  unknown_outcomes smallint not null default 0,
  -- what the last refused attempt would have failed with: the window may close before another one
  last_failure_code text,
  provider_message_id text,
  accepted_at timestamptz,

  unique (workspace_id, id),
  foreign key (workspace_id, sender_id) references senders (workspace_id, id),
  constraint message_kind check (kind in ('otp')),
  constraint message_status check (status in ('accepted', 'received', 'queued', 'sending', 'sent', 'delivered', 'read', 'played', 'failed')),
  constraint failed_has_failure check ((status = 'failed') = (failure_code is not null)),
  constraint failure_has_time check ((failure_code is null) = (failed_at is null)),
  -- a code lives only as long as a send may still need it
  constraint code_only_while_due check (code is null or due_at is not null)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

create unique index messages_idempotency_key on messages (workspace_id, kind, idempotency_key) where idempotency_key is not null;
create index messages_due on messages (sender_id, priority, due_at) where due_at is not null;
create index messages_provider_message_id on messages (provider_message_id) where provider_message_id is not null;

-- Every ended attempt to submit a message.
create table message_attempts (
  workspace_id uuid not null,
  message_id uuid not null,
  attempt smallint not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  outcome text not null,
  http_status smallint,
  provider_code integer,
  detail text,
  primary key (message_id, attempt),
  foreign key (workspace_id, message_id) references messages (workspace_id, id),
  constraint attempt_outcome check (outcome in ('accepted', 'retry', 'refused', 'unknown'))
);
