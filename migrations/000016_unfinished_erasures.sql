-- Erasures of a recipient that have not yet searched all reports. Erased rows no longer lead from the number to the user ids, so
-- an erasure that was interrupted finds both here (docs/recipients.md#erase). The row is removed when the search ends.
-- holds unfinished_erasures.workspaces: the new table is empty
create table unfinished_erasures (
  workspace_id uuid not null references workspaces,
  recipient text not null,
  begun_at timestamptz not null,
  pseudonym text not null,
  user_ids text[] not null,
  primary key (workspace_id, recipient, begun_at)
);
