-- A cash-on-delivery confirmation: the request, the state that src/cod/confirmation.ts decides, and its armed timers.
-- Timers are in the real time of the database; what callers see is in the workspace's time (workspaces.clock_offset).
create table confirmations (
  id uuid primary key,
  -- Its sender's and its first message's, which is inserted by the same statement and whose foreign key says that both
  -- exist. A foreign key here would look up the same sender again, a twentieth of what a confirmation costs.
  workspace_id uuid not null,
  sender_id uuid not null,
  recipient text not null,
  template_name text not null,
  template_language text not null,
  -- as the request gave them, to compare a repeat with; what is sent stands in the first message
  parameters jsonb not null,
  reference text not null,
  idempotency_key text,
  correlation_id uuid not null,
  api_key_id text not null,
  quota_unit integer not null,
  created_at timestamptz not null,
  -- how the provider names the customer; learned from its answers
  customer_user_id text,

  status text not null,
  answered_at timestamptz,
  reschedule jsonb,
  choices jsonb,
  failure_code text,
  failed_at timestamptz,
  reminder_at timestamptz,
  deadline_at timestamptz,
  follow_up_at timestamptz,
  closing_sent boolean not null default false,
  follow_up smallint not null default 0,
  asked_at timestamptz,
  -- of the latest event, of this or of the refusal check: occurredAt rises strictly
  last_event_at timestamptz,
  timer_due_at timestamptz generated always as (least(reminder_at, deadline_at, follow_up_at)) stored,

  unique (workspace_id, id),
  constraint confirmation_status check (status in (
    'accepted', 'awaiting_answer', 'confirmed', 'cancelled', 'rescheduling', 'rescheduled', 'no_response', 'failed')),
  constraint confirmation_failed_has_failure check ((status = 'failed') = (failure_code is not null)),
  constraint confirmation_rescheduled_has_reschedule check ((status = 'rescheduled') = (reschedule is not null))
) with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

create unique index confirmations_idempotency_key on confirmations (workspace_id, idempotency_key) where idempotency_key is not null;
create index confirmations_timer on confirmations (timer_due_at) where timer_due_at is not null;
-- a customer's message without a payload looks for the customer's confirmations, by number or by the provider's user id
create index confirmations_customer on confirmations (sender_id, recipient, id);
create index confirmations_customer_user on confirmations (sender_id, customer_user_id, id) where customer_user_id is not null;

-- At most one per confirmation.
create table refusal_checks (
  confirmation_id uuid primary key,
  workspace_id uuid not null,
  template_name text not null,
  template_language text not null,
  parameters jsonb not null,
  idempotency_key text,
  correlation_id uuid not null,
  api_key_id text not null,
  quota_unit integer not null,
  created_at timestamptz not null,
  first_message_id uuid not null,

  status text not null,
  answered_at timestamptz,
  reason text,
  note text,
  failure_code text,
  failed_at timestamptz,
  reminder_at timestamptz,
  deadline_at timestamptz,
  follow_up_at timestamptz,
  closing_sent boolean not null default false,
  list smallint not null default 0,
  asked_at timestamptz,
  timer_due_at timestamptz generated always as (least(reminder_at, deadline_at, follow_up_at)) stored,

  foreign key (workspace_id, confirmation_id) references confirmations (workspace_id, id),
  constraint refusal_status check (status in (
    'accepted', 'awaiting_answer', 'awaiting_reason', 'awaiting_note', 'denied', 'refusal_confirmed', 'no_response', 'failed')),
  constraint refusal_failed_has_failure check ((status = 'failed') = (failure_code is not null))
) with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.02);

create unique index refusal_checks_idempotency_key on refusal_checks (workspace_id, idempotency_key) where idempotency_key is not null;
create index refusal_checks_timer on refusal_checks (timer_due_at) where timer_due_at is not null;

-- Every answer ever given.
create table cod_answers (
  id uuid primary key,
  workspace_id uuid not null,
  confirmation_id uuid not null,
  check_kind text not null,
  answer text not null,
  detail jsonb,
  answered_at timestamptz not null,
  foreign key (workspace_id, confirmation_id) references confirmations (workspace_id, id),
  constraint answer_check check (check_kind in ('confirmation', 'refusal'))
);

create index cod_answers_confirmation on cod_answers (confirmation_id);
