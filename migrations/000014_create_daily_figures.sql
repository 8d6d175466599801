-- What a day of a workspace came to, counted when the day is over and a few times more while answers still come. Charts
-- of a long time read these; of the last days they count the messages themselves.
create table daily_figures (
  workspace_id uuid not null references workspaces,
  -- of the delivery zone that is named beside it: other zones have other days
  day date not null,
  time_zone text not null,
  -- one entry per sender, template and language, as src/charts/figures.ts writes them
  groups jsonb not null,
  -- null: not counted yet
  counted_at timestamptz,
  counts smallint not null default 0,
  -- null: it is not counted again
  due_at timestamptz,
  primary key (workspace_id, day),
  constraint groups_are_a_list check (jsonb_typeof(groups) = 'array')
);

create index daily_figures_due on daily_figures (due_at) where due_at is not null;

-- What the pace of refusal checks and their charts go by.
create index refusal_checks_created on refusal_checks (workspace_id, created_at);

-- Every node asks a few times a second which keys were given another expiry lately.
alter table api_keys add column expiry_changed_at timestamptz;
create index api_keys_expiry_changed on api_keys (expiry_changed_at) where expiry_changed_at is not null;

-- A list of them that begins with the latest.
create index blocked_recipients_time on blocked_recipients (workspace_id, created_at, phone);
