#!/usr/bin/env bash
# Creates the role that Doorcode connects as, which owns the database and is not a superuser. PGHOST, PGUSER and PGDATABASE
# are set. Every "up" runs it: it may be repeated.
set -euo pipefail
readonly SECRETS=${1:-/secrets}

PGPASSWORD=$(< "$SECRETS/postgres-password")
OWNER_PASSWORD=$(< "$SECRETS/owner-password")
export PGPASSWORD OWNER_PASSWORD # not arguments: those are in the list of processes

exec psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 <<'SQL'
\getenv owner_password OWNER_PASSWORD
begin;
-- The server's log must not show the password, whatever its settings are.
set local log_statement = 'none';
set local log_min_duration_statement = -1;
set local log_min_error_statement = 'panic';
set local client_min_messages = 'warning';
select 'create role doorcode_owner login' where not exists (select from pg_roles where rolname = 'doorcode_owner') \gexec
alter role doorcode_owner password :'owner_password';
grant pg_monitor to doorcode_owner;
select format('alter database %I owner to doorcode_owner', current_database()) \gexec
commit;
SQL
