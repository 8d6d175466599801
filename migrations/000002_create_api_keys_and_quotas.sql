create table api_keys (
  public_id text primary key,
  workspace_id uuid not null references workspaces,
  name text not null,
  secret_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  expiry_changed_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  constraint public_id_form check (public_id ~ '^[a-z2-7]{12}$'),
  constraint secret_hash_is_sha256 check (octet_length(secret_hash) = 32)
);

-- A few times a second, every node asks which keys were revoked or got another expiry.
create index api_keys_revoked on api_keys (revoked_at) where revoked_at is not null;
create index api_keys_expiry_changed on api_keys (expiry_changed_at) where expiry_changed_at is not null;
create index api_keys_workspace on api_keys (workspace_id);

-- Times (database clock) of a key's requests of the last second, at most 20. Unlogged: they are worthless after a crash.
create unlogged table rate_limits (
  public_id text primary key,
  hits timestamptz[] not null,
  granted smallint not null
) with (fillfactor = 50);

create table quotas (
  workspace_id uuid not null references workspaces,
  kind text not null,
  monthly_units integer not null,
  primary key (workspace_id, kind),
  constraint quota_kind check (kind in ('otp', 'cod_confirmation', 'cod_refusal')),
  constraint quota_not_negative check (monthly_units >= 0)
);

-- One hot row per workspace, kind and month (UTC). The low fill factor leaves space for HOT updates: the versions that a long transaction
-- keeps share few pages, and each new page comes after them, where a search for the newest version begins.
create table quota_usage (
  workspace_id uuid not null references workspaces,
  kind text not null,
  month date not null,
  used integer not null,
  primary key (workspace_id, kind, month),
  constraint month_is_a_first check (extract(day from month) = 1),
  constraint used_not_negative check (used >= 0)
) with (fillfactor = 10);

-- Call it only from a statement that has locked the counter, so that its newest version cannot change. A statement in a function has a
-- snapshot of its own and sees that version. An update by key would read every version that a long transaction, such as a backup, keeps.
-- A changed function needs a new name: during an upgrade both versions of the program run.
create function take_units(of_workspace uuid, of_kind text, of_month date, units bigint) returns void language plpgsql as $$
begin
  update quota_usage set used = used + units
  where ctid = (
    select ctid from quota_usage
    where workspace_id = of_workspace and kind = of_kind and month between of_month and of_month
    order by month desc limit 1);
end $$;

create table blocked_recipients (
  workspace_id uuid not null references workspaces,
  phone text not null,
  reason text,
  blocked_by text,
  created_at timestamptz not null,
  primary key (workspace_id, phone)
);

-- For the list, newest first. The condition always holds. It keeps this index out of look-ups by phone: planned while the
-- table is empty, both indexes cost the same, and this one would read every row of the workspace.
create index blocked_recipients_time on blocked_recipients (workspace_id, created_at, phone) where phone <> '';
