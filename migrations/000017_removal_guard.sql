-- By what the removal of old data is judged (docs/retention.md#when-removal-stops). The first worker writes the only row.
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
