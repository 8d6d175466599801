create table provider_accounts (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  waba_id text not null,
  graph_url text not null,
  access_token bytea not null,
  app_secret bytea not null,
  verify_token bytea not null,
  status text not null,
  status_detail text,
  created_at timestamptz not null,
  synced_at timestamptz,
  sync_due_at timestamptz not null,
  unique (workspace_id, id),
  unique (workspace_id, waba_id),
  constraint account_status check (status in ('connected', 'credentials_invalid'))
);

create table senders (
  id uuid primary key,
  workspace_id uuid not null,
  account_id uuid not null,
  phone_number_id text not null,
  phone text not null,
  verified_name text,
  status text not null,
  throughput text,
  quality text,
  paused_at timestamptz,
  -- set when the number is no longer in its account's list
  gone_at timestamptz,
  unique (workspace_id, id),
  unique (account_id, phone_number_id),
  foreign key (workspace_id, account_id) references provider_accounts (workspace_id, id)
);

create table templates (
  workspace_id uuid not null,
  account_id uuid not null,
  name text not null,
  language text not null,
  provider_template_id text not null,
  status text not null,
  category text not null,
  parameter_format text not null,
  components jsonb not null,
  quality text,
  rejected_reason text,
  send_ttl_seconds integer,
  primary key (account_id, name, language),
  foreign key (workspace_id, account_id) references provider_accounts (workspace_id, id),
  constraint template_parameter_format check (parameter_format in ('POSITIONAL', 'NAMED'))
);

-- How fast a sender may go, over all nodes: how many sends each short slot of the last second took, and a hold after a
-- rate error. Apart from senders, because it changes with each claim.
create table sender_pace (
  sender_id uuid primary key references senders,
  slots bigint[] not null default '{}',
  slot_sends integer[] not null default '{}',
  held_until timestamptz,
  hold_step smallint not null default 0,
  constraint slots_and_sends_pair_up check (cardinality(slots) = cardinality(slot_sends))
) with (fillfactor = 50);

-- When the pair of sender and recipient has its next regular slot. Worth nothing after a crash.
create unlogged table pair_pace (
  sender_id uuid not null,
  recipient text not null,
  free_at timestamptz not null,
  primary key (sender_id, recipient)
) with (fillfactor = 70);
