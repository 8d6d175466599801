-- The figures of one day of a workspace, counted when the day is over and a few more times while answers still come.
-- Charts of long periods read these; for the last days they count the messages themselves.
create table daily_figures (
  workspace_id uuid not null references workspaces,
  -- in time_zone, that of the delivery zone: other zones have other days
  day date not null,
  time_zone text not null,
  -- one entry per sender, template and language
  groups jsonb not null,
  counts smallint not null default 0,
  -- null: not counted yet
  counted_at timestamptz,
  -- null: will not be counted again
  due_at timestamptz,
  primary key (workspace_id, day),
  constraint groups_are_a_list check (jsonb_typeof(groups) = 'array')
);

create index daily_figures_due on daily_figures (due_at) where due_at is not null;
