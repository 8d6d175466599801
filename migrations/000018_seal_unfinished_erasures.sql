-- The number and the user ids of a person who is being erased stay in the pages of the table, in its WAL and in backups after their
-- row is removed, so they are sealed together in one column (docs/recipients.md#erase). `recipient` then holds the pseudonym. A row
-- of the previous release has them in `recipient` and `user_ids` until an erasure of the same number removes it.
alter table unfinished_erasures
  -- holds unfinished_erasures.id: the table has few rows, each only while an erasure is not finished
  add column id uuid not null default gen_random_uuid(),
  add column person bytea;
alter table unfinished_erasures alter column user_ids set default '{}';

-- holds unfinished_erasures_id: the table has few rows
create index unfinished_erasures_id on unfinished_erasures (id);
