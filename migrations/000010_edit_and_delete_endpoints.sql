alter table webhook_endpoints
  -- shown instead of the URL; empty: none
  add column description text not null default '',
  -- the types that it receives; null: all, also those that later releases add. A ping is always sent.
  add column event_types text[],
  -- earlier attempts went to another URL
  add column url_changed_at timestamptz,
  -- A deleted endpoint stays for its deliveries, which reference it.
  add column deleted_at timestamptz,
  -- holds webhook_endpoints.event_types_not_empty: the previous release leaves it null; few rows
  add constraint event_types_not_empty check (cardinality(event_types) > 0),
  -- holds webhook_endpoints.deleted_has_no_secret: the previous release deletes no endpoint; few rows
  add constraint deleted_has_no_secret check (
    deleted_at is null or (status = 'disabled' and length(secret) = 0 and previous_secret is null));

-- Every event reads the endpoints of its workspace: those that were deleted must cost nothing.
-- holds webhook_endpoints_workspace: the previous release deletes no endpoint, each is in the index that replaces it, and there are few
drop index webhook_endpoints_workspace;
create index webhook_endpoints_workspace on webhook_endpoints (workspace_id) where deleted_at is null;
