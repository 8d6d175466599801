-- A release starts on a database that a later release has migrated, unless one of the later migrations contracts: it removes what
-- the releases before still use (docs/upgrading.md#how-migrations-are-written).
alter table migrations add column if not exists contracts boolean not null default false;
