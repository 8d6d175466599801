-- How far the reading of an account's list has come, while it is read. Not among the columns of provider_accounts: each
-- change of those makes nodes judge the account's senders anew.
create table account_syncs (
  account_id uuid primary key,
  workspace_id uuid not null,
  started_at timestamptz not null,
  noted_at timestamptz not null,
  step text not null,
  numbers integer not null,
  templates integer not null,
  foreign key (workspace_id, account_id) references provider_accounts (workspace_id, id),
  constraint account_sync_step check (step in ('numbers', 'templates', 'storing'))
);

create index account_syncs_workspace on account_syncs (workspace_id);
