-- One row for the whole instance. key_check is a known text sealed under the instance key: a start with another key is
-- refused before it seals anything that the right key cannot open.
create table instance (
  only_row boolean primary key default true check (only_row),
  key_check bytea not null
);

create table workspaces (
  id uuid primary key,
  name text not null,
  sandbox boolean not null,
  -- how far the clock of a sandbox workspace was moved forward
  clock_offset_ms bigint not null default 0,
  created_at timestamptz not null,
  constraint only_sandbox_clocks_move check (sandbox or clock_offset_ms = 0)
);

-- Each move of a sandbox workspace's clock; their sum is workspaces.clock_offset_ms. Events are stored in real time, and
-- the moves say what the workspace's clock showed then.
create table clock_moves (
  workspace_id uuid not null references workspaces,
  moved_at timestamptz not null,
  by_ms bigint not null,
  primary key (workspace_id, moved_at),
  constraint clocks_move_forward check (by_ms > 0)
);
