import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { CONTRACTING_MARK, listMigrations } from '../../src/db/migrate.ts'

/** Up to this number no check is needed: no release before 0.1.0 can run on a database that has these migrations. */
const FIRST_SET = 9

/** Changes that could break nodes of the previous release, which still read and write the old schema. */
const CONTRACTING: readonly { pattern: RegExp; what: string }[] = [
  { pattern: /^drop (table|view|function|type|schema|trigger) /, what: 'drops something' },
  { pattern: /^drop (column )?(?!(constraint|index) )(if exists )?\w+( cascade)?$/, what: 'drops a column' },
  { pattern: /^(rename |set schema |alter (index|type|function) .* rename )/, what: 'renames something' },
  { pattern: /^alter (column )?\w+ (set data )?type /, what: 'changes the type of a column' },
  { pattern: /^alter (column )?\w+ (set not null|drop default)$/, what: 'makes a column required' },
  {
    pattern: /^add (column )?(?!constraint )(?!.* default )[^(]* not null\b/,
    what: 'adds a required column without a default',
  },
  {
    pattern: /^add (column )?(?!constraint )\w+ .*\b(check|unique|primary key)\b/,
    what: 'adds a constraint in a column',
  },
  { pattern: /^add (check|unique|primary|foreign|exclude)\b/, what: 'adds something without its kind and name' },
  { pattern: /^create unique index /, what: 'forbids rows that were allowed' },
  {
    pattern: /^(create (or replace )?(constraint )?(trigger|rule|policy) |enable |force |revoke )/,
    what: 'changes what statements do',
  },
  { pattern: /^(delete from|truncate) /, what: 'deletes rows' },
]

/**
 * Followed by the name of a constraint, and why it holds for every row that the previous release has written or will write; or
 * of an index that is dropped, and why the previous release does not need it, also if it is created again.
 */
const HOLDS_MARK = '-- holds '

/** Why nodes of the previous release could fail after this migration. They do not know the tables that it creates. */
function findContracting(migration: string): string[] {
  const marked = new Set(
    [...migration.matchAll(new RegExp(`^ *${HOLDS_MARK}(\\w+): \\S`, 'gm'))].map(([, name]) => name),
  )
  const statements = migration
    .replaceAll(/--.*$/gm, '')
    .toLowerCase()
    .split(';')
    .map((each) => each.replaceAll(/\s+/g, ' ').trim())
  const created = statements.map((each) => /^create table (?!if not exists )(\w+)/.exec(each)?.[1] ?? '')
  const known = statements.filter(
    (each) =>
      !created.includes(/(?:^alter table(?: if exists)?(?: only)?| on) (?:\w+\.)?(\w+)/.exec(each)?.[1] ?? 'none'),
  )
  return known.flatMap((each) => {
    const [, index] = /^drop index (?:if exists )?(\w+)/.exec(each) ?? []
    if (index !== undefined && !marked.has(index)) return [`drops the index ${index}`]
    const changes = changesOf(each)
    const found = CONTRACTING.filter(({ pattern }) => changes.some((change) => pattern.test(change)))
    return [
      ...found.map(({ what }) => what),
      ...constraintsOf(changes)
        .filter((name) => !marked.has(name))
        .map((name) => `adds the constraint ${name}`),
      ...(changes.some((change) => isUsedConstraint(change, changes)) ? ['drops a constraint'] : []),
    ]
  })
}

/** The actions of an `alter table`; any other statement as it is. */
function changesOf(text: string): string[] {
  const [, changes] = /^alter table (?:if exists )?(?:only )?(?:\w+\.)?\w+ (.*)$/.exec(text) ?? []
  if (changes === undefined) return [text]
  const withoutParentheses = /,(?![^(]*\))/ // deeper ones do not occur
  return changes.split(withoutParentheses).map((change) => change.trim())
}

/** `on conflict` needs its unique constraint. Without a foreign key every statement still works. */
function isUsedConstraint(change: string, changes: readonly string[]): boolean {
  const [, name = ''] = /^drop constraint (\w+)/.exec(change) ?? []
  return name !== '' && !name.endsWith('_fkey') && !changes.some((each) => each.startsWith(`add constraint ${name} `))
}

/**
 * Includes constraints that replace one of the same name or are on a new column: their text does not show whether they
 * are narrower.
 */
const constraintsOf = (changes: readonly string[]): string[] =>
  changes.flatMap((change) => /^add constraint (\w+)/.exec(change)?.[1] ?? [])

test('a migration that removes what the previous release uses is marked as contracting', async () => {
  for (const { number, name } of await listMigrations()) {
    if (number <= FIRST_SET) continue
    const text = await readFile(new URL(`../../migrations/${name}`, import.meta.url), 'utf8')
    if (text.startsWith(CONTRACTING_MARK)) continue
    assert.deepEqual(findContracting(text), [], `${name}: see docs/upgrading.md#how-migrations-are-written`)
  }
})

for (const [migration, what] of [
  ['alter table messages drop column reference;', 'drops a column'],
  ['drop table templates;', 'drops something'],
  ['alter table messages rename column recipient to receiver;', 'renames something'],
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
  ['-- holds has_lane:\nalter table messages add constraint has_lane check (true);', 'adds the constraint has_lane'],
  ['alter table messages add column lane text check (lane is not null);', 'adds a constraint in a column'],
  ['alter table messages add check (length(reference) < 9);', 'adds something without its kind and name'],
  ['create unique index one_per_day on messages (recipient);', 'forbids rows that were allowed'],
  ['delete from events;', 'deletes rows'],
  ['drop index messages_due;', 'drops the index messages_due'],
  [
    'drop index messages_due;\ncreate index messages_due on messages (recipient) where due_at is not null;',
    'drops the index messages_due',
  ],
  ['alter index messages_number rename to messages_due;', 'renames something'],
  ['alter table messages drop reference;', 'drops a column'],
  ['alter table messages alter reference set not null;', 'makes a column required'],
  ['alter table messages alter reference type bytea;', 'changes the type of a column'],
  [
    'alter table messages add column account_id uuid not null references provider_accounts;',
    'adds a required column without a default',
  ],
  ['create trigger refuse before insert on messages execute function refuse();', 'changes what statements do'],
  ['alter table messages enable row level security;', 'changes what statements do'],
  ['alter table messages set schema archive;', 'renames something'],
  ['create table if not exists messages ();\nalter table messages drop column reference;', 'drops a column'],
  ['alter table nodes drop constraint nodes_pkey;', 'drops a constraint'],
  ['alter table if exists public.messages drop column reference;', 'drops a column'],
] as const)
  test(`a migration that ${what} needs the mark`, () => assert.deepEqual(findContracting(migration), [what]))

test('a migration that only expands needs no mark', () => {
  assert.deepEqual(
    findContracting(`-- drop column
      create table notes (id uuid not null);
      create unique index notes_id on notes (id);
      -- holds lane_known: the previous release does not set it
      alter table messages add column channel text not null default 'whatsapp', add column lane text,
        add constraint lane_known check (lane in ('fast'));
      -- holds message_status: a value more
      alter table messages drop constraint message_status, add constraint message_status check (status in ('queued', 'new'));
      create index messages_lane on messages (lane);`),
    [],
  )
})
