-- One row for the whole instance. key_check is a known text sealed under the instance key: a start with another key
-- is refused before it could seal anything that nobody can open.
create table instance (
  only_row boolean primary key default true check (only_row),
  key_check bytea not null
);
