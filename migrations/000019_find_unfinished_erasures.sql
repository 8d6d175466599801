-- An erasure finds the unfinished ones of its number by a keyed hash of it, instead of opening every row of the workspace. Null: a
-- row of the previous release, which housekeeping seals and hashes. Empty: no known key opens the row (docs/recipients.md#erase).
alter table unfinished_erasures add column person_hash bytea;

-- holds unfinished_erasures_person_hash: the table has few rows
create index unfinished_erasures_person_hash on unfinished_erasures (person_hash, begun_at);
