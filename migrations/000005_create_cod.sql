-- The document is validated when it is set (docs/cod-settings.md).
create table cod_settings (
  workspace_id uuid primary key references workspaces,
  document jsonb not null,
  updated_at timestamptz not null,
  constraint document_is_an_object check (jsonb_typeof(document) = 'object')
);

-- A cash-on-delivery confirmation: the request, the state of its conversation (docs/cod.md) and its timers. Timers are in
-- the database's real time; what clients see is in the workspace's time (workspaces.clock_offset_ms).
create table confirmations (
  id uuid primary key,
  -- Both are those of the first message, which the same statement inserts: its foreign key proves that they exist. A
  -- foreign key here would look up the same sender again, a twentieth of what a confirmation costs.
  workspace_id uuid not null,
  sender_id uuid not null,
  recipient text not null,
  -- how the provider names the customer; learned from its reports
  customer_user_id text,
  template_name text not null,
  template_language text not null,
  -- as requested, to compare a repeated request with; what is sent is in the first message
  parameters jsonb not null,
  reference text not null,
  idempotency_key text,
  correlation_id uuid not null,
  api_key_id text not null,
  quota_unit integer not null,
  created_at timestamptz not null,

  status text not null,
  asked_at timestamptz,
  answered_at timestamptz,
  -- When the customer gave the answers in force. WhatsApp repeats webhooks for days and nodes process them in any order:
  -- an answer older than the one in force changes nothing.
  answer_times jsonb,
  choices jsonb,
  round smallint not null default 0,
  reschedule jsonb,
  closing_sent boolean not null default false,
  failure_code text,
  failed_at timestamptz,
  -- of the latest event of the confirmation or its refusal check: occurredAt rises strictly
  last_event_at timestamptz,
  -- How many inputs changed the confirmation or its refusal check, numbered under the lock of the row. An answer has the number
  -- of the report that brought it.
  inputs integer not null default 0,
  -- The first 200 timers, failed messages and erasures that changed it. Each has its input number and how far the workspace's clock
  -- was ahead. Null: none.
  internal_inputs jsonb,

  reminder_at timestamptz,
  deadline_at timestamptz,
  follow_up_at timestamptz,
  timer_due_at timestamptz generated always as (least(reminder_at, deadline_at, follow_up_at)) stored,
  -- A timer that failed is tried again at timer_retry_at. After the last try it is quarantined, until an operator
  -- releases it.
  timer_tries smallint not null default 0,
  -- coded text
  timer_error jsonb,
  timer_retry_at timestamptz,
  timer_quarantined_at timestamptz,

  unique (workspace_id, id),
  constraint confirmation_status check (status in (
    'accepted', 'awaiting_answer', 'confirmed', 'cancelled', 'rescheduling', 'rescheduled', 'no_response', 'failed')),
  constraint confirmation_without_answer_has_no_answer_times
    check (answer_times is null or status not in ('accepted', 'awaiting_answer', 'no_response', 'failed')),
  constraint confirmation_rescheduled_has_reschedule check ((status = 'rescheduled') = (reschedule is not null)),
  constraint internal_inputs_are_a_list check (jsonb_typeof(internal_inputs) = 'array'),
  constraint confirmation_failed_has_failure check ((status = 'failed') = (failure_code is not null)),
  constraint confirmation_quarantine_has_error check (timer_quarantined_at is null or timer_error is not null)
) with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

create unique index confirmations_idempotency_key on confirmations (workspace_id, idempotency_key) where idempotency_key is not null;
-- For search only; the condition, which always holds, is that of blocked_recipients_time.
create index confirmations_reference on confirmations (workspace_id, reference, id) where reference <> '';
-- Without quarantined timers, which then cost nothing however many they are.
create index confirmations_timer on confirmations (timer_due_at)
  where timer_due_at is not null and timer_quarantined_at is null;
create index confirmations_quarantined on confirmations (timer_quarantined_at, workspace_id)
  where timer_quarantined_at is not null;
-- A customer's confirmations, by number or by the provider's user id. The customer comes before the sender: otherwise
-- either search could take the other's index and read all confirmations of the sender.
create index confirmations_customer on confirmations (recipient, sender_id, id);
create index confirmations_customer_user on confirmations (customer_user_id, sender_id, id) where customer_user_id is not null;

-- The question whether the customer refused the parcel, at most one per confirmation. Columns as in confirmations.
create table refusal_checks (
  confirmation_id uuid primary key,
  workspace_id uuid not null,
  first_message_id uuid not null,
  template_name text not null,
  template_language text not null,
  parameters jsonb not null,
  idempotency_key text,
  correlation_id uuid not null,
  api_key_id text not null,
  quota_unit integer not null,
  created_at timestamptz not null,

  status text not null,
  asked_at timestamptz,
  answered_at timestamptz,
  answer_times jsonb,
  round smallint not null default 0,
  reason text,
  note text,
  closing_sent boolean not null default false,
  failure_code text,
  failed_at timestamptz,

  reminder_at timestamptz,
  deadline_at timestamptz,
  follow_up_at timestamptz,
  timer_due_at timestamptz generated always as (least(reminder_at, deadline_at, follow_up_at)) stored,
  timer_tries smallint not null default 0,
  timer_error jsonb,
  timer_retry_at timestamptz,
  timer_quarantined_at timestamptz,

  foreign key (workspace_id, confirmation_id) references confirmations (workspace_id, id),
  constraint refusal_status check (status in (
    'accepted', 'awaiting_answer', 'awaiting_reason', 'awaiting_note', 'denied', 'refusal_confirmed', 'no_response', 'failed')),
  constraint refusal_without_answer_has_no_answer_times
    check (answer_times is null or status not in ('accepted', 'awaiting_answer', 'no_response', 'failed')),
  constraint refusal_failed_has_failure check ((status = 'failed') = (failure_code is not null)),
  constraint refusal_quarantine_has_error check (timer_quarantined_at is null or timer_error is not null)
) with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.02);

create unique index refusal_checks_idempotency_key on refusal_checks (workspace_id, idempotency_key) where idempotency_key is not null;
-- For the pace of refusal checks and their charts; the condition, which always holds, is as in blocked_recipients_time.
create index refusal_checks_created on refusal_checks (workspace_id, created_at) where created_at > '-infinity';
create index refusal_checks_timer on refusal_checks (timer_due_at)
  where timer_due_at is not null and timer_quarantined_at is null;
create index refusal_checks_quarantined on refusal_checks (timer_quarantined_at, workspace_id)
  where timer_quarantined_at is not null;

-- Every answer that a customer ever gave.
create table cod_answers (
  id uuid primary key,
  workspace_id uuid not null,
  confirmation_id uuid not null,
  check_kind text not null,
  answer text not null,
  detail jsonb,
  answered_at timestamptz not null,
  -- an older answer that was reported after a later one
  superseded boolean not null default false,
  -- The customer's message. Times cannot identify it: the provider's are whole seconds.
  report_id uuid,
  foreign key (workspace_id, confirmation_id) references confirmations (workspace_id, id),
  constraint answer_check check (check_kind in ('confirmation', 'refusal'))
);

create index cod_answers_confirmation on cod_answers (confirmation_id);
