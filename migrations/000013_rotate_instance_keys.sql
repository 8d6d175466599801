alter table instance
  -- Sealed: what sessions are signed with and second factors are encrypted with, so that they outlive a rotation of the
  -- instance key. Null until the first start of a release that stores it.
  add column sign_in_secret bytea,
  -- fingerprints of former instance keys that rows may still be sealed under
  add column old_keys text[] not null default '{}';
