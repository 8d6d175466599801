import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { CONTRACTING_MARK, listMigrations } from '../../src/lib/db/migrate.ts'
import { findContracting } from '../world/contracting.ts'

/** The migrations of the first release need no check: no release before it can run on their tables. */
const FIRST_SET = 10

test('a migration that removes what the previous release uses is marked as contracting', async () => {
  for (const { number, name } of await listMigrations()) {
    if (number <= FIRST_SET) continue
    const text = await readFile(new URL(`../../migrations/${name}`, import.meta.url), 'utf8')
    if (text.startsWith(CONTRACTING_MARK)) continue
    assert.deepEqual(await findContracting(text), [], `${name}: see docs/upgrading.md#how-migrations-are-written`)
  }
})

for (const [migration, ...faults] of [
  ['alter table messages drop column reference;', 'drops a column'],
  ['drop table templates;', 'drops something'],
  ['alter table messages rename column recipient to receiver;', 'is of a kind that is not allowed: RenameStmt'],
  ['alter table messages alter column recipient type bytea;', 'changes the type of a column'],
  ['alter table messages alter column reference set not null;', 'makes a column required'],
  [
    'alter table messages\n  add column a text,\n  add column channel text not null;',
    'adds a required column without a default',
  ],
  ['alter table messages add constraint short check (length(reference) < 9);', 'adds the constraint short'],
  [
    "alter table events drop constraint known, add constraint known check (type in ('otp.sent'));",
    'adds the constraint known',
  ],
  [
    'alter table messages add column lane text, add constraint has_lane check (lane is not null);',
    'adds the constraint has_lane',
  ],
  [
    '-- holds messages.has_lane:\nalter table messages add constraint has_lane check (true);',
    'adds the constraint has_lane',
  ],
  [
    '-- holds orders.has_lane: few rows\nalter table messages add constraint has_lane check (true);',
    'adds the constraint has_lane',
  ],
  [
    '-- holds messages.has_lane: the previous release does not set it\nalter table messages add constraint has_lane check (lane is null);',
    'reads the whole table for the constraint has_lane',
  ],
  [
    '-- holds messages.of_lane: all are null\nalter table messages add constraint of_lane foreign key (lane) references lanes;',
    'reads the whole table for the constraint of_lane',
  ],
  [
    '-- holds messages.one: few rows\nalter table messages add constraint one unique (lane);',
    'builds an index for the constraint one',
  ],
  [
    '-- holds messages.one: few rows\nalter table messages add constraint one primary key (id);',
    'builds an index for the constraint one',
  ],
  [
    '-- holds messages.one: few rows\nalter table messages add constraint one exclude using gist (span with &&);',
    'adds a constraint of a kind that is not allowed: CONSTR_EXCLUSION',
  ],
  [
    '-- holds messages.lane: few rows\nalter table messages add constraint lane check (true) not valid, validate constraint lane;',
    'validates the constraint lane',
  ],
  [
    '-- holds messages.lane: few rows\nalter table messages add constraint lane check (true) not valid;\nalter table messages validate constraint lane;',
    'validates the constraint lane',
  ],
  ['alter table messages validate constraint lane;', 'validates the constraint lane'],
  ['alter table messages set (autovacuum_enabled = off);', 'sets the option autovacuum_enabled'],
  ['alter table messages set (fillfactor = 70, toast.autovacuum_enabled = off);', 'sets the option autovacuum_enabled'],
  [
    '-- holds id: few rows\nalter table messages add column id uuid default gen_random_uuid();',
    'rewrites the table for the column id',
  ],
  [
    "create function next_lane() returns text language sql as $$ select 'fast' $$;\nalter table messages alter column lane set default next_lane();",
    'calls the function next_lane',
  ],
  ["alter table messages alter column lane set default setval('lanes', 1);", 'calls the function setval'],
  [
    "create table lanes (id bigint default setval('orders', 1));",
    'has a default that may change something for the column id',
  ],
  ['create table lanes (message_id uuid references messages);', 'locks the table messages'],
  [
    'create table lanes (message_id uuid);\nalter table lanes add constraint of_message foreign key (message_id) references messages;',
    'locks the table messages',
  ],
  ['alter table messages add column lane text check (lane is not null);', 'adds a constraint in a column'],
  ['alter table messages add column lane text unique;', 'adds a constraint in a column'],
  ['alter table messages add check (length(reference) < 9);', 'adds a constraint without a name'],
  ['create unique index one_per_day on messages (recipient);', 'forbids rows that were allowed'],
  ['delete from events;', 'is of a kind that is not allowed: DeleteStmt'],
  ['drop index messages_due;', 'drops the index messages_due'],
  [
    'drop index messages_due;\n-- holds other: few\ncreate index messages_due on messages (recipient) where due_at is not null;',
    'drops the index messages_due',
    'blocks writes while it builds the index messages_due',
  ],
  ['alter index messages_number rename to messages_due;', 'is of a kind that is not allowed: RenameStmt'],
  ['alter table messages drop reference;', 'drops a column'],
  ['alter table messages alter reference set not null;', 'makes a column required'],
  ['alter table messages alter reference drop default;', 'makes a column required'],
  ['alter table messages alter reference type bytea;', 'changes the type of a column'],
  [
    'alter table messages add column account_id uuid not null references provider_accounts;',
    'adds a required column without a default',
    'adds a constraint in a column',
  ],
  [
    'create trigger reject before insert on messages execute function reject();',
    'is of a kind that is not allowed: CreateTrigStmt',
  ],
  ['alter table messages enable row level security;', 'has an action that is not allowed: AT_EnableRowSecurity'],
  ['alter table messages set schema archive;', 'is of a kind that is not allowed: AlterObjectSchemaStmt'],
  [
    'create table if not exists messages ();\nalter table messages drop column reference;',
    'may keep an older table of this name',
    'drops a column',
  ],
  ['create table archive.messages ();\nalter table messages drop column reference;', 'drops a column'],
  ['alter table nodes drop constraint nodes_pkey;', 'drops a constraint'],
  ['alter table if exists public.messages drop column reference;', 'drops a column'],
  ['do $$ begin drop table messages; end $$;', 'is of a kind that is not allowed: DoStmt'],
  [
    'with removed as (delete from events returning id) select count(*) from removed;',
    'is of a kind that is not allowed: SelectStmt',
  ],
  [
    'create table counts (n bigint);\nwith removed as (delete from events returning id) insert into counts select count(*) from removed;',
    'changes rows that exist',
    'calls the function count',
  ],
  ['create table counts (n bigint);\ninsert into counts select remove_events();', 'calls the function remove_events'],
  ['select remove_events();', 'is of a kind that is not allowed: SelectStmt'],
  ['call remove_events();', 'is of a kind that is not allowed: CallStmt'],
  [
    'create or replace function next_recorded_order() returns bigint language sql as $$ select 1::bigint $$;',
    'is of a kind that is not allowed: CreateFunctionStmt',
  ],
  ['alter table messages disable trigger all;', 'has an action that is not allowed: AT_DisableTrigAll'],
  ['lock table messages;', 'is of a kind that is not allowed: LockStmt'],
  ['create index messages_lane on messages (lane);', 'blocks writes while it builds the index messages_lane'],
  [
    'alter table messages add column token uuid not null default gen_random_uuid();',
    'rewrites the table for the column token',
  ],
  ['alter table messages add column number bigserial;', 'rewrites the table for the column number'],
  [
    'alter table messages add column short text generated always as (left(reference, 9)) stored;',
    'adds a constraint in a column',
  ],
  ["insert into workspaces (id, name) values ('', '');", 'changes rows that exist'],
  ["update messages set status = 'queued';", 'is of a kind that is not allowed: UpdateStmt'],
  ['truncate events;', 'is of a kind that is not allowed: TruncateStmt'],
  ['commit;', 'is of a kind that is not allowed: TransactionStmt'],
  ['set lock_timeout = 0;', 'is of a kind that is not allowed: VariableSetStmt'],
  ['revoke select on messages from public;', 'is of a kind that is not allowed: GrantStmt'],
  ['alter table messages set unlogged;', 'has an action that is not allowed: AT_SetUnLogged'],
  ['create rule none as on insert to messages do instead nothing;', 'is of a kind that is not allowed: RuleStmt'],
  ['create table old_messages () inherits (messages);', 'adds rows to another table'],
  ['create temporary table messages (id uuid);', 'creates a temporary table'],
  ['-- holds messages_due: unused\ndrop index messages_due cascade;', 'drops what depends on it'],
] as const)
  test(`the guard of migrations finds: ${migration.replaceAll('\n', ' ')}`, async () =>
    assert.deepEqual(await findContracting(migration), faults))

