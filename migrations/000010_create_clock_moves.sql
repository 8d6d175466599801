-- Each step by which a sandbox workspace's clock was moved forward. What happened is stored in real time; together with
-- these it is known what the workspace's clock showed then. Their sum is workspaces.clock_offset_ms.
create table clock_moves (
  workspace_id uuid not null references workspaces,
  moved_at timestamptz not null,
  by_ms bigint not null,
  primary key (workspace_id, moved_at),
  constraint clocks_move_forward check (by_ms > 0)
);
