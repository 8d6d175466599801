-- One row for the whole instance. key_check is a known text sealed under the instance key: a start with another key is
-- rejected before it seals anything that the right key cannot open.
create table instance (
  only_row boolean primary key default true check (only_row),
  key_check bytea not null,
  -- Sealed: the secret that signs sessions and encrypts second factors, so that both outlive a rotation of the
  -- instance key.
  sign_in_secret bytea not null,
  -- fingerprints of former instance keys that rows may still be sealed under
  old_keys text[] not null default '{}',
  -- Each PostgreSQL server counts its transactions for itself. A restored database adds this to the numbers of its new
  -- server, so that they come after those of the restored events.
  added_to_order bigint not null default 0
);

create table workspaces (
  id uuid primary key,
  name text not null,
  sandbox boolean not null,
  -- how far the clock of a sandbox workspace is ahead of the real time; negative while a demo month is made
  clock_offset_ms bigint not null default 0,
  -- how far a demo month moved the clock back; rows of that time are as much older than their ids and reports
  clock_back_ms bigint not null default 0,
  created_at timestamptz not null,
  -- A workspace is deleted in steps. From deletion_requested_at, in the database's time, its API keys are rejected; at
  -- deletion_due_at it is gone for everyone (deleted_at), which cannot be undone; then its rows are removed (purged_at).
  -- The row itself stays without its name: the audit log refers to it.
  deletion_requested_at timestamptz,
  deletion_due_at timestamptz,
  deleted_at timestamptz,
  purged_at timestamptz,
  constraint only_sandbox_clocks_move check (sandbox or (clock_offset_ms = 0 and clock_back_ms = 0)),
  constraint deletion_has_due_time check ((deletion_requested_at is null) = (deletion_due_at is null)),
  constraint deletion_was_requested check (deleted_at is null or deletion_requested_at is not null),
  constraint purged_was_deleted check (purged_at is null or deleted_at is not null)
);

create index workspaces_deletion_due on workspaces (deletion_due_at) where deletion_due_at is not null and purged_at is null;
-- A few times a second, every node asks whose keys are rejected from now on.
create index workspaces_deletion_requested on workspaces (deletion_requested_at) where deletion_requested_at is not null;

-- Each move of a sandbox workspace's clock; their sum is workspaces.clock_offset_ms. Events are stored in real time, and
-- the moves say what the workspace's clock showed then. Only the start of a demo month moves it back.
create table clock_moves (
  workspace_id uuid not null references workspaces,
  moved_at timestamptz not null,
  by_ms bigint not null,
  primary key (workspace_id, moved_at),
  constraint moves_move_the_clock check (by_ms <> 0)
);

-- What is being done to a whole sandbox, in steps. fill: a demo month, whose steps move the clock from 30 days ago to where it was.
-- empty: the removal of everything that was sent.
create table sandbox_work (
  workspace_id uuid primary key references workspaces,
  kind text not null,
  requested_at timestamptz not null,
  -- Of a fill, in the workspace's time: when the month begins, and until when everything of it was done.
  from_at timestamptz,
  done_until timestamptz,
  -- how far the clock is ahead at the end
  until_offset_ms bigint not null,
  -- The next step, or the end of the lease of the node that makes it.
  due_at timestamptz not null,
  lease uuid,
  constraint kind_is_known check (kind in ('fill', 'empty')),
  constraint fill_has_a_beginning check (num_nonnulls(from_at, done_until) = case kind when 'fill' then 2 else 0 end)
);

create index sandbox_work_due on sandbox_work (due_at);
