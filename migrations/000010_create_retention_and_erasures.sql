-- How far each step of retention (src/operations/lifecycle/retention/) has come. What a class of data keeps begins at the
-- latest kept_since of its steps.
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

-- What the guard of retention compares times with (docs/retention.md#when-removal-stops). The first worker writes the only row.
create table removal_guard (
  only_row boolean primary key default true check (only_row),
  -- the database's time when it was last plausible
  trusted_at timestamptz not null,
  -- the earliest time that new rows got from a clock that was far behind, until an operator confirms
  set_back_to timestamptz,
  -- how long data is kept, even if the settings are shorter; 0 is forever
  content_days integer not null,
  records_days integer not null,
  audit_days integer not null
);

-- Erasures of a recipient that have not ended (docs/personal-data.md#erase). Erased rows no longer lead from
-- the number to the user ids, so an erasure that was interrupted finds both here. They stay in the pages of the table, in its
-- WAL and in backups after the row is removed at the end of the erasure, so they are sealed together in one column.
create table unfinished_erasures (
  -- made from the other columns but the last two
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  begun_at timestamptz not null,
  pseudonym text not null,
  -- the number and the user ids, sealed
  person bytea not null,
  -- An erasure finds the unfinished ones of its number by this keyed hash of it, instead of opening every row of the
  -- workspace.
  person_hash bytea not null
);

create index unfinished_erasures_workspace on unfinished_erasures (workspace_id);
create index unfinished_erasures_person_hash on unfinished_erasures (person_hash, begun_at);

-- When a worker examines the instance next (src/operations/doctor/alerts/). The first worker writes the only row.
create table doctor_runs (
  only_row boolean primary key default true check (only_row),
  due_at timestamptz not null,
  -- when the checks that ask other systems are made too
  outside_due_at timestamptz not null,
  -- of the latest examination that ended; null before the first
  examined_at timestamptz,
  -- of the examination under way
  lease uuid
);

-- The findings of these examinations, and the alert of each that waits to be sent. A finding that is over, and whose alert was
-- sent, has no row.
create table doctor_findings (
  check_name text not null,
  code text not null,
  severity text not null,
  found boolean not null,
  -- since when the examinations have found it, or have found it no longer
  since timestamptz not null,
  -- in English, of the latest examination that found it
  text text not null,
  fix text not null,
  -- whether the last alert said that it is raised
  raised boolean not null default false,
  -- the alert of the last change, until it is sent or given up
  alert_id uuid,
  alert_at timestamptz,
  alert_due_at timestamptz,
  alert_tries integer not null default 0,
  primary key (check_name, code),
  constraint doctor_finding_severity check (severity in ('failure', 'warning')),
  constraint alert_is_whole check (num_nulls(alert_id, alert_at, alert_due_at) in (0, 3))
);
