-- A workspace is deleted in steps. From deletion_asked_at, in the database's time, its API keys are refused; at
-- deletion_due_at it is gone for everyone (deleted_at), which cannot be undone; then its rows are removed (purged_at). The
-- row itself stays without its name: the audit log refers to it.
alter table workspaces
  add column deletion_asked_at timestamptz,
  add column deletion_due_at timestamptz,
  add column deleted_at timestamptz,
  add column purged_at timestamptz,
  -- The previous release leaves all of these columns null:
  -- holds workspaces.deletion_has_due_time: both are null; few rows
  -- holds workspaces.deletion_was_asked: deleted_at is null; few rows
  -- holds workspaces.purged_was_deleted: purged_at is null; few rows
  add constraint deletion_has_due_time check ((deletion_asked_at is null) = (deletion_due_at is null)),
  add constraint deletion_was_asked check (deleted_at is null or deletion_asked_at is not null),
  add constraint purged_was_deleted check (purged_at is null or deleted_at is not null);

-- An instance has few workspaces and API keys, so these indexes are built quickly:
-- holds workspaces_deletion_due: few rows
-- holds workspaces_deletion_asked: few rows
-- holds api_keys_workspace: few rows
create index workspaces_deletion_due on workspaces (deletion_due_at) where deletion_due_at is not null and purged_at is null;
-- A few times a second, every node asks whose keys are refused from now on.
create index workspaces_deletion_asked on workspaces (deletion_asked_at) where deletion_asked_at is not null;
create index api_keys_workspace on api_keys (workspace_id);

-- To delete an account, this key would read every report: an index for it would cost each report more than the rare deletion
-- is worth. A report is stored only for an account that was just read, and the reports of a workspace are removed before
-- its accounts.
alter table provider_reports drop constraint provider_reports_workspace_id_account_id_fkey;

-- removed: its secrets are overwritten, and nothing finds it until it is connected again. Its senders stay for the messages
-- that they sent.
alter table provider_accounts
  drop constraint account_status,
  -- holds provider_accounts.account_status: all former values, and one more; few rows
  add constraint account_status check (status in ('connected', 'credentials_invalid', 'credentials_unreadable', 'removed'));
