-- People who sign in. The tables of this schema are those of better-auth, with its names and types; a test compares them.
create schema auth;

create table auth."user" (
  "id" text not null primary key,
  "name" text not null,
  "email" text not null unique,
  "emailVerified" boolean not null,
  "image" text,
  "createdAt" timestamptz default current_timestamp not null,
  "updatedAt" timestamptz default current_timestamp not null,
  "twoFactorEnabled" boolean,
  -- better-auth looks an address up in lower case
  constraint email_is_lower_case check ("email" = lower("email"))
);

create table auth."session" (
  "id" text not null primary key,
  "expiresAt" timestamptz not null,
  "token" text not null unique,
  "createdAt" timestamptz default current_timestamp not null,
  "updatedAt" timestamptz not null,
  "ipAddress" text,
  "userAgent" text,
  "userId" text not null references auth."user" ("id") on delete cascade
);

create index "session_userId_idx" on auth."session" ("userId");

create table auth."account" (
  "id" text not null primary key,
  "accountId" text not null,
  "providerId" text not null,
  "userId" text not null references auth."user" ("id") on delete cascade,
  "accessToken" text,
  "refreshToken" text,
  "idToken" text,
  "accessTokenExpiresAt" timestamptz,
  "refreshTokenExpiresAt" timestamptz,
  "scope" text,
  "password" text,
  "createdAt" timestamptz default current_timestamp not null,
  "updatedAt" timestamptz not null
);

create index "account_userId_idx" on auth."account" ("userId");

create table auth."verification" (
  "id" text not null primary key,
  "identifier" text not null,
  "value" text not null,
  "expiresAt" timestamptz not null,
  "createdAt" timestamptz default current_timestamp not null,
  "updatedAt" timestamptz default current_timestamp not null
);

create index "verification_identifier_idx" on auth."verification" ("identifier");

create table auth."twoFactor" (
  "id" text not null primary key,
  "secret" text not null,
  "backupCodes" text not null,
  "userId" text not null references auth."user" ("id") on delete cascade,
  "verified" boolean,
  "failedVerificationCount" integer,
  "lockedUntil" timestamptz
);

create index "twoFactor_secret_idx" on auth."twoFactor" ("secret");
create index "twoFactor_userId_idx" on auth."twoFactor" ("userId");

create table auth."rateLimit" (
  "id" text not null primary key,
  "key" text not null unique,
  "count" integer not null,
  "lastRequest" bigint not null
);

-- People who run the instance: owners in every workspace, also in those that the command line creates.
create table operators (
  user_id text primary key references auth."user" ("id")
);

create table members (
  workspace_id uuid not null references workspaces,
  user_id text not null references auth."user" ("id"),
  role text not null,
  created_at timestamptz not null,
  primary key (workspace_id, user_id),
  constraint member_role check (role in ('owner', 'admin', 'member'))
);

create index members_user on members (user_id);

-- Links that work once: for the first owner, an invitation or a new password. Only a hash of each token is kept.
create table access_links (
  id uuid primary key,
  token_hash bytea not null constraint access_links_token unique,
  purpose text not null,
  workspace_id uuid references workspaces,
  role text,
  email text,
  -- of a link for a new password: the person has lost the second factor as well
  ends_second_factor boolean not null default false,
  created_by text references auth."user" ("id"),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint link_purpose check (purpose in ('setup', 'invitation', 'password')),
  constraint link_role check (role in ('owner', 'admin', 'member')),
  constraint link_email_is_lower_case check (email = lower(email)),
  constraint invitation_is_whole check (
    purpose <> 'invitation' or (workspace_id is not null and role is not null and email is not null)),
  constraint password_link_names_whom check (purpose <> 'password' or email is not null)
);

create index access_links_workspace on access_links (workspace_id, id) where workspace_id is not null;

-- Recent attempts with passwords and codes, by a hash of the account, which need not exist.
create table sign_in_attempts (
  account bytea primary key,
  tried_at timestamptz[] not null,
  -- whether the last one was allowed
  granted boolean not null
);

-- Recently used codes of authenticator apps, as a keyed hash of the person and the code. A code is valid for 90 seconds;
-- housekeeping removes older rows.
create table used_sign_in_codes (
  code bytea primary key,
  used_at timestamptz not null
);

-- Every change that a person makes. It never holds secrets.
create table audit_log (
  id uuid primary key,
  -- null: of the whole instance, or of a person's own account
  workspace_id uuid references workspaces,
  at timestamptz not null,
  -- null: a command on the server
  user_id text references auth."user" ("id"),
  -- the person's email address, readable after the person is gone, or "command line"
  who text not null,
  action text not null,
  -- the id or name of what was changed
  target text not null,
  before jsonb,
  after jsonb
);

create index audit_log_workspace on audit_log (workspace_id, id);
create index audit_log_action on audit_log (workspace_id, action, id);
create index audit_log_who on audit_log (workspace_id, who, id);
create index audit_log_user on audit_log (user_id, id) where workspace_id is null;
