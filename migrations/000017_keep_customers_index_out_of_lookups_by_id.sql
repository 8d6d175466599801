-- The condition always holds. It keeps this index out of look-ups by id: PostgreSQL 18 can also read an index without a
-- condition on its first column, and a plan made while the table is small would then read the whole index for each id.
create index confirmations_of_customer on confirmations (recipient, sender_id, id) where recipient is not null;
drop index confirmations_customer;
alter index confirmations_of_customer rename to confirmations_customer;
