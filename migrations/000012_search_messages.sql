-- What people search by: whom a message went to, and what the caller calls it. The ids behind give the order.
-- Those of conversations are found by confirmations_customer: an entry less for each.
create index messages_recipient on messages (workspace_id, recipient, id) where confirmation_id is null;
create index messages_reference on messages (workspace_id, reference, id) where reference is not null;
-- failures are few, and what is looked for most
create index messages_failed on messages (workspace_id, id) where status = 'failed';
create index confirmations_reference on confirmations (workspace_id, reference, id);
-- The delivery log of an endpoint, newest first.
create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, id);
-- The same of what never arrived, so that a few that failed are found among a million that are held.
create index webhook_deliveries_missed on webhook_deliveries (endpoint_id, status, id) where status in ('failed', 'held');