test('a migration that only expands needs no mark', async () => {
  assert.deepEqual(
    await findContracting(`-- drop column
      -- holds notes.workspaces: the new table is empty
      create table notes (id uuid not null default gen_random_uuid(), workspace_id uuid not null references workspaces);
      create unique index notes_id on notes (id);
      insert into notes select id, id from workspaces where created_at < now();
      -- holds messages.lane_known: the previous release does not set it
      alter table messages add column channel text not null default 'whatsapp', add column lane text,
        add column seen_at timestamptz not null default now(), add constraint lane_known check (lane in ('fast')) not valid;
      -- holds messages.lane_chosen: an earlier migration has added it
      alter table messages validate constraint lane_chosen;
      -- holds nodes.node_status: a value more, and few rows
      alter table nodes drop constraint node_status, add constraint node_status check (status in ('serves', 'new'));
      -- holds nodes.node_name: its unique index was built before
      alter table nodes add constraint node_name unique using index nodes_by_name;
      alter table messages set (fillfactor = 80);
      -- holds workspaces_lane: there are few workspaces
      create index workspaces_lane on workspaces (lane);
      create function next_lane() returns text language sql as $$ select 'fast' $$;
      -- holds messages.lane: the function changes nothing
      alter table messages alter column lane set default next_lane();`),
    [],
  )
})
