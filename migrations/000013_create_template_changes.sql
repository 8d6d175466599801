-- What changed about a template: its review, its category, its quality. Told by the provider or found by a sync.
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
