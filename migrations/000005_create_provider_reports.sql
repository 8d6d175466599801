-- What a provider sent, one row per item, stored before it is answered. The id is made from the content, so that a
-- repeated item meets its first one.
create table provider_reports (
  id uuid primary key,
  workspace_id uuid not null,
  account_id uuid not null,
  kind text not null,
  body text not null,
  -- what the item says of itself; null where it says nothing
  provider_message_id text,
  message_id uuid,
  occurred_at timestamptz,
  received_at timestamptz not null,
  repeats integer not null default 0,

  -- schedule of the processing; null when it is over
  due_at timestamptz,
  attempts smallint not null default 0,
  outcome text not null,
  note text,
  foreign key (workspace_id, account_id) references provider_accounts (workspace_id, id),
  constraint report_kind check (kind in ('status', 'message', 'template', 'number', 'account', 'unknown')),
  constraint report_outcome check (outcome in ('waiting', 'applied', 'ignored', 'parked', 'quarantined')),
  constraint waiting_has_schedule check (outcome <> 'waiting' or due_at is not null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

create index provider_reports_due on provider_reports (due_at) where due_at is not null;
create index provider_reports_message on provider_reports (message_id) where message_id is not null;
create index provider_reports_parked on provider_reports (workspace_id, provider_message_id) where outcome = 'parked';
