-- The order in which reports changed a message, and inputs of any kind a conversation, numbered under the lock of that row: a
-- replay needs no other order. A customer's answer has the number of the report that brought it; an event of a conversation, that
-- of the answer, timer, failed message or erasure that caused it. A decision of our own leaves a gap among a message's reports.
alter table messages add column inputs integer not null default 0;
alter table confirmations add column inputs integer not null default 0;
-- null: it changed nothing
alter table provider_reports add column input_number integer;
-- null: not of a conversation
alter table events add column input_number integer;
