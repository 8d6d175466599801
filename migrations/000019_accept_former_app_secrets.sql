-- Webhooks under way while an app secret is changed are signed with the former one: it is accepted for a while.
alter table provider_accounts
  add column previous_app_secret bytea,
  add column previous_app_secret_until timestamptz,
  add constraint previous_app_secret_ends check ((previous_app_secret is null) = (previous_app_secret_until is null));
