create table provider_accounts (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  waba_id text not null,
  graph_url text not null,
  access_token bytea not null,
  verify_token bytea not null,
  app_secret bytea not null,
  -- webhooks under way while the app secret is changed are signed with the previous one
  previous_app_secret bytea,
  previous_app_secret_until timestamptz,
  status text not null,
  -- coded text, as the other columns with this comment: a code and its parameters, whose words are in locales/
  status_detail jsonb,
  created_at timestamptz not null,
  synced_at timestamptz,
  sync_due_at timestamptz not null,
  -- how far a running sync has come
  sync_started_at timestamptz,
  sync_noted_at timestamptz,
  sync_step text,
  sync_numbers integer,
  sync_templates integer,

  unique (workspace_id, id),
  unique (workspace_id, waba_id),
  -- credentials_unreadable: another instance key sealed the access token; WhatsApp has rejected nothing
  -- removed: its secrets are overwritten, and nothing finds it until it is connected again. Its senders stay for the
  -- messages that they sent.
  constraint account_status check (status in ('connected', 'credentials_invalid', 'credentials_unreadable', 'removed')),
  constraint previous_app_secret_ends check ((previous_app_secret is null) = (previous_app_secret_until is null)),
  constraint account_sync_step check (sync_step in ('numbers', 'templates', 'storing'))
);

create index provider_accounts_sync_due on provider_accounts (sync_due_at);

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

-- How fast a sender may send, over all nodes: the number of sends in each short slot of the last second, and a pause after
-- a rate error. Apart from senders, because every claim changes it. The fill factor: as of quota_usage.
create table sender_pace (
  sender_id uuid primary key references senders,
  slots bigint[] not null default '{}',
  slot_sends integer[] not null default '{}',
  breaker_open_until timestamptz,
  breaker_step smallint not null default 0,
  -- the provider's error code, if it gave one
  breaker_code integer,
  constraint slots_and_sends_pair_up check (cardinality(slots) = cardinality(slot_sends))
) with (fillfactor = 10);

-- Like take_units: call it only from a statement that has locked the pace.
create function write_pace(of_sender uuid, new_slots bigint[], new_slot_sends integer[]) returns void language plpgsql as $$
begin
  update sender_pace set slots = new_slots, slot_sends = new_slot_sends
  where ctid = (
    select ctid from sender_pace where sender_id between of_sender and of_sender order by sender_id desc limit 1);
end $$;

-- When a sender may send to a recipient again. Unlogged: it is worthless after a crash.
create unlogged table pair_pace (
  sender_id uuid not null,
  recipient text not null,
  free_at timestamptz not null,
  primary key (sender_id, recipient)
) with (fillfactor = 70);

create table templates (
  workspace_id uuid not null,
  account_id uuid not null,
  name text not null,
  language text not null,
  provider_template_id text not null,
  status text not null,
  rejected_reason text,
  category text not null,
  quality text,
  parameter_format text not null,
  components jsonb not null,
  send_ttl_seconds integer,
  primary key (account_id, name, language),
  foreign key (workspace_id, account_id) references provider_accounts (workspace_id, id),
  constraint template_parameter_format check (parameter_format in ('POSITIONAL', 'NAMED'))
);

-- Changes of a template's review, category, quality or text, from a webhook or a sync.
create table template_changes (
  id uuid primary key,
  workspace_id uuid not null,
  account_id uuid not null,
  name text not null,
  language text not null,
  at timestamptz not null,
  field text not null,
  before text,
  after text,
  foreign key (workspace_id, account_id) references provider_accounts (workspace_id, id),
  constraint template_change_field check (field in ('status', 'category', 'quality', 'rejected_reason', 'text'))
);

create index template_changes_template on template_changes (account_id, name, language, id);

-- A URL that a product for sign-in calls with the codes that it made (docs/auth-hooks.md).
create table auth_hooks (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text not null,
  kind text not null,
  sender_id uuid not null,
  -- [{name, language}]: the first is sent to users of any other language
  templates jsonb not null,
  -- of a generic hook: {phone, code, language}, where the body has them
  pointers jsonb,
  secret bytea not null,
  -- requests that the product has not signed with the new secret yet
  previous_secret bytea,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  -- A deleted hook stays for the messages that name it.
  deleted_at timestamptz,
  unique (workspace_id, id),
  foreign key (workspace_id, sender_id) references senders (workspace_id, id),
  constraint hook_kind check (kind in ('supabase', 'zitadel', 'logto', 'generic')),
  constraint only_generic_has_pointers check ((kind = 'generic') = (pointers is not null)),
  constraint previous_hook_secret_ends check ((previous_secret is null) = (previous_secret_until is null)),
  constraint deleted_hook_has_no_secret check (deleted_at is null or (length(secret) = 0 and previous_secret is null))
);

create index auth_hooks_workspace on auth_hooks (workspace_id) where deleted_at is null;
