-- How far each step of retention (src/operations/lifecycle/retention/) has come. What a class of data keeps begins at the latest kept_since of
-- its steps.
create table retention (
  step text primary key,
  class text not null,
  -- the last row that the step has looked at, and its time; null before the first removal
  position uuid,
  kept_since timestamptz,
  constraint retention_class check (class in ('content', 'records', 'audit')),
  constraint position_has_time check ((position is null) = (kept_since is null))
);

-- Rows behind a position that were still in use. The step looks at them again at due_at.
create table retention_postponed (
  step text not null,
  id uuid not null,
  due_at timestamptz not null,
  primary key (step, id)
);

-- The id of a report is made from its content, so its age is found by this. The condition always holds. It keeps this index
-- out of look-ups by message or confirmation.
-- holds provider_reports_received: part of 0.1.0, so no release before it writes reports meanwhile
create index provider_reports_received on provider_reports (received_at) where received_at > '-infinity';
