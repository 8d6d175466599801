-- Every outgoing message. The row that carries the status is the job as well: due_at is its schedule and its lease.
create table messages (
  id uuid primary key,
  -- the sender's foreign key proves that the workspace exists
  workspace_id uuid not null,
  kind text not null,
  sender_id uuid not null,
  recipient text not null,
  template_name text,
  template_language text,
  reference text,
  idempotency_key text,
  correlation_id uuid,
  api_key_id text,
  quota_unit integer,
  created_at timestamptz not null,

  -- of an OTP: the sealed code
  code bytea,
  -- of an OTP that sends the code of a verification again. Without a foreign key: nothing needs the verification afterwards.
  verification_id uuid,
  -- of an OTP: within what time its delivery must be reported
  deliver_within_seconds smallint,

  -- Of a conversation. Without a foreign key, which would lock each new confirmation again, a twentieth of its cost:
  -- the statement that inserts the message inserts or locks the confirmation, and a confirmation is deleted only after its
  -- messages.
  confirmation_id uuid,
  check_kind text,
  purpose text,
  -- what is sent
  content jsonb,
  -- of a question: what each choice means, and the follow-up or list that it belongs to
  offered jsonb,
  round smallint,

  status text not null,
  provider_message_id text,
  accepted_at timestamptz,
  sent_at timestamptz,
  sent_event_at timestamptz,
  failure_code text,
  failed_at timestamptz,
  failed_event_at timestamptz,
  undelivered_event_at timestamptz,
  -- the input number of Doorcode's decision that no delivery was reported in time
  undelivered_input integer,
  -- Doorcode's own decision that the message failed: its input number, the failure code, the real time, and how far the clock was ahead
  own_failure jsonb,
  -- How many reports, and decisions of our own, were applied. Each gets its number under the lock of the row, so a replay needs
  -- no other order.
  inputs integer not null default 0,

  -- lowest first
  priority smallint not null,
  submit_by timestamptz not null,
  due_at timestamptz,
  lease uuid,
  attempts smallint not null default 0,
  -- set while an attempt may have reached the provider and its outcome is unknown
  attempted_at timestamptz,
  unknown_outcomes smallint not null default 0,
  -- the failure if submit_by passes before another attempt
  last_failure_code text,
  -- When message.undelivered is due, by the real clock; later if recording it has failed. Null when it is not awaited any more.
  deliver_by timestamptz,
  deliver_tries smallint not null default 0,

  -- A message that is past submit_by and cannot be failed is tried again at due_at. After the last try it is
  -- quarantined, until an operator releases it.
  finish_tries smallint not null default 0,
  -- coded text
  finish_error jsonb,
  quarantined_at timestamptz,

  unique (workspace_id, id),
  foreign key (workspace_id, sender_id) references senders (workspace_id, id),
  constraint message_kind check (kind in ('otp', 'cod')),
  constraint message_check check (check_kind in ('confirmation', 'refusal')),
  constraint message_purpose check (purpose in
    ('template', 'reminder', 'day_question', 'time_question', 'reasons_question', 'note_prompt', 'closing')),
  constraint message_status check (status in
    ('accepted', 'received', 'queued', 'sending', 'sent', 'delivered', 'read', 'played', 'failed')),
  constraint otp_is_whole check (kind <> 'otp' or (template_name is not null and template_language is not null
    and correlation_id is not null and api_key_id is not null and quota_unit is not null)),
  constraint cod_is_whole check (kind <> 'cod' or (confirmation_id is not null and check_kind is not null
    and purpose is not null and content is not null)),
  -- a code is kept only while a send may still need it
  constraint code_only_while_due check (code is null or due_at is not null),
  constraint failed_has_failure check ((status = 'failed') = (failure_code is not null)),
  constraint deadline_is_of_otp check (deliver_within_seconds is null or kind = 'otp'),
  constraint deadline_was_asked_for check (deliver_within_seconds is not null or (deliver_by is null and undelivered_event_at is null)),
  constraint undelivered_once check (deliver_by is null or undelivered_event_at is null),
  constraint failure_has_time check ((failure_code is null) = (failed_at is null)),
  constraint quarantined_is_not_due check (quarantined_at is null or due_at is null),
  constraint message_quarantine_has_error check (quarantined_at is null or finish_error is not null)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

create unique index messages_idempotency_key on messages (workspace_id, kind, idempotency_key)
  where idempotency_key is not null and verification_id is null;
-- Keys of a verification's resends, and its messages after the first one.
create unique index messages_verification on messages (verification_id, idempotency_key) where verification_id is not null;
create index messages_due on messages (sender_id, priority, due_at) where due_at is not null;
-- Few messages have one. Not by the status: see messages_failed.
create index messages_deliver_by on messages (deliver_by) where deliver_by is not null;
-- With the workspace, which every look-up names: without statistics, as after pg_upgrade, PostgreSQL would rather read all of the
-- workspace's rows than an index that knows one of the two conditions.
create index messages_provider_message_id on messages (provider_message_id, workspace_id) where provider_message_id is not null;
create index messages_confirmation on messages (confirmation_id) where confirmation_id is not null;

-- Search, in the order of the ids. Messages of a conversation are found by confirmations_customer, which saves an entry
-- for each of them.
create index messages_recipient on messages (workspace_id, recipient, id) where confirmation_id is null;
create index messages_reference on messages (workspace_id, reference, id) where reference is not null;
-- Failures are few, and the most searched for. Not by the status: a change of a column that an index names, even in its condition,
-- writes all indexes of the row again.
create index messages_failed on messages (workspace_id, id) where failure_code is not null;

create index messages_quarantined on messages (quarantined_at, workspace_id) where quarantined_at is not null;

-- A code that Doorcode made and checks (docs/otp.md#verifications). Its id is that of its first message, which it is part of.
create table otp_verifications (
  id uuid primary key,
  workspace_id uuid not null,
  recipient text not null,
  -- How many verifications the numbers had before that differ only in the last four digits, and this one. Two nodes cannot both pass
  -- a limit of a recipient or prefix: they would insert the same number.
  prefix_number integer not null,
  -- ISO 3166, by the number; null: the number belongs to no country
  country text,
  idempotency_key text,
  code_length smallint not null,
  ttl_seconds smallint not null,
  max_attempts smallint not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,

  status text not null,
  -- a key of this verification, sealed: the code is made from it, and the hash with it
  code_key bytea,
  code_hash bytea,
  -- when each of its messages was accepted
  sent_at timestamptz[] not null,
  -- when each wrong code was checked
  wrong_at timestamptz[] not null default '{}',
  ended_at timestamptz,

  -- when it expires, by the real clock; later if storing that has failed
  due_at timestamptz,
  tries smallint not null default 0,

  foreign key (workspace_id, id) references messages (workspace_id, id),
  constraint verification_status check (status in ('pending', 'approved', 'expired', 'locked')),
  constraint pending_has_code check ((status = 'pending') = (code_key is not null)
    and (status = 'pending') = (code_hash is not null)),
  constraint pending_is_due check ((status = 'pending') = (due_at is not null)),
  constraint pending_has_no_end check ((status = 'pending') = (ended_at is null)),
  constraint locked_after_last_attempt check (cardinality(wrong_at) <= max_attempts
    and (status = 'locked') = (cardinality(wrong_at) = max_attempts))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

create unique index otp_verifications_idempotency_key on otp_verifications (workspace_id, idempotency_key)
  where idempotency_key is not null;
-- Without pseudonyms: one may stand for two forms of a number.
create unique index otp_verifications_prefix on otp_verifications (workspace_id, left(recipient, -4), prefix_number)
  where recipient like '+%';
create index otp_verifications_recent on otp_verifications (workspace_id, left(recipient, -4), created_at)
  where recipient like '+%';
create index otp_verifications_recipient on otp_verifications (workspace_id, recipient, prefix_number)
  where recipient like '+%';
-- One of 20 consecutive verifications of each prefix: finds those prefixes that have many (src/otp/verifications/limits.ts).
create index otp_verifications_frequent on otp_verifications (workspace_id, created_at)
  where prefix_number % 20 = 0 and recipient like '+%';
create index otp_verifications_due on otp_verifications (due_at) where due_at is not null;

-- How many codes were checked in a workspace lately (docs/otp.md#limits): in the half hour that begins at begins_at, in the
-- workspace's time, and in the one before.
create table otp_checks (
  workspace_id uuid primary key references workspaces,
  begins_at timestamptz not null,
  right_codes integer not null,
  wrong_codes integer not null,
  earlier_right_codes integer not null,
  earlier_wrong_codes integer not null
) with (fillfactor = 50);

-- Every finished attempt to submit a message.
create table message_attempts (
  workspace_id uuid not null,
  message_id uuid not null,
  attempt smallint not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  outcome text not null,
  http_status smallint,
  provider_code integer,
  -- coded text
  detail jsonb,
  primary key (message_id, attempt),
  foreign key (workspace_id, message_id) references messages (workspace_id, id),
  -- not_made: Doorcode itself could not make it, for example because the code does not open
  constraint attempt_outcome check (outcome in ('accepted', 'retry', 'rejected', 'unknown', 'not_made'))
);

-- What a provider reported, one row per item, stored before its webhook is answered. The id is made from the content, so
-- that a repeated item meets the first one.
create table provider_reports (
  id uuid primary key,
  -- Without a foreign key: to delete an account, it would read every report, and an index for it would cost each report
  -- more than the rare deletion is worth. A report is stored only for an account that was just read, and the reports of a
  -- workspace are removed before its accounts.
  workspace_id uuid not null,
  account_id uuid not null,
  kind text not null,
  body text not null,
  -- as the item names them, if it does
  provider_message_id text,
  message_id uuid,
  occurred_at timestamptz,
  received_at timestamptz not null,
  repeats integer not null default 0,
  -- the conversation that a customer's message was matched to
  confirmation_id uuid,
  -- its number among the inputs of its message or conversation; null: it changed nothing
  input_number integer,
  -- how far the workspace's clock was ahead when the report was processed; null: the clock showed the real time
  clock_offset_ms bigint,

  -- schedule of the processing; null when it is over
  due_at timestamptz,
  attempts smallint not null default 0,
  outcome text not null,
  -- coded text
  note jsonb,

  constraint report_kind check (kind in ('status', 'message', 'template', 'number', 'account', 'unknown')),
  constraint report_outcome check (outcome in ('waiting', 'applied', 'ignored', 'parked', 'quarantined')),
  constraint waiting_has_schedule check (outcome <> 'waiting' or due_at is not null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

create index provider_reports_due on provider_reports (due_at) where due_at is not null;
create index provider_reports_message on provider_reports (message_id) where message_id is not null;
create index provider_reports_parked on provider_reports (workspace_id, provider_message_id) where outcome = 'parked';
create index provider_reports_confirmation on provider_reports (confirmation_id) where confirmation_id is not null;
create index provider_reports_quarantined on provider_reports (received_at, workspace_id) where outcome = 'quarantined';
-- The id of a report is made from its content, so its age is found by this index. The condition is always true. It keeps the index
-- out of look-ups by message or confirmation.
create index provider_reports_received on provider_reports (received_at) where received_at > '-infinity';
