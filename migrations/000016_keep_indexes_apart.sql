-- Indexes that only lists and searches need, and that begin with the workspace like the key of the same table. By a plan
-- that was made while the table was empty both cost the same, and the wrong one reads every row of the workspace for each
-- request. With these conditions, which always hold, only a statement that names them can take such an index.
drop index confirmations_reference;
create index confirmations_reference on confirmations (workspace_id, reference, id) where reference <> '';
drop index blocked_recipients_time;
create index blocked_recipients_time on blocked_recipients (workspace_id, created_at, phone) where phone <> '';
drop index refusal_checks_created;
create index refusal_checks_created on refusal_checks (workspace_id, created_at) where created_at > '-infinity';
