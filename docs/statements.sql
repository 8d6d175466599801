-- Every statement that Doorcode runs, as it is sent. "npm run docs" writes this file; do not edit it.
-- To see a plan in psql: \i docs/statements.sql, then explain execute <name>(<parameters>);

-- Most connections have these settings (src/lib/db/pool.ts); those for figures and for a restore do not.
set plan_cache_mode = force_generic_plan;
set enable_seqscan = off;
set enable_hashjoin = off;
set enable_mergejoin = off;
set enable_bitmapscan = off;

-- src/accept/engine.ts

prepare find_inserted_requests as
select r.id, coalesce(m.lease = $2::uuid, false) as "isClaimed" from jsonb_to_recordset($1) as r (id uuid, workspace_id uuid, message_id uuid)
join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id;

-- src/accounts/accounts.ts

prepare account_by_id as
select id as "accountId", workspace_id as "workspaceId", waba_id as "wabaId", graph_url as "graphUrl",
  access_token as "accessToken", app_secret as "appSecret", previous_app_secret as "previousAppSecret",
  previous_app_secret_until as "previousAppSecretUntil", verify_token as "verifyToken", status,
  exists (select from workspaces w where w.id = a.workspace_id and w.deleted_at is not null) as "isDeleted"
from provider_accounts a where id = $1;

prepare find_account_to_connect as
select id as "accountId", app_secret as "appSecret", status <> 'removed' as "isConnected" from provider_accounts where workspace_id = $1 and waba_id = $2;

prepare list_accounts_of_workspace as
select a.id as "accountId", a.waba_id as "wabaId", a.graph_url as "graphUrl", a.status,
  a.status_detail as "statusDetail", a.created_at as "createdAt", a.synced_at as "syncedAt",
  a.sync_due_at as "syncDueAt",
  (select count(*) from templates t where t.workspace_id = a.workspace_id and t.account_id = a.id) as templates
from provider_accounts a where a.workspace_id = $1 and a.status <> 'removed' order by a.created_at, a.id;

prepare list_accounts_of_workspace_batch as
select batch.position as "workspacePosition", r.*
from unnest($1::uuid[]) with ordinality as batch (id, position)
cross join lateral (
select a.id as "accountId", a.waba_id as "wabaId", a.graph_url as "graphUrl", a.status,
  a.status_detail as "statusDetail", a.created_at as "createdAt", a.synced_at as "syncedAt",
  a.sync_due_at as "syncDueAt",
  (select count(*) from templates t where t.workspace_id = a.workspace_id and t.account_id = a.id) as templates
from provider_accounts a where a.workspace_id = batch.id and a.status <> 'removed' order by a.created_at, a.id offset 0) r;

prepare list_senders_of_account as
select id as "senderId", phone_number_id as "phoneNumberId", phone as "phoneNumber", status from senders
where workspace_id = $1 and account_id = $2 and gone_at is null order by phone, id;

prepare list_templates_of_account as
select name, language, status, category from templates where workspace_id = $1 and account_id = $2
order by name, language;

prepare upsert_account as
insert into provider_accounts as stored (id, workspace_id, waba_id, graph_url, access_token, app_secret, verify_token,
  status, created_at, synced_at, sync_due_at)
values ($1, $2, $3, $4, $5, $6, $7, 'connected', $8, $8, $9)
on conflict (id) do update
set previous_app_secret =
      case when stored.status = 'removed' then stored.previous_app_secret
        when $11 then null when $10::timestamptz is null then stored.previous_app_secret else stored.app_secret end,
    previous_app_secret_until = case when stored.status = 'removed' then stored.previous_app_secret_until
        when not $11 then coalesce($10, stored.previous_app_secret_until) end,
    graph_url = excluded.graph_url, access_token = excluded.access_token, app_secret = excluded.app_secret,
    verify_token = excluded.verify_token, status = 'connected', status_detail = null,
    synced_at = excluded.synced_at, sync_due_at = excluded.sync_due_at;

-- src/accounts/elsewhere.ts

prepare find_connected_accounts as
select a.workspace_id as "workspaceId", a.id as "accountId", a.graph_url as "graphUrl"
from workspaces w
cross join lateral (select * from provider_accounts
  where workspace_id = w.id and waba_id = $1 and status <> 'removed'
    and lower(split_part(split_part(graph_url, '://', 2), '/', 1)) = any ($2)) a
where w.deleted_at is null
order by a.id limit 100;

prepare lock_waba_id as
select pg_advisory_xact_lock(hashtext('doorcode: account ' || $1));

-- src/accounts/remove.ts

prepare delete_templates_of_account as
delete from templates where workspace_id = $1 and account_id = $2;

prepare find_workspace_of_account as
select workspace_id as "workspaceId" from provider_accounts where id = $1 and status <> 'removed';

prepare lock_account_to_remove as
select waba_id as "wabaId" from provider_accounts
where workspace_id = $1 and id = $2 and status <> 'removed' for no key update;

prepare remove_account as
update provider_accounts
set status = 'removed', status_detail = null, sync_due_at = 'infinity',
    previous_app_secret = app_secret, previous_app_secret_until = $3,
    access_token = $4, app_secret = $5, verify_token = $6
where workspace_id = $1 and id = $2;

-- src/accounts/senders.ts

prepare list_numbers_with_their_graph as
select s.id as "senderId", s.phone_number_id as "phoneNumberId", a.graph_url as "graphUrl", a.id as "accountId", a.waba_id as "wabaId"
from senders s
join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
where s.workspace_id = $1 and s.gone_at is null and a.status <> 'removed' and a.graph_url ~ '^http://(127[.]0[.]0[.]1|localhost|\[::1\])(:|/|$)'
order by s.id limit 100;

prepare list_senders_of_workspace as
select s.id as "senderId", s.account_id as "accountId", s.phone_number_id as "phoneNumberId",
  s.phone as "phoneNumber", s.verified_name as "verifiedName", s.status, s.quality, s.throughput,
  s.paused_at as "pausedAt", s.gone_at as "goneAt", a.status as "accountStatus",
  (select p.breaker_open_until from sender_pace p where p.sender_id = s.id) as "breakerOpenUntil"
from senders s
join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
where s.workspace_id = $1 and a.status <> 'removed'
order by s.phone, s.id;

prepare list_senders_of_workspace_batch as
select batch.position as "workspacePosition", r.*
from unnest($1::uuid[]) with ordinality as batch (id, position)
cross join lateral (
select s.id as "senderId", s.account_id as "accountId", s.phone_number_id as "phoneNumberId",
  s.phone as "phoneNumber", s.verified_name as "verifiedName", s.status, s.quality, s.throughput,
  s.paused_at as "pausedAt", s.gone_at as "goneAt", a.status as "accountStatus",
  (select p.breaker_open_until from sender_pace p where p.sender_id = s.id) as "breakerOpenUntil"
from senders s
join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
where s.workspace_id = batch.id and a.status <> 'removed'
order by s.phone, s.id offset 0) r;

prepare pause_or_resume_sender as
update senders set paused_at = case when $3::timestamptz is not null then coalesce(paused_at, $3) end
where workspace_id = $1 and id = $2 returning id;

prepare select_workspace_of_sender as
select workspace_id as "workspaceId" from senders where id = $1;

-- src/accounts/sync/store-listing.ts

prepare add_sender_paces as
insert into sender_pace (sender_id) select id from senders where workspace_id = $1 and account_id = $2
on conflict do nothing;

prepare delete_gone_templates as
delete from templates
where workspace_id = $1 and account_id = $2
  and (name, language) not in (select t.name, t.language from jsonb_to_recordset($3) as t (name text, language text))
returning name, language, status;

prepare lock_account_to_sync as
select status, synced_at from provider_accounts
where workspace_id = $1 and id = $2 and status <> 'removed' for no key update;

prepare mark_gone_senders as
update senders set gone_at = $4
where workspace_id = $1 and account_id = $2 and gone_at is null
  and phone_number_id not in (select n."phoneNumberId" from jsonb_to_recordset($3) as n ("phoneNumberId" text));

prepare upsert_senders as
insert into senders (id, workspace_id, account_id, phone_number_id, phone, verified_name, status, throughput, quality)
select n.id, $1, $2, n."phoneNumberId", n.phone, n."verifiedName", n.status, n.throughput, n.quality
from jsonb_to_recordset($3) as n (
  id uuid, "phoneNumberId" text, phone text, "verifiedName" text, status text, throughput text, quality text)
order by n."phoneNumberId"
on conflict (account_id, phone_number_id) do update
set phone = excluded.phone, verified_name = excluded.verified_name, status = excluded.status,
    throughput = excluded.throughput, quality = excluded.quality, gone_at = null;

prepare upsert_templates as
insert into templates (workspace_id, account_id, name, language, provider_template_id, status, category,
  parameter_format, components, quality, rejected_reason, send_ttl_seconds)
select $1, $2, t.name, t.language, t."providerTemplateId", t.status, t.category,
  t."parameterFormat", t.components, t.quality, t."rejectedReason", t."sendTtlSeconds"
from jsonb_to_recordset($3) as t (
  name text, language text, "providerTemplateId" text, status text, category text, "parameterFormat" text,
  components jsonb, quality text, "rejectedReason" text, "sendTtlSeconds" integer)
order by t.name, t.language
on conflict (account_id, name, language) do update
set provider_template_id = excluded.provider_template_id, status = excluded.status, category = excluded.category,
    parameter_format = excluded.parameter_format, components = excluded.components, quality = excluded.quality,
    rejected_reason = excluded.rejected_reason, send_ttl_seconds = excluded.send_ttl_seconds;

-- src/accounts/sync/sync-progress.ts

prepare list_running_syncs as
select id as "accountId", sync_step as step, sync_numbers as numbers, sync_templates as templates
from provider_accounts where workspace_id = $1 and sync_noted_at > $2;

prepare update_sync_progress as
update provider_accounts
set sync_started_at = case when $4::text is not null then $3::timestamptz end,
    sync_noted_at = $5, sync_step = $4, sync_numbers = $6, sync_templates = $7
where workspace_id = $1 and id = $2 and (sync_started_at <= $3) is not false;

-- src/accounts/sync/sync.ts

prepare claim_accounts_due_for_sync as
update provider_accounts a set sync_due_at = $2
from (select id from provider_accounts account
      where sync_due_at <= $1
        and exists (select from workspaces w where w.id = account.workspace_id and w.deleted_at is null)
      order by sync_due_at limit $3
      for no key update skip locked) due
where a.id = due.id
returning a.id, a.workspace_id, a.sync_due_at;

prepare correct_account_sync_times as
update provider_accounts
set sync_due_at = $1, synced_at = case when synced_at > $1 then $1 else synced_at end
where status <> 'removed' and sync_due_at > $2;

prepare end_account_sync as
update provider_accounts
set status = 'connected', status_detail = null, synced_at = $3,
    sync_due_at = case when sync_due_at = $4 then $5
      else greatest(sync_due_at, $3::timestamptz + interval '60000 milliseconds') end
where workspace_id = $1 and id = $2;

prepare fail_account_sync as
update provider_accounts
set status = case when $4::boolean then 'credentials_invalid'
      when status = 'credentials_unreadable' then 'connected' else status end,
    status_detail = $5, sync_due_at = $6, sync_started_at = null
where workspace_id = $1 and id = $2 and sync_due_at <= $3;

prepare lease_account_sync as
update provider_accounts set sync_due_at = $3 where workspace_id = $1 and id = $2 and status <> 'removed';

prepare lock_account_of_update as
select id from provider_accounts
where workspace_id = $1 and case when $3::text is null then id = $2 else waba_id = $3 end and status <> 'removed'
for no key update;

prepare make_account_sync_due as
update provider_accounts
set sync_due_at = least(sync_due_at, case when status_detail is not null and sync_started_at is null then sync_due_at
  when status = 'connected' then greatest($3::timestamptz, synced_at + interval '60000 milliseconds') else $4 end)
where workspace_id = $1 and id = (
  select id from provider_accounts where workspace_id = $1 and id = $2 for no key update skip locked) and status <> 'removed';

prepare mark_account_credentials_invalid as
update provider_accounts
set status = 'credentials_invalid', status_detail = $3, sync_due_at = least(sync_due_at, $5)
where workspace_id = $1 and id = (
  select id from provider_accounts where workspace_id = $1 and id = $2 for no key update skip locked) and status <> 'removed' and (synced_at is null or synced_at <= $4);

prepare restrict_template as
update templates t set status = $5 from templates before
where t.workspace_id = $1 and t.account_id = $2 and t.name = $3 and t.language = $4 and t.status <> $5
  and before.account_id = t.account_id and before.name = t.name and before.language = t.language
returning before.status as before;

-- src/accounts/templates/changes.ts

prepare insert_template_changes as
insert into template_changes (id, workspace_id, account_id, name, language, at, field, before, after)
select c.id, $1, $2, c.name, c.language, $4, c.field, c.before, c.after
from jsonb_to_recordset($3) as c (id uuid, name text, language text, field text, before text, after text);

prepare list_template_changes as
select at, field, before, after from template_changes
where workspace_id = $1 and account_id = $2 and name = $3 and language = $4
order by id desc limit 100;

prepare select_changed_templates as
select n.name, n.language, to_jsonb(t) as before,
  to_jsonb(n) || jsonb_build_object('rejected_reason', n."rejectedReason") as after
from jsonb_to_recordset($3) as n (
  name text, language text, status text, category text, quality text, "rejectedReason" text, components jsonb)
left join lateral (
  select status, category, quality, rejected_reason, components from templates t
  where t.workspace_id = $1 and t.account_id = $2 and t.name = n.name and t.language = n.language limit 1) t on true
where (t.status, t.category, t.quality, t.rejected_reason, t.components)
  is distinct from (n.status, n.category, n.quality, n."rejectedReason", n.components)
order by n.name, n.language;

-- src/accounts/templates/stored.ts

prepare find_stored_template as
select t.account_id as "accountId", a.waba_id as "wabaId", t.provider_template_id as "providerTemplateId",
t.name, t.language, t.status, t.category, t.quality,
t.rejected_reason as "rejectedReason", t.parameter_format as "parameterFormat", t.send_ttl_seconds as "sendTtlSeconds",
t.components from templates t
join provider_accounts a on a.workspace_id = t.workspace_id and a.id = t.account_id
 where t.workspace_id = $1 and t.account_id = $2 and t.name = $3 and t.language = $4;

prepare list_approved_templates as
select account_id as "accountId", name, language, status, category, components from templates
where workspace_id = $1 and status = 'APPROVED'
order by category, name, language, account_id limit 500;

prepare list_languages_of_template as
select language, status from templates where workspace_id = $1 and account_id = $2 and name = $3
order by language limit 200;

prepare list_stopped_templates as
select account_id as "accountId", name, language, status, category, components from templates
where workspace_id = $1 and status in ('PAUSED', 'DISABLED', 'REJECTED')
order by case status when 'PAUSED' then 0 when 'DISABLED' then 1 else 2 end, name, language limit 200;

prepare list_stopped_templates_batch as
select batch.position as "workspacePosition", r.*
from unnest($1::uuid[]) with ordinality as batch (id, position)
cross join lateral (
select account_id as "accountId", name, language, status, category, components from templates
where workspace_id = batch.id and status in ('PAUSED', 'DISABLED', 'REJECTED')
order by case status when 'PAUSED' then 0 when 'DISABLED' then 1 else 2 end, name, language limit 200 offset 0) r;

prepare list_stored_templates as
select t.account_id as "accountId", a.waba_id as "wabaId", t.provider_template_id as "providerTemplateId",
t.name, t.language, t.status, t.category, t.quality,
t.rejected_reason as "rejectedReason", t.parameter_format as "parameterFormat", t.send_ttl_seconds as "sendTtlSeconds",
t.components from templates t
join provider_accounts a on a.workspace_id = t.workspace_id and a.id = t.account_id
 where t.workspace_id = $1
   and ($2::text is null or t.status = $2) and ($3::text is null or t.language = $3)
   and ($4::text is null or strpos(lower(t.name), lower($4)) > 0
     or strpos(lower(jsonb_path_query_array(t.components, '$[*].text')::text), lower($4)) > 0)
   and ($5::text is null or (t.name, t.language, t.account_id) > ($5, $6, $7::uuid))
 order by t.name, t.language, t.account_id limit 250;

prepare list_template_choices as
select coalesce(array_agg(distinct language order by language), '{}') as languages,
  coalesce(array_agg(distinct status order by status), '{}') as statuses
from templates where workspace_id = $1;

prepare list_template_names as
select distinct name, language, category, status from templates where workspace_id = $1
order by name, language, category, status limit 1000;

-- src/accounts/templates/submit.ts

prepare delete_template as
delete from templates where workspace_id = $1 and account_id = $2 and name = $3 and language = $4
returning name, language, status;

-- src/accounts/unreadable.ts

prepare mark_account_credentials_unreadable as
update provider_accounts
set status = 'credentials_unreadable', status_detail = $4, sync_due_at = least(sync_due_at, $5)
where workspace_id = $1 and id = $2 and access_token = $3 and status not in ('credentials_unreadable', 'removed')
returning id;

-- src/admin/audit/audit-log.ts

prepare find_audit_entry as
select a.id, a.at, a.who, a.action, a.target, a.before, a.after from audit_log a where a.workspace_id = $1 and a.id = $2;

prepare find_audit_entry_of_instance as
select a.id, a.at, a.who, a.action, a.target, a.before, a.after from audit_log a where a.workspace_id is null and $1::uuid is null and a.id = $2;

prepare list_audit_actions as
with recursive choices as (
  (select a.action as choice from audit_log a where a.workspace_id = $1 order by a.action limit 1)
  union all
  select (select a.action from audit_log a where a.workspace_id = $1 and a.action > c.choice order by a.action limit 1)
  from choices c where c.choice is not null)
select choice from choices where choice is not null limit 200;

prepare list_audit_actions_of_instance as
with recursive choices as (
  (select a.action as choice from audit_log a where a.workspace_id is null and $1::uuid is null order by a.action limit 1)
  union all
  select (select a.action from audit_log a where a.workspace_id is null and $1::uuid is null and a.action > c.choice order by a.action limit 1)
  from choices c where c.choice is not null)
select choice from choices where choice is not null limit 200;

prepare list_audit_entries as
select a.id, a.at, a.who, a.action, a.target, a.before, a.after from audit_log a where a.workspace_id = $1 and a.id < $2 and a.id >= $3 and ($4::timestamptz is null or a.at >= $4) and ($5::timestamptz is null or a.at < $5)
and ($6::text is null or a.who = $6) order by a.id desc limit 51;

prepare list_audit_entries_of_actions as
select a.id, a.at, a.who, a.action, a.target, a.before, a.after from unnest($7::text[]) chosen (action)
cross join lateral (
  select * from audit_log a
  where a.workspace_id = $1 and (a.action, a.id) < (chosen.action, $2) and (a.action, a.id) >= (chosen.action, $3) and ($4::timestamptz is null or a.at >= $4) and ($5::timestamptz is null or a.at < $5)
and ($6::text is null or a.who = $6)
  order by a.workspace_id desc, a.action desc, a.id desc limit 51) a
order by a.id desc limit 51;

prepare list_audit_entries_of_actions_of_instance as
select a.id, a.at, a.who, a.action, a.target, a.before, a.after from unnest($7::text[]) chosen (action)
cross join lateral (
  select * from audit_log a
  where a.workspace_id is null and $1::uuid is null and (a.action, a.id) < (chosen.action, $2) and (a.action, a.id) >= (chosen.action, $3) and ($4::timestamptz is null or a.at >= $4) and ($5::timestamptz is null or a.at < $5)
and ($6::text is null or a.who = $6)
  order by a.workspace_id desc, a.action desc, a.id desc limit 51) a
order by a.id desc limit 51;

prepare list_audit_entries_of_instance as
select a.id, a.at, a.who, a.action, a.target, a.before, a.after from audit_log a where a.workspace_id is null and $1::uuid is null and a.id < $2 and a.id >= $3 and ($4::timestamptz is null or a.at >= $4) and ($5::timestamptz is null or a.at < $5)
and ($6::text is null or a.who = $6) order by a.id desc limit 51;

prepare list_audit_people as
with recursive choices as (
  (select a.who as choice from audit_log a where a.workspace_id = $1 order by a.who limit 1)
  union all
  select (select a.who from audit_log a where a.workspace_id = $1 and a.who > c.choice order by a.who limit 1)
  from choices c where c.choice is not null)
select choice from choices where choice is not null limit 200;

prepare list_audit_people_of_instance as
with recursive choices as (
  (select a.who as choice from audit_log a where a.workspace_id is null and $1::uuid is null order by a.who limit 1)
  union all
  select (select a.who from audit_log a where a.workspace_id is null and $1::uuid is null and a.who > c.choice order by a.who limit 1)
  from choices c where c.choice is not null)
select choice from choices where choice is not null limit 200;

prepare list_own_events as
select a.id, a.at, a.who, a.action, a.target, a.before, a.after from audit_log a where a.workspace_id is null and a.user_id = $1 and a.action like 'person.%'
order by a.id desc limit 20;

-- src/admin/audit/audit.ts

prepare insert_audit_entry as
insert into audit_log (id, workspace_id, at, user_id, who, action, target, before, after)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- src/admin/audit/target-names.ts

prepare list_audit_target_names as
select target.id::text as target, found.name, found.is_deleted as "isDeleted" from unnest($2::uuid[]) target (id)
cross join lateral (
  (select e.url as name, e.deleted_at is not null as is_deleted from webhook_endpoints e
   where e.workspace_id = $1 and e.id = target.id limit 1)
  union all
  (select s.phone, a.status = 'removed' from senders s
   join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
   where s.workspace_id = $1 and s.id = target.id limit 1)
  union all
  (select a.waba_id, a.status = 'removed' from provider_accounts a where a.workspace_id = $1 and a.id = target.id limit 1)
  union all
  (select h.name, h.deleted_at is not null from auth_hooks h where h.workspace_id = $1 and h.id = target.id limit 1)
  union all
  (select m.recipient, false from messages m where m.workspace_id = $1 and m.id = target.id limit 1)
  union all
  (select c.reference, false from confirmations c where c.workspace_id = $1 and c.id = target.id limit 1)) found
union all
select target.id, found.name, false from unnest($3::text[]) target (id)
cross join lateral (
  select k.name from api_keys k where k.workspace_id = $1 and k.public_id = target.id limit 1) found;

-- src/admin/auth/account.ts

prepare end_session_of_person as
delete from auth."session" where "userId" = $1 and "id" = $2 returning "id";

prepare list_sessions_of_person as
select s."id" as "sessionId", left(nullif(s."userAgent", ''), 300) as device,
  nullif(s."ipAddress", '') as address, s."createdAt" as "signedInAt", s."updatedAt" as "lastUsedAt"
from auth."session" s where s."userId" = $1 and s."expiresAt" > $2
order by s."updatedAt" desc, s."id" limit 100;

prepare rename_person as
update auth."user" set "name" = $2, "updatedAt" = $3 where "id" = $1;

-- src/admin/auth/call-hooks.ts

prepare find_locked_second_factor as
select u."id" as "userId", u."email" from auth."user" u
where u."id" = $1 and exists (
  select from auth."twoFactor" f where f."userId" = u."id" and f."failedVerificationCount" >= 10);

-- src/admin/auth/end-all-sessions.ts

prepare end_all_challenges as
delete from auth."verification";

prepare end_all_sessions as
delete from auth."session" returning "id";

prepare lock_second_factors as
select "id", "secret", "backupCodes" from auth."twoFactor" order by "id" for update;

prepare write_second_factor as
update auth."twoFactor" set "secret" = $2, "backupCodes" = $3 where "id" = $1;

-- src/admin/auth/expired-rows.ts

prepare remove_access_links as
with removed as (
  delete from access_links where ctid = any (array (select ctid from access_links where expires_at < $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare remove_idle_sessions as
with removed as (
  delete from auth."session" where ctid = any (array (select ctid from auth."session" where "expiresAt" < $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare remove_old_sessions as
with removed as (
  delete from auth."session" where ctid = any (array (select ctid from auth."session" where "createdAt" < $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare remove_sign_in_attempts as
with removed as (
  delete from sign_in_attempts where ctid = any (array (select ctid from sign_in_attempts where tried_at[cardinality(tried_at)] < $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare remove_sign_in_rates as
with removed as (
  delete from auth."rateLimit" where ctid = any (array (select ctid from auth."rateLimit" where "lastRequest" < extract(epoch from $1::timestamptz) * 1000 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare remove_used_sign_in_codes as
with removed as (
  delete from used_sign_in_codes where ctid = any (array (select ctid from used_sign_in_codes where used_at < $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare remove_verifications as
with removed as (
  delete from auth."verification" where ctid = any (array (select ctid from auth."verification" where "expiresAt" < $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

-- src/admin/auth/invitations.ts

prepare list_invitations as
select l.id as "invitationId", l.email, l.role, l.created_at as "createdAt", l.expires_at as "expiresAt",
  l.expires_at <= $2 as "isExpired",
  (select u."email" from auth."user" u where u."id" = l.created_by) as "invitedBy"
from access_links l
where l.workspace_id = $1 and l.purpose = 'invitation' and l.used_at is null and (l.created_by is null
or exists (select from members m
  where m.workspace_id = l.workspace_id and m.user_id = l.created_by and m.role = 'owner')
or exists (select from operators o where o.user_id = l.created_by))
order by l.expires_at <= $2, l.id desc limit 200;

prepare revoke_invitation as
delete from access_links
where workspace_id = $1 and id = $2 and purpose = 'invitation' and used_at is null returning email, role;

-- src/admin/auth/links.ts

prepare delete_invitations_of_maker as
delete from access_links l
where l.workspace_id = $1 and l.created_by = $2 and l.purpose = 'invitation' and l.used_at is null and l.expires_at > $3
returning l.email, l.role;

prepare delete_open_links as
delete from access_links
where purpose = $1 and ($2::uuid is null or workspace_id = $2) and email = $3 and used_at is null;

prepare find_access_link as
select l.purpose, l.workspace_id as "workspaceId", l.role, l.email, l.ends_second_factor as "endsSecondFactor",
(select w.name from workspaces w where w.id = l.workspace_id) as "workspaceName",
exists (select from auth."user" u where u."email" = l.email) as "hasAccount" from access_links l where l.token_hash = $1 and l.used_at is null and l.expires_at > $2
and (l.purpose <> 'setup' or not exists (select from operators))
and (l.purpose <> 'invitation' or (l.created_by is null
or exists (select from members m
  where m.workspace_id = l.workspace_id and m.user_id = l.created_by and m.role = 'owner')
or exists (select from operators o where o.user_id = l.created_by)))
and not exists (select from workspaces w where w.id = l.workspace_id and w.deleted_at is not null);

prepare insert_access_link as
insert into access_links (id, token_hash, purpose, workspace_id, role, email, ends_second_factor, created_by,
  created_at, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

prepare lock_first_owner as
select pg_advisory_xact_lock(hashtext('doorcode: first owner'));

prepare use_access_link as
update access_links l set used_at = $2 where l.token_hash = $1 and l.used_at is null and l.expires_at > $2
and (l.purpose <> 'setup' or not exists (select from operators))
and (l.purpose <> 'invitation' or (l.created_by is null
or exists (select from members m
  where m.workspace_id = l.workspace_id and m.user_id = l.created_by and m.role = 'owner')
or exists (select from operators o where o.user_id = l.created_by)))
and not exists (select from workspaces w where w.id = l.workspace_id and w.deleted_at is not null) and l.purpose = any($3) returning l.purpose, l.workspace_id as "workspaceId", l.role, l.email, l.ends_second_factor as "endsSecondFactor",
(select w.name from workspaces w where w.id = l.workspace_id) as "workspaceName",
exists (select from auth."user" u where u."email" = l.email) as "hasAccount";

-- src/admin/auth/members.ts

prepare delete_member as
delete from members where workspace_id = $1 and user_id = $2;

prepare find_listed_membership as
select listed.*, coalesce(
  (select jsonb_agg(jsonb_build_object('at', floor(extract(epoch from m.moved_at) * 1000), 'byMs', m.by_ms)
     order by m.moved_at)
   from (select moved_at, by_ms from clock_moves where workspace_id = listed."workspaceId"
         order by moved_at desc limit 2000) m), '[]') as "clockMoves",
  (select jsonb_build_object('kind', s.kind, 'share', extract(epoch from s.done_until - s.from_at)
     / extract(epoch from s.requested_at + s.until_offset_ms * interval '1 ms' - s.from_at))
   from sandbox_work s where s.workspace_id = listed."workspaceId") as "sandboxWork",
  case when listed."deletionDueAt" is not null then
    (select who from audit_log where workspace_id = listed."workspaceId" and action = 'workspace.deletion_requested'
     order by id desc limit 1) end as "deletionRequestedBy"
from (select w.id as "workspaceId", w.name, w.sandbox, w.clock_offset_ms as "clockOffsetMs",
  w.deletion_due_at as "deletionDueAt",
  coalesce((select s.document ->> 'timeZone' from cod_settings s where s.workspace_id = w.id), 'UTC') as "timeZone",
  case when exists (select from operators o where o.user_id = $1) then 'owner' else m.role end as role, exists (select from operators o where o.user_id = $1) as operator
from workspaces w
left join members m on m.workspace_id = w.id and m.user_id = $1
where w.deleted_at is null and (m.role is not null or exists (select from operators o where o.user_id = $1)) and w.id = $2) listed;

prepare find_membership as
select w.id as "workspaceId", w.name, w.sandbox, w.clock_offset_ms as "clockOffsetMs",
  w.deletion_due_at as "deletionDueAt",
  coalesce((select s.document ->> 'timeZone' from cod_settings s where s.workspace_id = w.id), 'UTC') as "timeZone",
  case when exists (select from operators o where o.user_id = $1) then 'owner' else m.role end as role, exists (select from operators o where o.user_id = $1) as operator
from workspaces w
left join members m on m.workspace_id = w.id and m.user_id = $1
where w.deleted_at is null and (m.role is not null or exists (select from operators o where o.user_id = $1)) and w.id = $2;

prepare has_operators as
select exists (select from operators) as any;

prepare insert_member as
insert into members (workspace_id, user_id, role, created_at) values ($1, $2, $3, $4)
on conflict (workspace_id, user_id) do nothing;

prepare insert_operator as
insert into operators (user_id) values ($1);

prepare list_members as
select u."id" as "userId", u."name", u."email", coalesce(u."twoFactorEnabled", false) as "twoFactor",
  case when o.user_id is null then m.role else 'owner' end as role, o.user_id is not null as operator,
  m.created_at as since,
  greatest(
    (select max(s."updatedAt") from auth."session" s where s."userId" = here.user_id),
    (select a.at from audit_log a where a.workspace_id is null and a.user_id = here.user_id
     order by a.id desc limit 1)) as "lastSeenAt"
from (select user_id from members where workspace_id = $1 union select user_id from operators) here
join auth."user" u on u."id" = here.user_id
left join members m on m.workspace_id = $1 and m.user_id = here.user_id
left join operators o on o.user_id = here.user_id
order by u."email" limit 500;

prepare list_memberships as
select listed.*, coalesce(
  (select jsonb_agg(jsonb_build_object('at', floor(extract(epoch from m.moved_at) * 1000), 'byMs', m.by_ms)
     order by m.moved_at)
   from (select moved_at, by_ms from clock_moves where workspace_id = listed."workspaceId"
         order by moved_at desc limit 2000) m), '[]') as "clockMoves",
  (select jsonb_build_object('kind', s.kind, 'share', extract(epoch from s.done_until - s.from_at)
     / extract(epoch from s.requested_at + s.until_offset_ms * interval '1 ms' - s.from_at))
   from sandbox_work s where s.workspace_id = listed."workspaceId") as "sandboxWork",
  case when listed."deletionDueAt" is not null then
    (select who from audit_log where workspace_id = listed."workspaceId" and action = 'workspace.deletion_requested'
     order by id desc limit 1) end as "deletionRequestedBy"
from (select w.id as "workspaceId", w.name, w.sandbox, w.clock_offset_ms as "clockOffsetMs",
  w.deletion_due_at as "deletionDueAt",
  coalesce((select s.document ->> 'timeZone' from cod_settings s where s.workspace_id = w.id), 'UTC') as "timeZone",
  case when exists (select from operators o where o.user_id = $1) then 'owner' else m.role end as role, exists (select from operators o where o.user_id = $1) as operator
from workspaces w
left join members m on m.workspace_id = w.id and m.user_id = $1
where w.deleted_at is null and (m.role is not null or exists (select from operators o where o.user_id = $1)) order by w.name, w.id limit 200) listed
order by listed.name, listed."workspaceId";

prepare lock_member as
select m.role, (select u."email" from auth."user" u where u."id" = m.user_id) as email
from members m where m.workspace_id = $1 and m.user_id = $2 for update;

prepare lock_owners as
select user_id from members where workspace_id = $1 and role = 'owner' order by user_id for update;

prepare may_create_workspaces as
select exists (select from operators o where o.user_id = $1)
or exists (select m.workspace_id from members m where m.user_id = $1 and m.role = 'owner') as may;

prepare set_role as
update members set role = $3 where workspace_id = $1 and user_id = $2;

-- src/admin/auth/person.ts

prepare delete_second_factor as
with gone as (delete from auth."twoFactor" where "userId" = $1)
update auth."user" set "twoFactorEnabled" = false where "id" = $1;

prepare end_challenges_of_person as
delete from auth."verification" where "value" = $1;

prepare end_sessions_of_person as
delete from auth."session" where "userId" = $1;

prepare find_person_by_email as
select u."id" as "userId", u."email" from auth."user" u where u."email" = $1;

prepare insert_password as
insert into auth."account" ("id", "accountId", "providerId", "userId", "password", "createdAt", "updatedAt")
values ($1, $2, 'credential', $2, $3, $4, $4);

prepare insert_person as
insert into auth."user" ("id", "name", "email", "emailVerified", "createdAt", "updatedAt")
values ($1, $2, $3, true, $4, $4) on conflict ("email") do nothing returning "id";

prepare list_people as
select u."id" as "userId", u."email", u."name", coalesce(u."twoFactorEnabled", false) as "twoFactor",
  u."createdAt", exists (select from operators o where o.user_id = u."id") as operator,
  (select count(*)::int from members m where m.user_id = u."id") as workspaces
from auth."user" u order by u."email" limit 1000;

prepare set_password as
update auth."account" set "password" = $2, "updatedAt" = $3 where "id" in (
select "id" from auth."account" where "userId" = $1 and "providerId" = 'credential') returning "id";

-- src/admin/auth/sign-in-attempts.ts

prepare delete_sign_in_attempts as
delete from sign_in_attempts where account = $1;

prepare take_sign_in_attempt as
insert into sign_in_attempts as a (account, tried_at, granted) values ($1, array[$2::timestamptz], true)
on conflict (account) do update set (tried_at, granted) = (
  select case when cardinality(r.tried) < 10 then r.tried || $2::timestamptz else r.tried end,
    cardinality(r.tried) < 10
  from (select coalesce(array_agg(t order by t) filter (where t > $3), '{}') as tried from unnest(a.tried_at) t) r)
returning granted, cardinality(tried_at) as tried, tried_at[1] as oldest;

-- src/admin/auth/used-codes.ts

prepare release_sign_in_code as
delete from used_sign_in_codes where code = $1;

prepare use_sign_in_code as
insert into used_sign_in_codes as c (code, used_at) values ($1, $2)
on conflict (code) do update set used_at = excluded.used_at where c.used_at < $3
returning true as used;

-- src/admin/first-steps.ts

prepare find_first_steps as
select
exists (select from provider_accounts where workspace_id = $1 and status <> 'removed') as account,
exists (select from api_keys
  where workspace_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)) as key,
exists (select from webhook_endpoints where workspace_id = $1 and deleted_at is null) as endpoint,
exists (select from messages where workspace_id = $1) as message;

-- src/charts/count.ts

prepare count_days as
with item (created_at, sender_id, template, language, names) as (
  select m.created_at, m.sender_id, m.template_name, m.template_language, array[
      'message.' || m.kind, case m.kind when 'otp' then 'otp.' || m.status end, 'failure.' || m.failure_code,
      case when m.undelivered_event_at is not null then 'undelivered' end,
      case m.kind when 'otp' then 'took.sent.' || width_bucket((extract(epoch from m.sent_at - m.created_at) * 1000)::float8, $6::float8[]) end,
      'took.delivered.' || width_bucket((extract(epoch from reported.delivered - reported.sent) * 1000)::float8, $6::float8[]),
      'took.read.' || width_bucket((extract(epoch from reported.read - reported.delivered) * 1000)::float8, $6::float8[])] || coalesce(verification.names, '{}')
  from messages m
  cross join lateral (
    select min(r.occurred_at) filter (where r.body like '%"status":"sent"%') as sent, min(r.occurred_at) filter (where r.body like '%"status":"delivered"%') as delivered, min(r.occurred_at) filter (where r.body like '%"status":"read"%') as read
    from provider_reports r
    where r.message_id = m.id and r.workspace_id = m.workspace_id and m.kind = 'otp' and m.sent_at is not null
      and m.status in ('delivered', 'read', 'played')) reported
  left join lateral (
    select array_agg('verification.' || facet || stage) as names
    from otp_verifications v
    cross join lateral unnest(array['', 'country.' || coalesce(v.country, '') || '.', 'hour.' || floor(mod(extract(epoch from m.created_at) + ($9::numeric[])[width_bucket(m.created_at, $8::timestamptz[])], 86400) / 3600) || '.']) as facet
    cross join lateral unnest(array['started',
      case when m.status in ('delivered', 'read', 'played') or exists (
        select from messages r where r.workspace_id = v.workspace_id and r.verification_id = v.id and r.status in ('delivered', 'read', 'played'))
      then 'delivered' end,
      case when v.status = 'approved' then 'approved' end]) as stage
    where m.kind = 'otp' and v.workspace_id = m.workspace_id and v.id = m.id and stage is not null) verification on true
  where m.workspace_id = $1 and m.id >= $3::uuid and m.id < $4::uuid and m.created_at >= ($2::timestamptz[])[1] and m.created_at < ($2::timestamptz[])[cardinality($2::timestamptz[])]
  union all
  select c.created_at, c.sender_id, c.template_name, c.template_language, array[
      'confirmation.' || c.status, case when reminder.at is not null then 'confirmation_reminded' end,
      'answer.' || width_bucket((extract(epoch from answer.at - c.created_at) * 1000)::float8, $7::float8[]),
      case when answer.at >= reminder.at then 'confirmation_answered_reminded' end,
      case when answer.at >= reminder.at and c.status = 'confirmed' then 'confirmation_confirmed_reminded' end]
  from confirmations c
  cross join lateral (
    select min(m.created_at) as at from messages m
    where m.workspace_id = c.workspace_id and m.confirmation_id = c.id and m.check_kind = 'confirmation' and m.purpose = 'reminder') reminder
  cross join lateral (
    select min(a.answered_at) as at from cod_answers a
    where a.workspace_id = c.workspace_id and a.confirmation_id = c.id and a.check_kind = 'confirmation') answer
  where c.workspace_id = $1 and c.id >= $3::uuid and c.id < $4::uuid and c.created_at >= ($2::timestamptz[])[1] and c.created_at < ($2::timestamptz[])[cardinality($2::timestamptz[])]
  union all
  select f.created_at, c.sender_id, f.template_name, f.template_language,
    array['refusal.' || f.status, case f.status when 'refusal_confirmed' then 'reason.' || coalesce(f.reason, '') end]
  from refusal_checks f
  cross join lateral (
    select c.sender_id from confirmations c where c.workspace_id = f.workspace_id and c.id = f.confirmation_id limit 1) c
  where f.workspace_id = $1 and f.created_at > '-infinity' and f.created_at >= ($2::timestamptz[])[1] and f.created_at < ($2::timestamptz[])[cardinality($2::timestamptz[])]
), counted as (
  select ($5::text[])[width_bucket(created_at, $2::timestamptz[])] as day, sender_id, coalesce(template, '') as template,
    coalesce(language, '') as language, names, count(*) as count
  from item group by 1, 2, 3, 4, 5
), named as (
  select day, sender_id, template, language, name, sum(count) as count
  from counted cross join lateral unnest(names) as name where name is not null group by 1, 2, 3, 4, 5
)
select day, sender_id as "senderId", template, language, jsonb_object_agg(name, count) as counts
from named group by 1, 2, 3, 4;

-- src/charts/daily.ts

prepare find_earliest_daily_figures as
select day from daily_figures where workspace_id = $1 order by day limit 1;

prepare find_first_uncounted_day as
select least(
(select min(day) from daily_figures where due_at is not null),
(select min(coalesce(
   (select f.day + 1 from daily_figures f where f.workspace_id = w.id order by f.day desc limit 1), w.created_at::date - 1))
 from workspaces w where not w.sandbox and w.deleted_at is null)) as day;

prepare keep_daily_figures as
update daily_figures set groups = $3, counted_at = $4, counts = counts + 1, due_at = $5
where workspace_id = $1 and day = $2 and time_zone = $6 and counts = $7;

prepare list_daily_figures as
select day, groups from daily_figures where workspace_id = $1 and day between $2 and $3 and counted_at is not null;

prepare list_workspaces_to_count as
select w.id as "workspaceId", w.created_at as "createdAt", z.zone as "timeZone",
  (select case when f.time_zone = z.zone then f.day end from daily_figures f
   where f.workspace_id = w.id order by f.day desc limit 1) as newest
from workspaces w
cross join lateral (
  select coalesce((select s.document ->> 'timeZone' from cod_settings s where s.workspace_id = w.id), 'UTC') as zone) z
where not w.sandbox and w.deleted_at is null and w.id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
order by w.id limit 100;

prepare plan_daily_figures as
insert into daily_figures as f (workspace_id, day, time_zone, groups, due_at)
select workspace_id, day, time_zone, '[]', $2 from jsonb_to_recordset($1) as d (workspace_id uuid, day date, time_zone text)
on conflict (workspace_id, day) do update
set time_zone = excluded.time_zone, groups = '[]', counted_at = null, counts = 0, due_at = excluded.due_at
where f.time_zone <> excluded.time_zone and f.day >= coalesce($3::date, '-infinity'::date);

prepare postpone_daily_figures as
update daily_figures set due_at = $3 where workspace_id = $1 and day = $2;

prepare take_due_daily_figures as
with due as materialized (
  select workspace_id, day from daily_figures where due_at <= $1 order by due_at, day desc limit 1 for update skip locked)
update daily_figures set due_at = $2
where workspace_id = (select workspace_id from due) and day = (select day from due)
returning workspace_id as "workspaceId", day, time_zone as "timeZone", counts;

-- src/charts/sender-traffic.ts

prepare count_traffic_of_senders as
select m.sender_id as "senderId", count(*) as messages, count(*) filter (where m.status = 'failed') as failed
from (select sender_id, status, created_at from messages where workspace_id = $1 and id >= $2
      order by id desc limit 100000) m
where m.created_at >= $3
group by m.sender_id;

-- src/charts/usage.ts

prepare find_first_confirmation_unit_since as
select quota_unit as unit, created_at as at from (
  select id, quota_unit, created_at from confirmations
  where workspace_id = $1 and id >= $3 order by id limit 100000) c
where created_at >= $2 order by id limit 1;

prepare find_first_otp_unit_since as
select quota_unit as unit, created_at as at from (
  select id, kind, quota_unit, created_at from messages
  where workspace_id = $1 and id >= $3 order by id limit 100000) m
where kind = 'otp' and created_at >= $2 order by id limit 1;

prepare find_first_refusal_unit_since as
select quota_unit as unit, created_at as at from refusal_checks
where workspace_id = $1 and created_at > '-infinity' and created_at >= $2 order by created_at limit 1;

prepare list_quota_usage as
select a.kind, a.monthly_units as "monthlyUnits",
  coalesce((select used from quota_usage q where q.workspace_id = $1 and q.kind = a.kind and q.month = $2), 0) as used,
  coalesce((select used from quota_usage q where q.workspace_id = $1 and q.kind = a.kind and q.month = $3), 0)
    as "usedLastMonth",
  exists (select from quota_usage q
    where q.workspace_id = $1 and q.kind = a.kind and q.month < $2 and q.used > 0) as "usedEarlier"
from quotas a where a.workspace_id = $1;

-- src/cod/accept-refusal.ts

prepare insert_refusal_checks_within_quota as
with counters as materialized (
  select r.workspace_id, r.month, r.created_at, r.requests, q.used
  from (
    select r.* from (select set_config('lock_timeout', $4, true)) lock_wait
    cross join jsonb_to_recordset($1) as r (workspace_id uuid, month date, created_at timestamptz, requests jsonb)
    -- in one order, so that groups of several nodes cannot deadlock
    order by r.workspace_id) r
  cross join lateral (
    select used from quota_usage
    where workspace_id = r.workspace_id and kind = 'cod_refusal' and month between r.month and r.month
    order by month desc limit 1 for update) q
), numbered as (
  select q.workspace_id, q.created_at, l.monthly_units, c.*,
         q.used + row_number() over (partition by q.workspace_id order by c.id) as unit
  from counters q
  cross join lateral (
    select monthly_units from quotas where workspace_id = q.workspace_id and kind = 'cod_refusal' limit 1) l
  cross join lateral jsonb_to_recordset(q.requests) as c (
    id uuid, sender_id uuid, recipient text, name text, language text, parameters jsonb, content jsonb,
    key text, correlation_id uuid, api_key_id text, confirmation_id uuid)
), inserted as (
  insert into refusal_checks (confirmation_id, workspace_id, template_name, template_language, parameters,
    idempotency_key, correlation_id, api_key_id, quota_unit, created_at, status, asked_at, first_message_id)
  select confirmation_id, workspace_id, name, language, parameters,
    key, correlation_id, api_key_id, unit, created_at, 'accepted', $2, id
  from (select * from numbered where unit <= monthly_units order by confirmation_id) n
  cross join lateral (
    select from confirmations c
    where c.workspace_id = n.workspace_id and c.id = n.confirmation_id and c.recipient = n.recipient limit 1
    for key share) unerased
  on conflict do nothing
  returning first_message_id as id, workspace_id
), first_messages as (
  insert into messages (id, workspace_id, kind, sender_id, recipient, confirmation_id, check_kind, purpose, content,
    template_name, template_language, created_at, status, priority, due_at, submit_by)
  select id, workspace_id, 'cod', sender_id, recipient, confirmation_id, 'refusal', 'template', content,
    name, language, created_at, 'queued', 1, $2, $3
  -- "is true": as a join, each row would be compared with all others
  from numbered where (id in (select id from inserted)) is true
)
select id from inserted
-- always true: it takes the units of each workspace
where (
  select count(take_units(workspace_id, 'cod_refusal', month, units))
  from (select workspace_id, count(*) as units from inserted group by workspace_id) taken
  join counters using (workspace_id)) >= 0;

prepare look_up_refusal_check_requests as
select r.n, w.clock_offset_ms as "clockOffsetMs", q.used as "unitsUsed", coalesce(l.monthly_units, 0) as "monthlyUnits", a.status is not null as "hasSender", s.status as "senderStatus", s.paused_at is not null as "senderPaused",
       s.gone_at is not null as "senderGone", a.status as "accountStatus",
       t.status as "templateStatus", t.category as "templateCategory", t.components as "templateComponents",
       case when a.status is not null and t.status is null then (
         select jsonb_agg(jsonb_build_object('name', o.name, 'language', o.language, 'hasName', o.name = r.name, 'total', o.total)
           order by o.place)
         from (
           select name, language, count(*) over () as total,
             row_number() over (order by name <> r.name, name, language) as place
           from templates
           where workspace_id = r.workspace_id and account_id = s.account_id
             and category = 'UTILITY' and status = 'APPROVED'
           order by place limit 12) o) end as "otherTemplates",
       cs.workspace_id is not null as configured, cs.document -> 'languages' ? r.language as "languageConfigured",
       case when not cs.document -> 'languages' ? r.language
         then array (select jsonb_object_keys(cs.document -> 'languages')) end as "otherLanguages",
       c.status as "confirmationStatus", c.sender_id as "senderId", c.recipient,
       f.confirmation_id is not null as "checkExists",
       array (
         select b.phone from blocked_recipients b
         where b.workspace_id = r.workspace_id and b.phone = any (array[c.recipient])) as blocked,
       (select jsonb_agg(e) from unnest(r.keys) as key cross join lateral (
         select confirmation_id as "confirmationId", idempotency_key as "idempotencyKey", template_name as "templateName",
           template_language as "templateLanguage", parameters
         from refusal_checks where workspace_id = r.workspace_id and idempotency_key = key limit 1) e) as earlier
from jsonb_to_recordset($1) as r (
  n int, workspace_id uuid, confirmation_id uuid, name text, language text, keys text[])
join workspaces w on w.id = r.workspace_id
left join lateral (
  select monthly_units from quotas where workspace_id = r.workspace_id and kind = 'cod_refusal' limit 1) l on true
left join lateral (
  select used from quota_usage where workspace_id = r.workspace_id and kind = 'cod_refusal'
    and month between date_trunc('month', ($2::timestamptz + w.clock_offset_ms * interval '1 ms') at time zone 'UTC')::date and date_trunc('month', ($2::timestamptz + w.clock_offset_ms * interval '1 ms') at time zone 'UTC')::date
  order by month desc limit 1) q on true
left join cod_settings cs on cs.workspace_id = r.workspace_id
left join confirmations c on c.workspace_id = r.workspace_id and c.id = r.confirmation_id
left join refusal_checks f on f.workspace_id = r.workspace_id and f.confirmation_id = r.confirmation_id
left join senders s on s.workspace_id = r.workspace_id and s.id = c.sender_id
left join lateral (
  select status, waba_id, graph_url, access_token from provider_accounts
  where workspace_id = r.workspace_id and id = s.account_id and status <> 'removed' limit 1) a on true
left join lateral (
  select status, category, components from templates
  where workspace_id = r.workspace_id and account_id = s.account_id and name = r.name and language = r.language
  limit 1) t on true;

-- src/cod/accept.ts

prepare insert_confirmations_within_quota as
with counters as materialized (
  select r.workspace_id, r.month, r.created_at, r.requests, q.used
  from (
    select r.* from (select set_config('lock_timeout', $4, true)) lock_wait
    cross join jsonb_to_recordset($1) as r (workspace_id uuid, month date, created_at timestamptz, requests jsonb)
    -- in one order, so that groups of several nodes cannot deadlock
    order by r.workspace_id) r
  cross join lateral (
    select used from quota_usage
    where workspace_id = r.workspace_id and kind = 'cod_confirmation' and month between r.month and r.month
    order by month desc limit 1 for update) q
), numbered as (
  select q.workspace_id, q.created_at, l.monthly_units, c.*,
         q.used + row_number() over (partition by q.workspace_id order by c.id) as unit
  from counters q
  cross join lateral (
    select monthly_units from quotas where workspace_id = q.workspace_id and kind = 'cod_confirmation' limit 1) l
  cross join lateral jsonb_to_recordset(q.requests) as c (
    id uuid, sender_id uuid, recipient text, name text, language text, parameters jsonb, content jsonb,
    key text, correlation_id uuid, api_key_id text, reference text, message_id uuid)
), inserted as (
  insert into confirmations (id, workspace_id, sender_id, recipient, template_name, template_language, parameters,
    reference, idempotency_key, correlation_id, api_key_id, quota_unit, created_at, status, asked_at)
  select id, workspace_id, sender_id, recipient, name, language, parameters,
    reference, key, correlation_id, api_key_id, unit, created_at, 'accepted', $2
  from numbered where unit <= monthly_units
  on conflict (workspace_id, idempotency_key) where idempotency_key is not null do nothing
  returning id, workspace_id
), first_messages as (
  insert into messages (id, workspace_id, kind, sender_id, recipient, confirmation_id, check_kind, purpose, content,
    template_name, template_language, created_at, status, priority, due_at, submit_by)
  select message_id, workspace_id, 'cod', sender_id, recipient, id, 'confirmation', 'template', content,
    name, language, created_at, 'queued', 1, $2, $3
  -- "is true": as a join, each row would be compared with all others
  from numbered where (id in (select id from inserted)) is true
)
select id from inserted
-- always true: it takes the units of each workspace
where (
  select count(take_units(workspace_id, 'cod_confirmation', month, units))
  from (select workspace_id, count(*) as units from inserted group by workspace_id) taken
  join counters using (workspace_id)) >= 0;

prepare look_up_confirmation_requests as
select r.n, w.clock_offset_ms as "clockOffsetMs", q.used as "unitsUsed", coalesce(l.monthly_units, 0) as "monthlyUnits", a.status is not null as "hasSender", s.status as "senderStatus", s.paused_at is not null as "senderPaused",
       s.gone_at is not null as "senderGone", a.status as "accountStatus",
       t.status as "templateStatus", t.category as "templateCategory", t.components as "templateComponents",
       case when a.status is not null and t.status is null then (
         select jsonb_agg(jsonb_build_object('name', o.name, 'language', o.language, 'hasName', o.name = r.name, 'total', o.total)
           order by o.place)
         from (
           select name, language, count(*) over () as total,
             row_number() over (order by name <> r.name, name, language) as place
           from templates
           where workspace_id = r.workspace_id and account_id = s.account_id
             and category = 'UTILITY' and status = 'APPROVED'
           order by place limit 12) o) end as "otherTemplates",
       cs.workspace_id is not null as configured, cs.document -> 'languages' ? r.language as "languageConfigured",
       case when not cs.document -> 'languages' ? r.language
         then array (select jsonb_object_keys(cs.document -> 'languages')) end as "otherLanguages",
       array (
         select b.phone from blocked_recipients b
         where b.workspace_id = r.workspace_id and b.phone = any (r.recipients)) as blocked,
       (select jsonb_agg(e) from unnest(r.keys) as key cross join lateral (
         select id, idempotency_key as "idempotencyKey", recipient, sender_id as "senderId",
           template_name as "templateName", template_language as "templateLanguage", reference, parameters
         from confirmations where workspace_id = r.workspace_id and idempotency_key = key limit 1) e) as earlier
from jsonb_to_recordset($1) as r (
  n int, workspace_id uuid, sender_id uuid, name text, language text, keys text[], recipients text[])
join workspaces w on w.id = r.workspace_id
left join lateral (
  select monthly_units from quotas where workspace_id = r.workspace_id and kind = 'cod_confirmation' limit 1) l on true
left join lateral (
  select used from quota_usage where workspace_id = r.workspace_id and kind = 'cod_confirmation'
    and month between date_trunc('month', ($2::timestamptz + w.clock_offset_ms * interval '1 ms') at time zone 'UTC')::date and date_trunc('month', ($2::timestamptz + w.clock_offset_ms * interval '1 ms') at time zone 'UTC')::date
  order by month desc limit 1) q on true
left join cod_settings cs on cs.workspace_id = r.workspace_id
left join senders s on s.workspace_id = r.workspace_id and s.id = r.sender_id
left join lateral (
  select status, waba_id, graph_url, access_token from provider_accounts
  where workspace_id = r.workspace_id and id = s.account_id and status <> 'removed' limit 1) a on true
left join lateral (
  select status, category, components from templates
  where workspace_id = r.workspace_id and account_id = s.account_id and name = r.name and language = r.language
  limit 1) t on true;

-- src/cod/conversation/advance.ts

prepare insert_cod_answers as
insert into cod_answers (id, workspace_id, confirmation_id, check_kind, answer, detail, answered_at, report_id, superseded)
select id, workspace_id, confirmation_id, check_kind, answer, detail, answered_at, report_id, superseded
from jsonb_to_recordset($1) as a (id uuid, workspace_id uuid, confirmation_id uuid, check_kind text, answer text, detail jsonb,
  answered_at timestamptz, report_id uuid, superseded boolean);

prepare read_cod_settings_of_workspaces as
select workspace_id, document from cod_settings where workspace_id = any ($1::uuid[]);

-- src/cod/conversation/customer.ts

prepare store_customer_user_ids as
update confirmations c set customer_user_id = $1::jsonb -> c.id::text ->> 'user_id'
where c.id = any (array (select jsonb_object_keys($1::jsonb)::uuid)) and not (c.recipient like 'erased:%');

-- src/cod/conversation/quarantine.ts

prepare list_quarantined_timers as
select 'timer' as kind, id, workspace_id as "workspaceId", timer_quarantined_at as since, timer_error as fault
from (
  select id, workspace_id, timer_quarantined_at, timer_error from confirmations
  union all
  select confirmation_id, workspace_id, timer_quarantined_at, timer_error from refusal_checks) timer
where timer_quarantined_at is not null and ($1::uuid is null or workspace_id = $1)
order by timer_quarantined_at limit $2;

prepare release_quarantined_timers as
with of_confirmation as (
  update confirmations set timer_tries = 0, timer_error = null, timer_retry_at = null, timer_quarantined_at = null where id = $1 and timer_quarantined_at is not null returning workspace_id
), of_check as (
  update refusal_checks set timer_tries = 0, timer_error = null, timer_retry_at = null, timer_quarantined_at = null where confirmation_id = $1 and timer_quarantined_at is not null returning workspace_id
)
select workspace_id as "workspaceId" from of_confirmation union all select workspace_id from of_check limit 1;

-- src/cod/conversation/receive.ts

prepare match_messages as
select r.n, senders.ids as senders, to_jsonb(q) as question, to_jsonb(quoted) as quoted, to_jsonb(target) as target,
       theirs.ids as theirs, followups.followups as "followUps"
from jsonb_to_recordset($1) as r (n int, workspace_id uuid, phone_number_id text, question_id uuid,
  confirmation_id uuid, quotes text, phones jsonb, user_id text)
-- a number that moves to another account gets a new id and a new sender; accounts of one app share a webhook path
cross join lateral (
  select array_agg(s.id) filter (where s.phone_number_id = r.phone_number_id or s.phone = s.number) as ids
  from (
    select s.id, s.phone_number_id, s.phone,
           nullif(max(s.phone) filter (where s.phone_number_id = r.phone_number_id) over (), '') as number
    from senders s where s.workspace_id = r.workspace_id) s) senders
left join lateral (
  select m.confirmation_id, m.check_kind, m.purpose, m.offered, m.round from messages m
  where m.workspace_id = r.workspace_id and m.id = r.question_id and m.kind = 'cod' limit 1) q on true
left join lateral (
  select m.confirmation_id, m.check_kind from messages m
  where m.workspace_id = r.workspace_id and m.provider_message_id = r.quotes and m.kind = 'cod' limit 1) quoted on true
left join lateral (
  select c.id, c.sender_id, c.customer_user_id, c.recipient like 'erased:%' as is_erased from confirmations c
  where c.workspace_id = r.workspace_id and c.id = coalesce(r.confirmation_id, q.confirmation_id, quoted.confirmation_id) limit 1) target on true
left join lateral (
  select array_agg(c.id order by c.id desc) as ids from (select c.id from (
    (select c.id from unnest(senders.ids) as s (id) cross join jsonb_array_elements_text(r.phones) as phone (number)
     cross join lateral (
       select c.id, c.workspace_id from confirmations c where c.sender_id = s.id and c.recipient = phone.number
       order by c.id desc limit 50) c
     where c.workspace_id = r.workspace_id)
    union
    (select c.id from unnest(senders.ids) as s (id) cross join lateral (
       select c.id, c.workspace_id from confirmations c where c.sender_id = s.id and c.customer_user_id = r.user_id
       order by c.id desc limit 50) c
     where c.workspace_id = r.workspace_id)) c order by c.id desc limit 50) c) theirs on true
left join lateral (
  select jsonb_agg(f order by f.asked_at desc nulls last, f.last desc, f.id desc) as followups
  from unnest(theirs.ids) as their (id) cross join lateral (
    (select c.id, 'confirmation' as check, c.asked_at, c.answer_times ->> 'tap' as tap, c.answer_times ->> 'last' as last,
       case c.status when 'rescheduled' then coalesce(c.answer_times ->> 'expired', c.answer_times ->> 'completed', c.answer_times ->> 'last') end as completed
     from confirmations c
     where c.workspace_id = r.workspace_id and c.id = their.id
       and (c.status = 'rescheduling' or c.status = 'rescheduled' and c.answer_times -> 'choices' ->> 'note' is null) limit 1)
    union all
    (select c.confirmation_id, 'refusal', c.asked_at, c.answer_times ->> 'tap', c.answer_times ->> 'last', case c.status when 'refusal_confirmed' then coalesce(c.answer_times ->> 'expired', c.answer_times ->> 'completed', c.answer_times ->> 'last') end
     from refusal_checks c
     where c.workspace_id = r.workspace_id and c.confirmation_id = their.id
       and (c.status in ('awaiting_reason', 'awaiting_note') or c.status = 'refusal_confirmed' and c.answer_times -> 'choices' ->> 'note' is null)
     limit 1)) f) followups on true
order by r.n;

-- src/cod/conversation/store.ts

prepare find_confirmations as
select c.id, c.workspace_id as "workspaceId", c.sender_id as "senderId", c.recipient, c.reference,
  c.created_at as "createdAt", c.last_event_at as "lastEventAt", c.inputs, c.internal_inputs as "internalInputs",
  (select w.clock_offset_ms from workspaces w where w.id = c.workspace_id) as "clockOffsetMs",
  jsonb_build_object('language', c.template_language, 'askedAt', c.asked_at, 'state', jsonb_build_object(
  'status', c.status, 'answeredAt', c.answered_at, 'reminderAt', c.reminder_at, 'deadlineAt', c.deadline_at,
  'followUpAt', c.follow_up_at, 'chosen', coalesce(c.reschedule, c.choices), 'closingSent', c.closing_sent, 'round', c.round,
  'answerTimes', c.answer_times, 'failure',
  case when c.failure_code is not null then jsonb_build_object('code', c.failure_code, 'at', c.failed_at) end)) as confirmation,
  case when f.confirmation_id is not null then jsonb_build_object('language', f.template_language, 'askedAt', f.asked_at, 'state', jsonb_build_object(
  'status', f.status, 'answeredAt', f.answered_at, 'reminderAt', f.reminder_at, 'deadlineAt', f.deadline_at,
  'followUpAt', f.follow_up_at, 'chosen', case when coalesce(f.reason, f.note) is not null then jsonb_build_object('reason', f.reason, 'note', f.note) end, 'closingSent', f.closing_sent, 'round', f.round,
  'answerTimes', f.answer_times, 'failure',
  case when f.failure_code is not null then jsonb_build_object('code', f.failure_code, 'at', f.failed_at) end)) end as refusal
from unnest($2::uuid[]) as chosen (id)
cross join lateral (select * from confirmations c where c.workspace_id = $1 and c.id = chosen.id limit 1) c
left join lateral (
  select * from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1) f on true;

prepare lock_confirmations as
select c.id, c.workspace_id as "workspaceId", c.sender_id as "senderId", c.recipient, c.reference,
  c.created_at as "createdAt", c.last_event_at as "lastEventAt", c.inputs, c.internal_inputs as "internalInputs",
  (select w.clock_offset_ms from workspaces w where w.id = c.workspace_id) as "clockOffsetMs",
  jsonb_build_object('language', c.template_language, 'askedAt', c.asked_at, 'state', jsonb_build_object(
  'status', c.status, 'answeredAt', c.answered_at, 'reminderAt', c.reminder_at, 'deadlineAt', c.deadline_at,
  'followUpAt', c.follow_up_at, 'chosen', coalesce(c.reschedule, c.choices), 'closingSent', c.closing_sent, 'round', c.round,
  'answerTimes', c.answer_times, 'failure',
  case when c.failure_code is not null then jsonb_build_object('code', c.failure_code, 'at', c.failed_at) end)) as confirmation,
  case when f.confirmation_id is not null then jsonb_build_object('language', f.template_language, 'askedAt', f.asked_at, 'state', jsonb_build_object(
  'status', f.status, 'answeredAt', f.answered_at, 'reminderAt', f.reminder_at, 'deadlineAt', f.deadline_at,
  'followUpAt', f.follow_up_at, 'chosen', case when coalesce(f.reason, f.note) is not null then jsonb_build_object('reason', f.reason, 'note', f.note) end, 'closingSent', f.closing_sent, 'round', f.round,
  'answerTimes', f.answer_times, 'failure',
  case when f.failure_code is not null then jsonb_build_object('code', f.failure_code, 'at', f.failed_at) end)) end as refusal
from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid)
cross join lateral (
  select * from confirmations c where c.workspace_id = r.workspace_id and c.id = r.id limit 1 for no key update) c
left join lateral (
  -- locked too: a row that is only read would be as it was before the wait
  select * from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1 for no key update) f on true;

prepare write_confirmations as
update confirmations t
set (status, answered_at, failure_code, failed_at, reminder_at, deadline_at, follow_up_at, closing_sent,
   asked_at, answer_times, round, reschedule, choices, last_event_at, inputs, internal_inputs, timer_tries, timer_error, timer_retry_at, timer_quarantined_at) = (
  select status, answered_at, failure_code, failed_at, reminder_at, deadline_at, follow_up_at, closing_sent,
   asked_at, answer_times, round, reschedule, choices, last_event_at, inputs, internal_inputs, 0::smallint, null::jsonb, null::timestamptz, null::timestamptz from jsonb_populate_record(null::confirmations, $1::jsonb -> t.id::text))
where t.id = any (array (select jsonb_object_keys($1::jsonb)::uuid));

prepare write_refusal_checks as
update refusal_checks t
set (status, answered_at, failure_code, failed_at, reminder_at, deadline_at, follow_up_at, closing_sent,
   asked_at, answer_times, round, reason, note, timer_tries, timer_error, timer_retry_at, timer_quarantined_at) = (
  select status, answered_at, failure_code, failed_at, reminder_at, deadline_at, follow_up_at, closing_sent,
   asked_at, answer_times, round, reason, note, 0::smallint, null::jsonb, null::timestamptz, null::timestamptz from jsonb_populate_record(null::refusal_checks, $1::jsonb -> t.confirmation_id::text))
where t.confirmation_id = any (array (select jsonb_object_keys($1::jsonb)::uuid));

-- src/cod/conversation/superseded.ts

prepare read_statuses_of_conversations as
select c.id, c.status as confirmation, (
  select f.status from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id) as refusal
from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid)
cross join lateral (
  select * from confirmations c where c.workspace_id = r.workspace_id and c.id = r.id limit 1) c;

-- src/cod/conversation/timers-loop.ts

prepare count_fault_of_timer_of_confirmations as
update confirmations set timer_tries = $5, timer_error = $6, timer_retry_at = $7, timer_quarantined_at = $8
where workspace_id = $1 and id = $2 and timer_tries = $3 and date_trunc('milliseconds', timer_due_at) = $4
returning workspace_id;

prepare count_fault_of_timer_of_refusal_checks as
update refusal_checks set timer_tries = $5, timer_error = $6, timer_retry_at = $7, timer_quarantined_at = $8
where workspace_id = $1 and confirmation_id = $2 and timer_tries = $3 and date_trunc('milliseconds', timer_due_at) = $4
returning workspace_id;

prepare take_due_timers as
select * from (
  select c.workspace_id, c.id, 'confirmation' as check_kind, c.timer_due_at, c.timer_tries as tries
  from confirmations c where timer_due_at <= $1 and timer_quarantined_at is null and (timer_retry_at is null or timer_retry_at <= $1) order by c.timer_due_at limit $2 for no key update skip locked) of_confirmations
union all
select * from (
  select f.workspace_id, f.confirmation_id as id, 'refusal' as check_kind, f.timer_due_at, f.timer_tries as tries
  from (select * from refusal_checks where timer_due_at <= $1 and timer_quarantined_at is null and (timer_retry_at is null or timer_retry_at <= $1) order by timer_due_at limit $2) f
  cross join lateral (
    select 1 from confirmations c
    where c.workspace_id = f.workspace_id and c.id = f.confirmation_id limit 1 for no key update skip locked) c) of_checks
order by timer_due_at limit $2;

-- src/cod/list.ts

prepare count_confirmations as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $10::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $10::uuid), false) as reached
from (select item.id, ($4::text is null or item.status = $4::text) and ($5::text is null or coalesce(f.status, 'none') = $5::text) and ($6::text is null or item.template_name = $6::text) and ($7::uuid is null or item.sender_id = $7::uuid) and ($8::timestamptz is null or item.created_at >= $8::timestamptz) and ($9::timestamptz is null or item.created_at < $9::timestamptz) as fits from (select * from confirmations item where item.workspace_id = $1 and item.id < $2 and item.id >= $3  order by item.id desc limit 10000) item left join lateral (
  select f.status, f.reason from refusal_checks f
  where f.workspace_id = item.workspace_id and f.confirmation_id = item.id limit 1) f on true) item;

prepare count_confirmations_by_part as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $11::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $11::uuid), false) as reached
from (select item.id, ($4::text is null or item.status = $4::text) and ($5::text is null or coalesce(f.status, 'none') = $5::text) and ($6::text is null or item.template_name = $6::text) and ($7::uuid is null or item.sender_id = $7::uuid) and ($8::timestamptz is null or item.created_at >= $8::timestamptz) and ($9::timestamptz is null or item.created_at < $9::timestamptz) and ($10::text[] is null or (item.recipient like ($10::text[])[1] or lower(item.reference) like lower(($10::text[])[2]) or item.id::text like ($10::text[])[3])) as fits from (select * from confirmations item where item.workspace_id = $1 and item.id < $2 and item.id >= $3  order by item.id desc limit 10000) item left join lateral (
  select f.status, f.reason from refusal_checks f
  where f.workspace_id = item.workspace_id and f.confirmation_id = item.id limit 1) f on true) item;

prepare count_searched_confirmations as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $13::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $13::uuid), false) as reached
from (select item.id, ($7::text is null or item.status = $7::text) and ($8::text is null or coalesce(f.status, 'none') = $8::text) and ($9::text is null or item.template_name = $9::text) and ($10::uuid is null or item.sender_id = $10::uuid) and ($11::timestamptz is null or item.created_at >= $11::timestamptz) and ($12::timestamptz is null or item.created_at < $12::timestamptz) as fits from (select hit.id from ((select item.id from confirmations item where item.workspace_id = $1 and item.id < $2 and item.id = $4)
  union
  (select item.id from confirmations item where item.workspace_id = $1 and item.id < $2 and item.reference = $5 and item.reference <> '' order by item.id desc limit 10000)
  union
  (select item.id from senders s
   cross join unnest($6::text[]) as searched (phone)
   cross join lateral (
     select item.id from confirmations item
     where item.workspace_id = $1 and item.id < $2 and item.sender_id = s.id and item.recipient = searched.phone order by item.id desc limit 10000) item
   where s.workspace_id = $1 order by item.id desc limit 10000)) hit where hit.id >= $3 order by hit.id desc limit 10000) hit cross join lateral (select * from confirmations item where item.workspace_id = $1 and item.id = hit.id limit 1) item left join lateral (
  select f.status, f.reason from refusal_checks f
  where f.workspace_id = item.workspace_id and f.confirmation_id = item.id limit 1) f on true) item;

prepare end_of_confirmations as
select item.id, item.created_at as "createdAt" from confirmations item where item.workspace_id = $1 and item.id < $2 and item.id >= $3
order by item.id desc offset 9999 limit 1;

prepare end_of_confirmations_by_part as
select item.id, item.created_at as "createdAt" from confirmations item where item.workspace_id = $1 and item.id < $2 and item.id >= $3
order by item.id desc offset 9999 limit 1;

prepare end_of_searched_confirmations as
select hit.id, item.created_at as "createdAt"
  from (select hit.id from ((select item.id from confirmations item where item.workspace_id = $1 and item.id < $2 and item.id = $4)
union
(select item.id from confirmations item where item.workspace_id = $1 and item.id < $2 and item.reference = $5 and item.reference <> '' order by item.id desc limit 10000)
union
(select item.id from senders s
 cross join unnest($6::text[]) as searched (phone)
 cross join lateral (
   select item.id from confirmations item
   where item.workspace_id = $1 and item.id < $2 and item.sender_id = s.id and item.recipient = searched.phone order by item.id desc limit 10000) item
 where s.workspace_id = $1 order by item.id desc limit 10000)) hit where hit.id >= $3 order by hit.id desc offset 9999 limit 1) hit cross join lateral (select * from confirmations item where item.workspace_id = $1 and item.id = hit.id limit 1) item;

prepare list_confirmations as
select item.id, item.reference, item.recipient, item.template_name as "templateName",
item.template_language as "templateLanguage", item.created_at as "createdAt", item.status,
item.answered_at as "answeredAt", item.reschedule, item.failure_code as "failureCode",
(select s.phone from senders s where s.workspace_id = item.workspace_id and s.id = item.sender_id) as "senderPhone",
f.status as "refusalStatus", f.reason as "refusalReason" from (select * from confirmations item where item.workspace_id = $1 and item.id < $2 and item.id >= $3  order by item.id desc limit 10000) item left join lateral (
select f.status, f.reason from refusal_checks f
where f.workspace_id = item.workspace_id and f.confirmation_id = item.id limit 1) f on true
where ($4::text is null or item.status = $4::text) and ($5::text is null or coalesce(f.status, 'none') = $5::text) and ($6::text is null or item.template_name = $6::text) and ($7::uuid is null or item.sender_id = $7::uuid) and ($8::timestamptz is null or item.created_at >= $8::timestamptz) and ($9::timestamptz is null or item.created_at < $9::timestamptz) order by item.id desc limit 51;

prepare list_confirmations_by_part as
select item.id, item.reference, item.recipient, item.template_name as "templateName",
item.template_language as "templateLanguage", item.created_at as "createdAt", item.status,
item.answered_at as "answeredAt", item.reschedule, item.failure_code as "failureCode",
(select s.phone from senders s where s.workspace_id = item.workspace_id and s.id = item.sender_id) as "senderPhone",
f.status as "refusalStatus", f.reason as "refusalReason" from (select * from confirmations item where item.workspace_id = $1 and item.id < $2 and item.id >= $3  order by item.id desc limit 10000) item left join lateral (
select f.status, f.reason from refusal_checks f
where f.workspace_id = item.workspace_id and f.confirmation_id = item.id limit 1) f on true
where ($4::text is null or item.status = $4::text) and ($5::text is null or coalesce(f.status, 'none') = $5::text) and ($6::text is null or item.template_name = $6::text) and ($7::uuid is null or item.sender_id = $7::uuid) and ($8::timestamptz is null or item.created_at >= $8::timestamptz) and ($9::timestamptz is null or item.created_at < $9::timestamptz) and ($10::text[] is null or (item.recipient like ($10::text[])[1] or lower(item.reference) like lower(($10::text[])[2]) or item.id::text like ($10::text[])[3])) order by item.id desc limit 51;

prepare newer_of_confirmations as
select item.id from (select * from confirmations item where item.workspace_id = $1 and item.id < $2 and item.id >= $3  order by item.id limit 10000) item left join lateral (
select f.status, f.reason from refusal_checks f
where f.workspace_id = item.workspace_id and f.confirmation_id = item.id limit 1) f on true
where ($4::text is null or item.status = $4::text) and ($5::text is null or coalesce(f.status, 'none') = $5::text) and ($6::text is null or item.template_name = $6::text) and ($7::uuid is null or item.sender_id = $7::uuid) and ($8::timestamptz is null or item.created_at >= $8::timestamptz) and ($9::timestamptz is null or item.created_at < $9::timestamptz) order by item.id limit 2;

prepare newer_of_confirmations_by_part as
select item.id from (select * from confirmations item where item.workspace_id = $1 and item.id < $2 and item.id >= $3  order by item.id limit 10000) item left join lateral (
select f.status, f.reason from refusal_checks f
where f.workspace_id = item.workspace_id and f.confirmation_id = item.id limit 1) f on true
where ($4::text is null or item.status = $4::text) and ($5::text is null or coalesce(f.status, 'none') = $5::text) and ($6::text is null or item.template_name = $6::text) and ($7::uuid is null or item.sender_id = $7::uuid) and ($8::timestamptz is null or item.created_at >= $8::timestamptz) and ($9::timestamptz is null or item.created_at < $9::timestamptz) and ($10::text[] is null or (item.recipient like ($10::text[])[1] or lower(item.reference) like lower(($10::text[])[2]) or item.id::text like ($10::text[])[3])) order by item.id limit 2;

prepare newer_of_searched_confirmations as
select hit.id from (select hit.id from ((select item.id from confirmations item where item.workspace_id = $1 and item.id < $2 and item.id = $4)
union
(select item.id from confirmations item where item.workspace_id = $1 and item.id < $2 and item.reference = $5 and item.reference <> '' order by item.id desc limit 10000)
union
(select item.id from senders s
 cross join unnest($6::text[]) as searched (phone)
 cross join lateral (
   select item.id from confirmations item
   where item.workspace_id = $1 and item.id < $2 and item.sender_id = s.id and item.recipient = searched.phone order by item.id desc limit 10000) item
 where s.workspace_id = $1 order by item.id desc limit 10000)) hit where hit.id >= $3) hit cross join lateral (select * from confirmations item where item.workspace_id = $1 and item.id = hit.id limit 1) item left join lateral (
select f.status, f.reason from refusal_checks f
where f.workspace_id = item.workspace_id and f.confirmation_id = item.id limit 1) f on true
  where ($7::text is null or item.status = $7::text) and ($8::text is null or coalesce(f.status, 'none') = $8::text) and ($9::text is null or item.template_name = $9::text) and ($10::uuid is null or item.sender_id = $10::uuid) and ($11::timestamptz is null or item.created_at >= $11::timestamptz) and ($12::timestamptz is null or item.created_at < $12::timestamptz) order by hit.id limit 2;

prepare search_confirmations as
select item.id, item.reference, item.recipient, item.template_name as "templateName",
item.template_language as "templateLanguage", item.created_at as "createdAt", item.status,
item.answered_at as "answeredAt", item.reschedule, item.failure_code as "failureCode",
(select s.phone from senders s where s.workspace_id = item.workspace_id and s.id = item.sender_id) as "senderPhone",
f.status as "refusalStatus", f.reason as "refusalReason" from (select hit.id from ((select item.id from confirmations item where item.workspace_id = $1 and item.id < $2 and item.id = $4)
union
(select item.id from confirmations item where item.workspace_id = $1 and item.id < $2 and item.reference = $5 and item.reference <> '' order by item.id desc limit 10000)
union
(select item.id from senders s
 cross join unnest($6::text[]) as searched (phone)
 cross join lateral (
   select item.id from confirmations item
   where item.workspace_id = $1 and item.id < $2 and item.sender_id = s.id and item.recipient = searched.phone order by item.id desc limit 10000) item
 where s.workspace_id = $1 order by item.id desc limit 10000)) hit where hit.id >= $3 order by hit.id desc limit 10000) hit cross join lateral (select * from confirmations item where item.workspace_id = $1 and item.id = hit.id limit 1) item left join lateral (
select f.status, f.reason from refusal_checks f
where f.workspace_id = item.workspace_id and f.confirmation_id = item.id limit 1) f on true
  where ($7::text is null or item.status = $7::text) and ($8::text is null or coalesce(f.status, 'none') = $8::text) and ($9::text is null or item.template_name = $9::text) and ($10::uuid is null or item.sender_id = $10::uuid) and ($11::timestamptz is null or item.created_at >= $11::timestamptz) and ($12::timestamptz is null or item.created_at < $12::timestamptz) order by hit.id desc limit 51;

-- src/cod/settings/settings-store.ts

prepare find_cod_settings as
select document as settings, updated_at as "updatedAt" from cod_settings where workspace_id = $1;

prepare insert_first_cod_settings as
insert into cod_settings (workspace_id, document, updated_at) values ($1, $2, $3)
on conflict (workspace_id) do nothing returning updated_at as "updatedAt";

prepare lock_cod_settings as
select document as settings, updated_at as "updatedAt" from cod_settings where workspace_id = $1 for update;

prepare set_cod_settings as
insert into cod_settings (workspace_id, document, updated_at) values ($1, $2, $3)
on conflict (workspace_id) do update set document = excluded.document,
  updated_at = greatest(excluded.updated_at, cod_settings.updated_at + interval '1 millisecond')
returning updated_at as "updatedAt";

-- src/events/held.ts

prepare count_held_events as
select count(*)::int as number, min(e.id::text) as oldest
 from workspaces w cross join lateral (
   select id from events
   where workspace_id = w.id and endpoint_id is null and body <> '' and not (recorded_order <
coalesce((select added_to_order from instance), 0) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
   order by recorded_order, id limit 1000) e
 where w.deleted_at is null;

prepare find_oldest_transaction as
with horizon as materialized (select pg_snapshot_xmin(pg_current_snapshot()) as lowest)
select a.pid, p.gid, coalesce(a.datname, p.database)::text as database, coalesce(a.usename, p.owner)::text as user,
  nullif(a.application_name, '') as program, a.state,
  round(extract(epoch from clock_timestamp() - coalesce(a.xact_start, p.prepared)) * 1000)::float8 as "openMs",
  a.wait_event is not distinct from 'SyncRep' as "waitsForStandby"
from horizon
cross join lateral (
  select pid from pg_locks
  where locktype = 'transactionid' and transactionid = horizon.lowest::xid and granted and mode = 'ExclusiveLock' limit 1) l
left join pg_stat_activity a on a.pid = l.pid
left join pg_prepared_xacts p on l.pid is null and p.transaction = horizon.lowest::xid;

-- src/events/list.ts

prepare find_event_position as
select recorded_order::text as "recordedOrder", id, body <> '' as "hasContent" from events
where workspace_id = $1 and id = $2;

prepare find_latest_event_position as
select recorded_order::text as "recordedOrder", id from events
 where workspace_id = $1 and endpoint_id is null and body <> '' and recorded_order <
coalesce((select added_to_order from instance), 0) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint order by recorded_order desc, id desc limit 1;

prepare list_events_after as
select id, body, found from (
   select id, recorded_order, body, count(*) over () as found,
     sum(octet_length(body)) over (order by recorded_order, id) - octet_length(body) as bytes_before
   from (
     select id, recorded_order, body from events
     where workspace_id = $1 and endpoint_id is null and body <> '' and recorded_order <
coalesce((select added_to_order from instance), 0) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint and (recorded_order, id) > ($2::bigint, $3::uuid)
     order by recorded_order, id limit $4) page) measured
 where bytes_before < 1048576 order by recorded_order, id;

-- src/events/record.ts

prepare record_events as
with event as (
  insert into events (id, workspace_id, type, message_id, confirmation_id, input_number, endpoint_id, occurred_at, recorded_at, body,
    recorded_order)
  select id, "workspaceId", type, "messageId", "confirmationId", "inputNumber", "endpointId", "occurredAt", $2, body,
    (select next_recorded_order()) -- once for all: each call would read the instance
  from jsonb_to_recordset($1::jsonb) as e (id uuid, "workspaceId" uuid, type text, "messageId" uuid,
    "confirmationId" uuid, "inputNumber" integer, "endpointId" uuid, "occurredAt" timestamptz, body text)
  returning id, workspace_id, type, endpoint_id
), receiving as (
  select event.workspace_id, event.id as event_id, endpoint.id as endpoint_id, endpoint.status = 'enabled' as is_enabled,
    endpoint.status = 'enabled' and event.endpoint_id is null and row_number() over (partition by endpoint.id order by event.id)
      <= coalesce(($6::jsonb ->> endpoint.id::text)::integer, 0) as is_claimed
  from event
  join webhook_endpoints endpoint
    on endpoint.workspace_id = event.workspace_id and endpoint.deleted_at is null
    and case when event.endpoint_id is not null then endpoint.id = event.endpoint_id
      else endpoint.event_types is null or event.type = any(endpoint.event_types) end
), delivery as (
  insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, status, due_at, lease, attempts, created_at)
  select overlay(gen_random_uuid()::text placing left(event_id::text, 15) from 1)::uuid, workspace_id, event_id, endpoint_id,
    case when is_enabled then 'pending' else 'held' end,
    case when is_claimed then $5::timestamptz when is_enabled then $2::timestamptz end,
    case when is_claimed then $3::uuid end, is_claimed::integer, $2
  from receiving
  returning id, event_id, endpoint_id, status, lease
), taken as (
  insert into leases (id, node_id, kind, item_ids, taken_at)
  select $3, $4::uuid, 'deliveries', array_agg(id), $2 from delivery where lease is not null having count(*) > 0
)
select delivery.id as "deliveryId", delivery.event_id as "eventId", delivery.lease is not null as "isClaimed", endpoint.workspace_id as "workspaceId", endpoint.id as "endpointId", endpoint.url, endpoint.secret,
  endpoint.previous_secret as "previousSecret", endpoint.previous_secret_until as "previousSecretUntil"
from delivery cross join lateral (select * from webhook_endpoints where id = delivery.endpoint_id limit 1) endpoint
where delivery.status = 'pending';

-- src/events/restored.ts

prepare raise_order_of_events as
with newest as materialized (
  select greatest(
    (select max(e.recorded_order) from workspaces w
     cross join lateral (
       select recorded_order from events
       where workspace_id = w.id and endpoint_id is null and body <> ''
       order by recorded_order desc, id desc limit 1) e),
    (select max(e.recorded_order) from (select recorded_order from events order by id desc limit $2) e)) as recorded_order)
update instance set added_to_order = newest.recorded_order + $1::bigint from newest
where newest.recorded_order >= added_to_order + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
returning 1 as raised;

-- src/explain/deliveries.ts

prepare count_deliveries_any as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $9::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $9::uuid), false) as reached
from (select item.id, ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) as fits from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4  order by item.id desc limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
  left join lateral (
    select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true) item;

prepare count_deliveries_by_part as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $10::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $10::uuid), false) as reached
from (select item.id, ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) and ($9::text[] is null or (concat_ws(' ', event.id, event.message_id, event.confirmation_id) like ($9::text[])[3] or exists (
    select from (
      select recipient, reference from messages where workspace_id = $1 and id = event.message_id
      union all
      select recipient, reference from confirmations where workspace_id = $1 and id = event.confirmation_id) subject
    where recipient like ($9::text[])[1] or lower(reference) like lower(($9::text[])[2])))) as fits from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4  order by item.id desc limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
  left join lateral (
    select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true) item;

prepare count_deliveries_failed as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $9::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $9::uuid), false) as reached
from (select item.id, ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) as fits from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4 and item.status = 'failed' order by item.id desc limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
  left join lateral (
    select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true) item;

prepare count_deliveries_held as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $9::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $9::uuid), false) as reached
from (select item.id, ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) as fits from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4 and item.status = 'held' order by item.id desc limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
  left join lateral (
    select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true) item;

prepare count_deliveries_pending as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $9::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $9::uuid), false) as reached
from (select item.id, ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) as fits from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4 and item.status = 'pending' and item.due_at is not null order by item.id desc limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
  left join lateral (
    select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true) item;

prepare count_deliveries_succeeded as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $9::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $9::uuid), false) as reached
from (select item.id, ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) as fits from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4  order by item.id desc limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
  left join lateral (
    select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true) item;

prepare count_searched_deliveries as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $12::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $12::uuid), false) as reached
from (select item.id, ($8::text is null or item.status = $8::text) and ($9::text is null or event.type = $9::text) and ($10::timestamptz is null or item.created_at >= $10::timestamptz) and ($11::timestamptz is null or item.created_at < $11::timestamptz) as fits from (select hit.id from (select item.id from (
    select id from events where workspace_id = $1 and id = $5
    union
    select event.id from (
      select $5::uuid as id
      union
      (select id from messages where workspace_id = $1 and reference = $6 order by id desc limit 200)
      union
      (select message.id from unnest($7::text[]) as searched (phone) cross join lateral (
         select id from messages
         where workspace_id = $1 and recipient = searched.phone and confirmation_id is null order by id desc limit 200) message)
    ) message cross join lateral (
      select id from events where workspace_id = $1 and message_id = message.id limit 200) event
    union
    select event.id from (
      select $5::uuid as id
      union
      (select id from confirmations where workspace_id = $1 and reference = $6 and reference <> '' order by id desc limit 200)
      union
      (select confirmation.id from senders cross join unnest($7::text[]) as searched (phone) cross join lateral (
         select id from confirmations
         where workspace_id = $1 and sender_id = senders.id and recipient = searched.phone order by id desc limit 200) confirmation
       where senders.workspace_id = $1)
    ) confirmation cross join lateral (
      select id from events where workspace_id = $1 and confirmation_id = confirmation.id limit 200) event
  ) event
  cross join lateral (select * from webhook_deliveries where event_id = event.id and endpoint_id = $4 offset 0) item
  where item.workspace_id = $1 and item.id < $2) hit where hit.id >= $3 order by hit.id desc limit 10000) hit cross join lateral (select * from webhook_deliveries item where item.workspace_id = $1 and item.id = hit.id limit 1) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
  left join lateral (
    select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true) item;

prepare end_of_deliveries_any as
select item.id, item.created_at as "createdAt" from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4
order by item.id desc offset 9999 limit 1;

prepare end_of_deliveries_by_part as
select item.id, item.created_at as "createdAt" from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4
order by item.id desc offset 9999 limit 1;

prepare end_of_deliveries_failed as
select item.id, item.created_at as "createdAt" from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4 and item.status = 'failed'
order by item.id desc offset 9999 limit 1;

prepare end_of_deliveries_held as
select item.id, item.created_at as "createdAt" from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4 and item.status = 'held'
order by item.id desc offset 9999 limit 1;

prepare end_of_deliveries_pending as
select item.id, item.created_at as "createdAt" from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4 and item.status = 'pending' and item.due_at is not null
order by item.id desc offset 9999 limit 1;

prepare end_of_deliveries_succeeded as
select item.id, item.created_at as "createdAt" from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4
order by item.id desc offset 9999 limit 1;

prepare end_of_searched_deliveries as
select hit.id, item.created_at as "createdAt"
  from (select hit.id from (select item.id from (
  select id from events where workspace_id = $1 and id = $5
  union
  select event.id from (
    select $5::uuid as id
    union
    (select id from messages where workspace_id = $1 and reference = $6 order by id desc limit 200)
    union
    (select message.id from unnest($7::text[]) as searched (phone) cross join lateral (
       select id from messages
       where workspace_id = $1 and recipient = searched.phone and confirmation_id is null order by id desc limit 200) message)
  ) message cross join lateral (
    select id from events where workspace_id = $1 and message_id = message.id limit 200) event
  union
  select event.id from (
    select $5::uuid as id
    union
    (select id from confirmations where workspace_id = $1 and reference = $6 and reference <> '' order by id desc limit 200)
    union
    (select confirmation.id from senders cross join unnest($7::text[]) as searched (phone) cross join lateral (
       select id from confirmations
       where workspace_id = $1 and sender_id = senders.id and recipient = searched.phone order by id desc limit 200) confirmation
     where senders.workspace_id = $1)
  ) confirmation cross join lateral (
    select id from events where workspace_id = $1 and confirmation_id = confirmation.id limit 200) event
) event
cross join lateral (select * from webhook_deliveries where event_id = event.id and endpoint_id = $4 offset 0) item
where item.workspace_id = $1 and item.id < $2) hit where hit.id >= $3 order by hit.id desc offset 9999 limit 1) hit cross join lateral (select * from webhook_deliveries item where item.workspace_id = $1 and item.id = hit.id limit 1) item;

prepare find_last_failure_of_endpoint as
select attempt.started_at as "startedAt", attempt.http_status as "httpStatus", attempt.error, attempt.response
from (
  select id from webhook_deliveries where workspace_id = $1 and endpoint_id = $2
  order by id desc limit 200
) newest
cross join lateral (
  select * from webhook_attempts where delivery_id = newest.id order by attempt desc limit 1
) attempt
where attempt.http_status is null or attempt.http_status not between 200 and 299
order by attempt.started_at desc limit 1;

prepare find_whole_delivery as
select item.id, item.id as "deliveryId", item.event_id as "eventId", event.type, event.message_id as "messageId",
  event.confirmation_id as "confirmationId", coalesce(
    (select recipient from messages where workspace_id = $1 and id = event.message_id),
    (select recipient from confirmations where workspace_id = $1 and id = event.confirmation_id)) as recipient, coalesce(
    (select reference from messages where workspace_id = $1 and id = event.message_id),
    (select reference from confirmations where workspace_id = $1 and id = event.confirmation_id)) as reference,
  item.status, item.lease is not null as "underWay", item.attempts, item.step,
  least(item.due_at, (
  select greatest(item.early_at, released.release_at) from webhook_endpoints released
  where released.workspace_id = item.workspace_id and released.id = item.endpoint_id
    and released.status = 'enabled' and released.release_at is not null
    and item.due_at is not null and item.early_at is not null and item.lease is null)) as "dueAt", item.created_at as "createdAt", item.ended_at as "endedAt",
  attempt.started_at as "lastAttemptAt", attempt.duration_ms as "durationMs",
  attempt.http_status as "httpStatus", attempt.error, event.occurred_at as "occurredAt", event.body, endpoint.url,
  endpoint.url_changed_at as "urlChangedAt"
from webhook_deliveries item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
  left join lateral (
    select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
join webhook_endpoints endpoint on endpoint.workspace_id = item.workspace_id and endpoint.id = item.endpoint_id
where item.workspace_id = $1 and item.endpoint_id = $2 and item.id = $3;

prepare list_attempts_of_delivery as
select attempt, started_at as "startedAt", duration_ms as "durationMs", http_status as "httpStatus", error, response
from webhook_attempts where workspace_id = $1 and delivery_id = $2
order by attempt desc limit 50;

prepare list_deliveries_any as
select item.id, item.id as "deliveryId", item.event_id as "eventId", event.type, event.message_id as "messageId",
event.confirmation_id as "confirmationId", coalesce(
  (select recipient from messages where workspace_id = $1 and id = event.message_id),
  (select recipient from confirmations where workspace_id = $1 and id = event.confirmation_id)) as recipient, coalesce(
  (select reference from messages where workspace_id = $1 and id = event.message_id),
  (select reference from confirmations where workspace_id = $1 and id = event.confirmation_id)) as reference,
item.status, item.lease is not null as "underWay", item.attempts, item.step,
least(item.due_at, (
select greatest(item.early_at, released.release_at) from webhook_endpoints released
where released.workspace_id = item.workspace_id and released.id = item.endpoint_id
  and released.status = 'enabled' and released.release_at is not null
  and item.due_at is not null and item.early_at is not null and item.lease is null)) as "dueAt", item.created_at as "createdAt", item.ended_at as "endedAt",
attempt.started_at as "lastAttemptAt", attempt.duration_ms as "durationMs",
attempt.http_status as "httpStatus", attempt.error from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4  order by item.id desc limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
where ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) order by item.id desc limit 51;

prepare list_deliveries_by_part as
select item.id, item.id as "deliveryId", item.event_id as "eventId", event.type, event.message_id as "messageId",
event.confirmation_id as "confirmationId", coalesce(
  (select recipient from messages where workspace_id = $1 and id = event.message_id),
  (select recipient from confirmations where workspace_id = $1 and id = event.confirmation_id)) as recipient, coalesce(
  (select reference from messages where workspace_id = $1 and id = event.message_id),
  (select reference from confirmations where workspace_id = $1 and id = event.confirmation_id)) as reference,
item.status, item.lease is not null as "underWay", item.attempts, item.step,
least(item.due_at, (
select greatest(item.early_at, released.release_at) from webhook_endpoints released
where released.workspace_id = item.workspace_id and released.id = item.endpoint_id
  and released.status = 'enabled' and released.release_at is not null
  and item.due_at is not null and item.early_at is not null and item.lease is null)) as "dueAt", item.created_at as "createdAt", item.ended_at as "endedAt",
attempt.started_at as "lastAttemptAt", attempt.duration_ms as "durationMs",
attempt.http_status as "httpStatus", attempt.error from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4  order by item.id desc limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
where ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) and ($9::text[] is null or (concat_ws(' ', event.id, event.message_id, event.confirmation_id) like ($9::text[])[3] or exists (
  select from (
    select recipient, reference from messages where workspace_id = $1 and id = event.message_id
    union all
    select recipient, reference from confirmations where workspace_id = $1 and id = event.confirmation_id) subject
  where recipient like ($9::text[])[1] or lower(reference) like lower(($9::text[])[2])))) order by item.id desc limit 51;

prepare list_deliveries_failed as
select item.id, item.id as "deliveryId", item.event_id as "eventId", event.type, event.message_id as "messageId",
event.confirmation_id as "confirmationId", coalesce(
  (select recipient from messages where workspace_id = $1 and id = event.message_id),
  (select recipient from confirmations where workspace_id = $1 and id = event.confirmation_id)) as recipient, coalesce(
  (select reference from messages where workspace_id = $1 and id = event.message_id),
  (select reference from confirmations where workspace_id = $1 and id = event.confirmation_id)) as reference,
item.status, item.lease is not null as "underWay", item.attempts, item.step,
least(item.due_at, (
select greatest(item.early_at, released.release_at) from webhook_endpoints released
where released.workspace_id = item.workspace_id and released.id = item.endpoint_id
  and released.status = 'enabled' and released.release_at is not null
  and item.due_at is not null and item.early_at is not null and item.lease is null)) as "dueAt", item.created_at as "createdAt", item.ended_at as "endedAt",
attempt.started_at as "lastAttemptAt", attempt.duration_ms as "durationMs",
attempt.http_status as "httpStatus", attempt.error from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4 and item.status = 'failed' order by item.id desc limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
where ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) order by item.id desc limit 51;

prepare list_deliveries_held as
select item.id, item.id as "deliveryId", item.event_id as "eventId", event.type, event.message_id as "messageId",
event.confirmation_id as "confirmationId", coalesce(
  (select recipient from messages where workspace_id = $1 and id = event.message_id),
  (select recipient from confirmations where workspace_id = $1 and id = event.confirmation_id)) as recipient, coalesce(
  (select reference from messages where workspace_id = $1 and id = event.message_id),
  (select reference from confirmations where workspace_id = $1 and id = event.confirmation_id)) as reference,
item.status, item.lease is not null as "underWay", item.attempts, item.step,
least(item.due_at, (
select greatest(item.early_at, released.release_at) from webhook_endpoints released
where released.workspace_id = item.workspace_id and released.id = item.endpoint_id
  and released.status = 'enabled' and released.release_at is not null
  and item.due_at is not null and item.early_at is not null and item.lease is null)) as "dueAt", item.created_at as "createdAt", item.ended_at as "endedAt",
attempt.started_at as "lastAttemptAt", attempt.duration_ms as "durationMs",
attempt.http_status as "httpStatus", attempt.error from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4 and item.status = 'held' order by item.id desc limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
where ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) order by item.id desc limit 51;

prepare list_deliveries_pending as
select item.id, item.id as "deliveryId", item.event_id as "eventId", event.type, event.message_id as "messageId",
event.confirmation_id as "confirmationId", coalesce(
  (select recipient from messages where workspace_id = $1 and id = event.message_id),
  (select recipient from confirmations where workspace_id = $1 and id = event.confirmation_id)) as recipient, coalesce(
  (select reference from messages where workspace_id = $1 and id = event.message_id),
  (select reference from confirmations where workspace_id = $1 and id = event.confirmation_id)) as reference,
item.status, item.lease is not null as "underWay", item.attempts, item.step,
least(item.due_at, (
select greatest(item.early_at, released.release_at) from webhook_endpoints released
where released.workspace_id = item.workspace_id and released.id = item.endpoint_id
  and released.status = 'enabled' and released.release_at is not null
  and item.due_at is not null and item.early_at is not null and item.lease is null)) as "dueAt", item.created_at as "createdAt", item.ended_at as "endedAt",
attempt.started_at as "lastAttemptAt", attempt.duration_ms as "durationMs",
attempt.http_status as "httpStatus", attempt.error from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4 and item.status = 'pending' and item.due_at is not null order by item.id desc limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
where ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) order by item.id desc limit 51;

prepare list_deliveries_succeeded as
select item.id, item.id as "deliveryId", item.event_id as "eventId", event.type, event.message_id as "messageId",
event.confirmation_id as "confirmationId", coalesce(
  (select recipient from messages where workspace_id = $1 and id = event.message_id),
  (select recipient from confirmations where workspace_id = $1 and id = event.confirmation_id)) as recipient, coalesce(
  (select reference from messages where workspace_id = $1 and id = event.message_id),
  (select reference from confirmations where workspace_id = $1 and id = event.confirmation_id)) as reference,
item.status, item.lease is not null as "underWay", item.attempts, item.step,
least(item.due_at, (
select greatest(item.early_at, released.release_at) from webhook_endpoints released
where released.workspace_id = item.workspace_id and released.id = item.endpoint_id
  and released.status = 'enabled' and released.release_at is not null
  and item.due_at is not null and item.early_at is not null and item.lease is null)) as "dueAt", item.created_at as "createdAt", item.ended_at as "endedAt",
attempt.started_at as "lastAttemptAt", attempt.duration_ms as "durationMs",
attempt.http_status as "httpStatus", attempt.error from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4  order by item.id desc limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
where ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) order by item.id desc limit 51;

prepare list_latest_deliveries as
select item.id, item.id as "deliveryId", item.event_id as "eventId", event.type, event.message_id as "messageId",
  event.confirmation_id as "confirmationId", coalesce(
    (select recipient from messages where workspace_id = $1 and id = event.message_id),
    (select recipient from confirmations where workspace_id = $1 and id = event.confirmation_id)) as recipient, coalesce(
    (select reference from messages where workspace_id = $1 and id = event.message_id),
    (select reference from confirmations where workspace_id = $1 and id = event.confirmation_id)) as reference,
  item.status, item.lease is not null as "underWay", item.attempts, item.step,
  least(item.due_at, (
  select greatest(item.early_at, released.release_at) from webhook_endpoints released
  where released.workspace_id = item.workspace_id and released.id = item.endpoint_id
    and released.status = 'enabled' and released.release_at is not null
    and item.due_at is not null and item.early_at is not null and item.lease is null)) as "dueAt", item.created_at as "createdAt", item.ended_at as "endedAt",
  attempt.started_at as "lastAttemptAt", attempt.duration_ms as "durationMs",
  attempt.http_status as "httpStatus", attempt.error, item.endpoint_id as "endpointId", item.url
from (
  select d.*, e.url from webhook_endpoints e cross join lateral (
    select * from webhook_deliveries where workspace_id = $1 and endpoint_id = e.id order by id desc limit 40) d
  where e.workspace_id = $1 and e.deleted_at is null
  order by d.id desc limit 40
) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
  left join lateral (
    select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
order by item.id desc;

prepare newer_of_deliveries_any as
select item.id from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4  order by item.id limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
where ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) order by item.id limit 2;

prepare newer_of_deliveries_by_part as
select item.id from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4  order by item.id limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
where ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) and ($9::text[] is null or (concat_ws(' ', event.id, event.message_id, event.confirmation_id) like ($9::text[])[3] or exists (
  select from (
    select recipient, reference from messages where workspace_id = $1 and id = event.message_id
    union all
    select recipient, reference from confirmations where workspace_id = $1 and id = event.confirmation_id) subject
  where recipient like ($9::text[])[1] or lower(reference) like lower(($9::text[])[2])))) order by item.id limit 2;

prepare newer_of_deliveries_failed as
select item.id from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4 and item.status = 'failed' order by item.id limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
where ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) order by item.id limit 2;

prepare newer_of_deliveries_held as
select item.id from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4 and item.status = 'held' order by item.id limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
where ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) order by item.id limit 2;

prepare newer_of_deliveries_pending as
select item.id from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4 and item.status = 'pending' and item.due_at is not null order by item.id limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
where ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) order by item.id limit 2;

prepare newer_of_deliveries_succeeded as
select item.id from (select * from webhook_deliveries item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.endpoint_id = $4  order by item.id limit 10000) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
where ($5::text is null or item.status = $5::text) and ($6::text is null or event.type = $6::text) and ($7::timestamptz is null or item.created_at >= $7::timestamptz) and ($8::timestamptz is null or item.created_at < $8::timestamptz) order by item.id limit 2;

prepare newer_of_searched_deliveries as
select hit.id from (select hit.id from (select item.id from (
  select id from events where workspace_id = $1 and id = $5
  union
  select event.id from (
    select $5::uuid as id
    union
    (select id from messages where workspace_id = $1 and reference = $6 order by id desc limit 200)
    union
    (select message.id from unnest($7::text[]) as searched (phone) cross join lateral (
       select id from messages
       where workspace_id = $1 and recipient = searched.phone and confirmation_id is null order by id desc limit 200) message)
  ) message cross join lateral (
    select id from events where workspace_id = $1 and message_id = message.id limit 200) event
  union
  select event.id from (
    select $5::uuid as id
    union
    (select id from confirmations where workspace_id = $1 and reference = $6 and reference <> '' order by id desc limit 200)
    union
    (select confirmation.id from senders cross join unnest($7::text[]) as searched (phone) cross join lateral (
       select id from confirmations
       where workspace_id = $1 and sender_id = senders.id and recipient = searched.phone order by id desc limit 200) confirmation
     where senders.workspace_id = $1)
  ) confirmation cross join lateral (
    select id from events where workspace_id = $1 and confirmation_id = confirmation.id limit 200) event
) event
cross join lateral (select * from webhook_deliveries where event_id = event.id and endpoint_id = $4 offset 0) item
where item.workspace_id = $1 and item.id < $2) hit where hit.id >= $3) hit cross join lateral (select * from webhook_deliveries item where item.workspace_id = $1 and item.id = hit.id limit 1) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
  where ($8::text is null or item.status = $8::text) and ($9::text is null or event.type = $9::text) and ($10::timestamptz is null or item.created_at >= $10::timestamptz) and ($11::timestamptz is null or item.created_at < $11::timestamptz) order by hit.id limit 2;

prepare search_deliveries as
select item.id, item.id as "deliveryId", item.event_id as "eventId", event.type, event.message_id as "messageId",
event.confirmation_id as "confirmationId", coalesce(
  (select recipient from messages where workspace_id = $1 and id = event.message_id),
  (select recipient from confirmations where workspace_id = $1 and id = event.confirmation_id)) as recipient, coalesce(
  (select reference from messages where workspace_id = $1 and id = event.message_id),
  (select reference from confirmations where workspace_id = $1 and id = event.confirmation_id)) as reference,
item.status, item.lease is not null as "underWay", item.attempts, item.step,
least(item.due_at, (
select greatest(item.early_at, released.release_at) from webhook_endpoints released
where released.workspace_id = item.workspace_id and released.id = item.endpoint_id
  and released.status = 'enabled' and released.release_at is not null
  and item.due_at is not null and item.early_at is not null and item.lease is null)) as "dueAt", item.created_at as "createdAt", item.ended_at as "endedAt",
attempt.started_at as "lastAttemptAt", attempt.duration_ms as "durationMs",
attempt.http_status as "httpStatus", attempt.error from (select hit.id from (select item.id from (
  select id from events where workspace_id = $1 and id = $5
  union
  select event.id from (
    select $5::uuid as id
    union
    (select id from messages where workspace_id = $1 and reference = $6 order by id desc limit 200)
    union
    (select message.id from unnest($7::text[]) as searched (phone) cross join lateral (
       select id from messages
       where workspace_id = $1 and recipient = searched.phone and confirmation_id is null order by id desc limit 200) message)
  ) message cross join lateral (
    select id from events where workspace_id = $1 and message_id = message.id limit 200) event
  union
  select event.id from (
    select $5::uuid as id
    union
    (select id from confirmations where workspace_id = $1 and reference = $6 and reference <> '' order by id desc limit 200)
    union
    (select confirmation.id from senders cross join unnest($7::text[]) as searched (phone) cross join lateral (
       select id from confirmations
       where workspace_id = $1 and sender_id = senders.id and recipient = searched.phone order by id desc limit 200) confirmation
     where senders.workspace_id = $1)
  ) confirmation cross join lateral (
    select id from events where workspace_id = $1 and confirmation_id = confirmation.id limit 200) event
) event
cross join lateral (select * from webhook_deliveries where event_id = event.id and endpoint_id = $4 offset 0) item
where item.workspace_id = $1 and item.id < $2) hit where hit.id >= $3 order by hit.id desc limit 10000) hit cross join lateral (select * from webhook_deliveries item where item.workspace_id = $1 and item.id = hit.id limit 1) item cross join lateral (select * from events where workspace_id = $1 and id = item.event_id offset 0) event
left join lateral (
  select * from webhook_attempts where delivery_id = item.id order by attempt desc limit 1) attempt on true
  where ($8::text is null or item.status = $8::text) and ($9::text is null or event.type = $9::text) and ($10::timestamptz is null or item.created_at >= $10::timestamptz) and ($11::timestamptz is null or item.created_at < $11::timestamptz) order by hit.id desc limit 51;

-- src/explain/explain.ts

prepare explain_subject as
select 'confirmation' as kind, workspace_id as "workspaceId", null::uuid as "messageId", id as "confirmationId"
from confirmations where id = $1
union all
select 'message', workspace_id, id, confirmation_id from messages where id = $1
union all
select 'event', workspace_id, message_id, confirmation_id from events where id = $1;

-- src/explain/facts.ts

prepare explain_confirmation as
select 'confirmation' as check, r.id, r.reference, r.recipient, r.sender_id, s.phone as sender_phone, s.phone_number_id,
  s.account_id, r.parameters, r.reschedule, r.status, r.template_name, r.template_language, r.correlation_id, r.api_key_id, k.name as api_key_name,
  r.quota_unit, a.monthly_units, r.created_at, r.answered_at, r.failure_code, r.timer_tries, r.timer_error,
  r.timer_retry_at, r.timer_quarantined_at, r.reminder_at, r.deadline_at, r.follow_up_at
from confirmations r
join senders s on s.workspace_id = r.workspace_id and s.id = r.sender_id
left join api_keys k on k.workspace_id = r.workspace_id and k.public_id = r.api_key_id
left join quotas a on a.workspace_id = r.workspace_id and a.kind = 'cod_confirmation'
where r.workspace_id = $1 and r.id = $2 limit $3;

prepare explain_deliveries as
select d.id, d.event_id, d.endpoint_id, e.url, e.url_changed_at, e.status_reason as endpoint_reason,
  case when e.deleted_at is null then e.status else 'deleted' end as endpoint_status, e.failing_since is not null as endpoint_failing, e.release_at is not null as endpoint_recovers, d.status,
  d.attempts, d.lease is not null as leased, least(d.due_at, (
  select greatest(d.early_at, released.release_at) from webhook_endpoints released
  where released.workspace_id = d.workspace_id and released.id = d.endpoint_id
    and released.status = 'enabled' and released.release_at is not null
    and d.due_at is not null and d.early_at is not null and d.lease is null)) as due_at, v.body <> '' as has_content,
  d.created_at as enqueued_at
from webhook_deliveries d
join webhook_endpoints e on e.workspace_id = d.workspace_id and e.id = d.endpoint_id
cross join lateral (select body from events where workspace_id = d.workspace_id and id = d.event_id limit 1) v
where d.workspace_id = $1 and d.event_id = any($2)
order by d.id limit $3;

prepare explain_messages as
select m.id, m.kind, m.status, m.recipient, m.sender_id, s.phone as sender_phone, s.phone_number_id, m.template_name,
  m.template_language,
  m.quota_unit, a.monthly_units, m.verification_id, coalesce(m.reference, c.reference) as reference,
  coalesce(m.correlation_id, f.correlation_id, c.correlation_id) as correlation_id,
  coalesce(m.api_key_id, f.api_key_id, c.api_key_id) as api_key_id, coalesce(k.name, h.name) as api_key_name,
  h.id as hook_id, h.kind as hook_kind, m.confirmation_id,
  m.check_kind as check, m.purpose, m.content, m.offered, t.components, m.created_at, m.sent_at, m.failure_code,
  m.submit_by, m.due_at, m.deliver_within_seconds, m.deliver_by, m.undelivered_event_at, m.lease is not null as leased, m.attempts, m.attempted_at, m.provider_message_id,
  m.accepted_at, s.status as sender_status, s.paused_at is not null as sender_paused,
  s.gone_at is not null as sender_gone, p.status as account_status, p.id as account_id, pace.breaker_open_until,
  pace.breaker_code, m.finish_tries, m.finish_error, m.quarantined_at,
  t.send_ttl_seconds
from (
  select * from messages where workspace_id = $1 and id = $2
  union all
  select * from messages where workspace_id = $1 and confirmation_id = $2) m
join senders s on s.workspace_id = m.workspace_id and s.id = m.sender_id
join provider_accounts p on p.workspace_id = s.workspace_id and p.id = s.account_id
left join sender_pace pace on pace.sender_id = m.sender_id
left join quotas a on a.workspace_id = m.workspace_id and a.kind = m.kind
left join confirmations c on c.workspace_id = m.workspace_id and c.id = m.confirmation_id
left join refusal_checks f on f.workspace_id = m.workspace_id and f.confirmation_id = m.confirmation_id
  and m.check_kind = 'refusal'
left join api_keys k on k.workspace_id = m.workspace_id
  and k.public_id = coalesce(m.api_key_id, f.api_key_id, c.api_key_id)
left join lateral (
  select id, name, kind from auth_hooks where workspace_id = m.workspace_id and id = case when m.api_key_id like 'hook:%' then substr(m.api_key_id, 6)::uuid end limit 1) h on true
left join templates t on t.workspace_id = m.workspace_id and t.account_id = p.id and t.name = m.template_name
  and t.language = m.template_language
order by m.id limit $3;

prepare explain_refusal_check as
select 'refusal' as check, r.reason, r.note, r.status, r.template_name, r.template_language, r.correlation_id, r.api_key_id, k.name as api_key_name,
  r.quota_unit, a.monthly_units, r.created_at, r.answered_at, r.failure_code, r.timer_tries, r.timer_error,
  r.timer_retry_at, r.timer_quarantined_at, r.reminder_at, r.deadline_at, r.follow_up_at
from refusal_checks r
left join api_keys k on k.workspace_id = r.workspace_id and k.public_id = r.api_key_id
left join quotas a on a.workspace_id = r.workspace_id and a.kind = 'cod_refusal'
where r.workspace_id = $1 and r.confirmation_id = $2 limit $3;

prepare explain_webhook_attempts as
select delivery_id, attempt, started_at, duration_ms, http_status, error
from webhook_attempts where workspace_id = $1 and delivery_id = any($2) order by delivery_id, attempt limit $3;

-- src/explain/rows.ts

prepare read_answers as
select unit.id as unit_id, r.id, r.check_kind as check, answer, detail, answered_at, superseded, report_id, received_at from unnest($2::uuid[]) as unit (id) cross join lateral (select a.*, p.received_at from (
  select * from cod_answers where workspace_id = $1 and confirmation_id = unit.id limit $3) a
left join lateral (
  select received_at from provider_reports where workspace_id = $1 and id = a.report_id limit 1) p on true) r order by r.id;

prepare read_attempts as
select unit.id as unit_id, message_id, attempt, started_at, ended_at, outcome, http_status, provider_code, detail from unnest($2::uuid[]) as unit (id) cross join lateral (select * from message_attempts where workspace_id = $1 and message_id = unit.id order by attempt limit $3) r order by message_id, attempt;

prepare read_customer_messages as
select unit.id as unit_id, r.id, r.message_id, r.body, r.received_at, coalesce(r.occurred_at, r.received_at) as written_at, r.repeats,
r.outcome, r.note, r.provider_message_id, r.due_at, r.input_number,
coalesce(r.clock_offset_ms, 0) as clock_offset_ms from unnest($2::uuid[]) as unit (id) cross join lateral (select * from provider_reports where workspace_id = $1 and confirmation_id = unit.id limit $3) r order by r.received_at, r.id;

prepare read_events as
select unit.id as unit_id, r.id, type, occurred_at, recorded_at, body, input_number from unnest($2::uuid[]) as unit (id) cross join lateral ((select * from events where workspace_id = $1 and id = unit.id limit $3)
union all
(select * from events where workspace_id = $1 and message_id = unit.id limit $3)
union all
(select * from events where workspace_id = $1 and confirmation_id = unit.id limit $3)) r order by r.id;

prepare read_reports as
select unit.id as unit_id, r.id, r.message_id, r.body, r.received_at, coalesce(r.occurred_at, r.received_at) as written_at, r.repeats,
r.outcome, r.note, r.provider_message_id, r.due_at, r.input_number,
coalesce(r.clock_offset_ms, 0) as clock_offset_ms from unnest($2::uuid[]) as unit (id) cross join lateral ((select * from provider_reports
 where workspace_id = $1 and message_id = unit.id limit $3)
union all
(select p.* from (select * from messages where workspace_id = $1 and id = unit.id limit 1) m
 cross join lateral (
   select * from provider_reports
   where workspace_id = $1 and provider_message_id = m.provider_message_id and outcome = 'parked' and message_id is null
   limit $3) p)) r order by r.received_at, r.id;

prepare read_verifications as
select unit.id as unit_id, r.id, r.status, r.recipient, r.code_length, r.max_attempts, r.created_at, r.expires_at, r.wrong_at, r.sent_at,
r.ended_at as over_at,
(select coalesce(jsonb_agg(jsonb_build_object('messageId', m.id, 'at', m.created_at, 'status', m.status) order by m.id), '[]') from messages m
 where m.workspace_id = $1 and m.verification_id = r.id) as resends from unnest($2::uuid[]) as unit (id) cross join lateral (select * from otp_verifications where workspace_id = $1 and id = unit.id limit $3) r order by r.id;

-- src/lib/db/migrate.ts

prepare find_contracting_migration as
select number from migrations where number > $1 and contracts order by number limit 1;

prepare find_names_taken_by_another_program as
with taken as (
  select relname as name from pg_class where relname = any ($1::text[]) and relnamespace = current_schema()::regnamespace
  union all select nspname from pg_namespace where nspname = any ($2::text[]))
select name::text from taken where not exists (
  select from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attname = 'number'
  where t.relname = 'migrations' and t.relnamespace = current_schema()::regnamespace);

prepare list_migrations as
select number, name from migrations order by number;

-- src/lib/db/migration-locks.ts

prepare list_sessions_that_lock_tables as
select pid, coalesce(nullif(application_name, ''), backend_type) as program, usename as user, state,
  extract(epoch from clock_timestamp() - xact_start)::integer as seconds
from pg_stat_activity a
where datname = current_database() and pid <> pg_backend_pid()
  and (xact_start < clock_timestamp() - $2 * interval '1 ms' or query = '<insufficient privilege>')
  and exists (select from pg_locks l where l.pid = a.pid and l.granted and l.relation = any ($1::oid[]))
order by xact_start limit 5;

prepare list_tables_of_migration as
select distinct t.oid as id, t.oid::regclass::text as name
from pg_class c left join pg_index i on i.indexrelid = c.oid join pg_class t on t.oid = coalesce(i.indrelid, c.oid)
where t.relkind = 'r' and t.relnamespace in (to_regnamespace(current_schema()), to_regnamespace('auth'))
  and $1 ~ ('\m' || c.relname || '\M') order by 1;

-- src/lib/db/pooler.ts

prepare find_lost_session_settings as
select key as name from jsonb_each_text($1) where not exists (
select from pg_settings where name = key and setting = value) order by key;

-- src/lib/http/probes.ts

prepare ping_database as
select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable,
not exists (
  select from pg_stat_activity
  where backend_type = 'client backend' and wait_event = 'SyncRep'
    and query_start < clock_timestamp() - $1 * interval '1 millisecond') as commits;

-- src/lib/http/rate-limit.ts

prepare grant_requests as
insert into rate_limits as r (public_id, hits, granted)
select a.public_id, array_fill(clock_timestamp(), array[least(a.count, 20)]),
  least(a.count, 20)
from jsonb_to_recordset($1) as a (public_id text, count integer)
order by a.public_id
on conflict (public_id) do update set (hits, granted) = (
  select k.hits || array_fill(k.now, array[least(excluded.granted, 20 - cardinality(k.hits))]),
    least(excluded.granted, 20 - cardinality(k.hits))
  from (
    select m.now, coalesce(array_agg(h order by h) filter (where h >= m.now - interval '1000 milliseconds'), '{}') as hits
    from (select greatest(clock_timestamp(), (
      select max(h) from unnest(r.hits) h where h <= clock_timestamp() + interval '1000 milliseconds')) as now) m
    left join unnest(r.hits) h on h <= m.now
    group by m.now
  ) k
)
returning public_id, granted;

prepare remove_idle_rate_limits as
with removed as (
  delete from rate_limits where ctid = any (array (select ctid from rate_limits where hits[cardinality(hits)] < $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

-- src/messages/correct-times.ts

prepare correct_message_times as
with recursive waiting as (
  (select sender_id, priority, due_at from messages where due_at >= '-infinity' order by sender_id, priority, due_at limit 1)
  union all
  select n.sender_id, n.priority, n.due_at from waiting w cross join lateral (
    select m.sender_id, m.priority, m.due_at from messages m
    where m.due_at >= '-infinity' and (m.sender_id, m.priority) > (w.sender_id, w.priority)
    order by m.sender_id, m.priority, m.due_at limit 1) n
)
update messages set due_at = $1
where id = any (array (
  select m.id from waiting w
  cross join lateral (
    select id from messages
    where sender_id = w.sender_id and priority = w.priority and due_at > $2 and lease is null
    order by due_at limit $3 for no key update skip locked) m
  limit $3))
returning id;

prepare correct_report_times as
update provider_reports set due_at = $1
where id = any (array (
  select id from provider_reports where due_at > $2 order by due_at limit $3 for no key update skip locked))
returning id;

-- src/messages/queue/circuit-breaker.ts

prepare close_sender_breaker as
update sender_pace set breaker_open_until = null, breaker_code = null, breaker_step = 0 where (sender_id = $1 and breaker_step > 0 and breaker_open_until <= $2::timestamptz);

prepare correct_breaker_times as
update sender_pace set breaker_open_until = $1 where breaker_open_until > $2;

prepare open_account_breaker as
update sender_pace set breaker_open_until = case when (sender_id = $1 and breaker_step > 0 and breaker_open_until <= $2::timestamptz) then $3 else greatest(breaker_open_until, $3) end,
    breaker_code = case when (sender_id = $1 and breaker_step > 0 and breaker_open_until <= $2::timestamptz) or breaker_open_until is null or breaker_open_until <= $3 then $5 else breaker_code end,
    breaker_step = greatest(breaker_step, $4)
where sender_id = any (array (select s.id from senders s where s.workspace_id = $6 and s.account_id = $7));

prepare open_pair_breaker as
insert into pair_pace as p (sender_id, recipient, free_at) values ($1, $2, $3)
on conflict (sender_id, recipient) do update set free_at = greatest(p.free_at, excluded.free_at);

prepare open_sender_breaker as
update sender_pace set breaker_open_until = case when (sender_id = $1 and breaker_step > 0 and breaker_open_until <= $2::timestamptz) then $3 else greatest(breaker_open_until, $3) end,
breaker_code = case when (sender_id = $1 and breaker_step > 0 and breaker_open_until <= $2::timestamptz) or breaker_open_until is null or breaker_open_until <= $3 then $5 else breaker_code end,
breaker_step = greatest(breaker_step, $4) where sender_id = $1;

prepare repeat_sender_trial as
update sender_pace set breaker_open_until = $3 where (sender_id = $1 and breaker_step > 0 and breaker_open_until <= $2::timestamptz);

-- src/messages/queue/claim.ts

prepare await_reports_of_messages as
update messages m set due_at = $3 where m.id = any (array (
select id from messages where id = any ($1::uuid[]) and lease = any ($2::uuid[]) for no key update skip locked)) returning m.id;

prepare claim_messages as
with taken as (
  insert into leases (id, node_id, kind, item_ids, taken_at) values ($4, $5, 'messages', $1, $2))
update messages
set status = case when status = 'queued' then 'sending' else status end,
    due_at = $3, lease = $4, attempts = attempts + 1, attempted_at = $2,
    unknown_outcomes = unknown_outcomes + (attempted_at is not null)::int
where id = any ($1::uuid[]);

prepare give_back_messages as
update messages m
set (status, due_at, lease, attempts, attempted_at, unknown_outcomes) = (
  select case when m.status = 'sending' and before.started_at is null then 'queued' else m.status end,
         $3::timestamptz, null::uuid, m.attempts - 1, before.started_at,
         m.unknown_outcomes - (before.started_at is not null)::int
  from (select (
    select a.started_at from message_attempts a
    where a.workspace_id = m.workspace_id and a.message_id = m.id and a.attempt = m.attempts - 1
      and a.outcome = 'unknown') as started_at) before)
where m.id = any (array (
  select id from messages where id = any ($1::uuid[]) and lease = any ($2::uuid[]) for no key update skip locked))
returning m.id;

prepare postpone_messages as
update messages m set due_at = ($1::jsonb -> m.id::text ->> 'due_at')::timestamptz
where m.id = any (array (select jsonb_object_keys($1::jsonb)::uuid));

prepare record_interrupted_attempts as
insert into message_attempts (workspace_id, message_id, attempt, started_at, ended_at, outcome, detail)
select workspace_id, id, attempts, attempted_at, $2, 'unknown', '{"code":"messages.interrupted"}'::jsonb
from messages where id = any ($1::uuid[]) and lease is not null and attempted_at is not null
on conflict do nothing;

-- src/messages/queue/enqueue.ts

prepare insert_conversation_messages as
insert into messages (id, workspace_id, kind, sender_id, recipient, confirmation_id, check_kind, purpose, content,
  template_name, template_language, offered, round, created_at, status, priority, submit_by, due_at)
select m.id, m.workspace_id, 'cod', m.sender_id, m.recipient, m.confirmation_id, m.check_kind, m.purpose,
  coalesce(m.content, first.content), first.template_name, first.template_language, m.offered, m.round, m.created_at,
  'queued', 1, $3, $2
from jsonb_to_recordset($1) as m (id uuid, workspace_id uuid, sender_id uuid, recipient text, confirmation_id uuid,
  check_kind text, purpose text, content jsonb, offered jsonb, round smallint, created_at timestamptz)
left join lateral (
  select f.content, f.template_name, f.template_language from messages f
  where m.content is null and f.workspace_id = m.workspace_id and f.confirmation_id = m.confirmation_id
    and f.check_kind = m.check_kind and f.purpose = 'template' limit 1) first on true
-- a reminder whose text is removed: its timer was quarantined for months
where coalesce(m.content, first.content) ->> 'type' <> 'removed';

-- src/messages/queue/finish.ts

prepare finish_attempts as
with finished as (
  update messages m
  set (status, due_at, lease, attempted_at, last_failure_code, provider_message_id, accepted_at, code) = (
    select case when e.known and not e.accepted and m.status = 'sending' then 'queued' else m.status end,
           e.due_at, null::uuid,
           case when e.known then null else m.attempted_at end,
           e.last_failure_code,
           coalesce(e.provider_message_id, m.provider_message_id),
           case when e.accepted then $3::timestamptz else m.accepted_at end,
           case when e.accepted then null else m.code end
    from jsonb_to_record($1::jsonb -> m.id::text) as e (accepted boolean, known boolean, due_at timestamptz,
      provider_message_id text, last_failure_code text))
  where m.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))
    and m.lease = ($1::jsonb -> m.id::text ->> 'lease')::uuid
  returning m.id
), attempts as (
  insert into message_attempts (workspace_id, message_id, attempt, started_at, ended_at, outcome, http_status, provider_code, detail)
  select workspace_id, message_id, attempt, started_at, ended_at, outcome, http_status, provider_code,
         case when message_id = any (array (select id from finished)) or not (detail ->> 'code' = 'providers.titled' or detail ->> 'code' in ('words.quoted', 'text')) then detail else case when detail #>> '{title,code}' not in ('words.quoted', 'text') then detail -> 'title' end end
  from jsonb_to_recordset($2) as a (workspace_id uuid, message_id uuid, attempt smallint, started_at timestamptz, ended_at timestamptz,
    outcome text, http_status smallint, provider_code int, detail jsonb)
  where message_id = any (array (select id from finished))
    or (select 1 from messages m where m.workspace_id = a.workspace_id and m.id = a.message_id limit 1) is not null
  on conflict do nothing
), unparked as (
  update provider_reports set outcome = 'waiting', attempts = 0, due_at = $3
  where outcome is not distinct from 'parked' and id = any (array (
    select r.id from jsonb_each($1::jsonb) as e
    cross join lateral (
      select p.id from provider_reports p
      where p.outcome = 'parked' and p.workspace_id = (e.value ->> 'workspace_id')::uuid
        and p.provider_message_id = e.value ->> 'provider_message_id' limit 8) r))
)
select id from finished;

-- src/messages/queue/lock-due.ts

prepare lock_due_messages as
select m.id, m.workspace_id as "workspaceId", m.sender_id as "senderId", m.recipient, m.kind,
  m.template_name as "templateName", m.template_language as "templateLanguage", (
  select t.components from templates t
  where m.kind = 'otp' and t.workspace_id = m.workspace_id and t.name = m.template_name and t.language = m.template_language and t.account_id = (
    select s.account_id from senders s where s.workspace_id = m.workspace_id and s.id = m.sender_id)) as components,
  m.content, case when m.purpose is not null then
    jsonb_build_object('confirmationId', m.confirmation_id, 'check', m.check_kind, 'purpose', m.purpose) end as conversation,
  m.code, m.submit_by as "submitBy", m.attempts + 1 as attempts,
  m.unknown_outcomes as "unknownOutcomes", m.last_failure_code as "lastFailureCode", m.finish_tries as "finishTries",
  m.attempted_at is not null as "followsOpenAttempt", m.lease as "endedLease",
  case when m.lease is not null then (
    select l.id from leases l where l.id = m.lease and (begun_at is null or begun_at = '-infinity')) end as "unbegunLease",
  (select true from provider_reports p
   where m.attempted_at > $4 and p.workspace_id = m.workspace_id and p.message_id = m.id and p.outcome = 'waiting'
   limit 1) is not null as "hasUnreadReport",
  -- false after at most two waits: then it is due after the end of the lease
  coalesce(m.due_at <= $5 and m.due_at <= m.attempted_at + $6 * interval '1 millisecond', false)
    as "missedReports"
from jsonb_to_recordset($1) as r (sender_id uuid, first_due_at timestamptz, capacity int)
cross join lateral (
  select * from messages
  where sender_id = r.sender_id and priority = $3 and due_at between r.first_due_at and $2
  order by due_at limit r.capacity for no key update skip locked) m;

-- src/messages/queue/lock-senders.ts

prepare count_sender_breakers as
select (count(*) filter (where breaker_open_until > $1))::int as open,
  (count(*) filter (where breaker_open_until <= $1))::int as "halfOpen"
from sender_pace where breaker_step > 0;

prepare lock_senders_with_work as
with recursive recent_waiting as (
  (select sender_id, priority, due_at from messages where due_at >= $2 order by sender_id, priority, due_at limit 1)
  union all
  select n.sender_id, n.priority, n.due_at from recent_waiting w cross join lateral (
    select m.sender_id, m.priority, m.due_at from messages m
    where m.due_at >= $2 and (m.sender_id, m.priority) > (w.sender_id, w.priority)
    order by m.sender_id, m.priority, m.due_at limit 1) n
),
waiting as (
  select sender_id, priority, min(due_at) as due_at from (
    select * from recent_waiting
    union all
    select m.* from jsonb_to_recordset($3) as o (sender_id uuid, priority smallint, due_at timestamptz)
    cross join lateral (
      select sender_id, priority, due_at from messages
      where sender_id = o.sender_id and priority = o.priority and due_at between o.due_at and $2
      order by due_at limit 1) m) first_waiting
  group by sender_id, priority
)
select p.sender_id as id, d.due, s.workspace_id as "workspaceId", p.breaker_step as "breakerStep",
  greatest(0, case s.throughput when 'HIGH' then 1000 else 80 end
  - (select coalesce(sum(sends), 0) from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $1::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $1::timestamptz) * 50)::bigint) + 500) recent))::int as capacity, s.account_id as "accountId", s.phone_number_id as "phoneNumberId", a.waba_id as "wabaId",
  a.graph_url as "graphUrl", a.access_token as "sealedToken"
from (
  select sender_id, jsonb_agg(jsonb_build_object('priority', priority, 'firstDueAt', due_at)) as due
  from waiting where due_at <= $1 group by sender_id order by sender_id) d
cross join lateral (select * from senders s where s.id = d.sender_id and s.paused_at is null limit 1) s
-- the newest version alone: after one that is not sendable, the scan below would read all that a long transaction keeps
cross join lateral (
  select true from (
    select * from sender_pace p where p.sender_id between d.sender_id and d.sender_id order by p.sender_id desc limit 1) p
  where (p.breaker_open_until is null or p.breaker_open_until <= $1) and true) sendable
cross join lateral (
  select * from sender_pace p where p.sender_id between d.sender_id and d.sender_id and (p.breaker_open_until is null or p.breaker_open_until <= $1) and true
  order by p.sender_id desc limit 1 for no key update skip locked) p
cross join lateral (
  select * from provider_accounts a
  where a.workspace_id = s.workspace_id and a.id = s.account_id and a.status = 'connected' limit 1) a;

prepare write_sender_paces as
update sender_pace p
set (slots, slot_sends) = (select array_agg(slot order by slot), array_agg(sends order by slot)
from (
  select slot, sum(sends)::int as sends
  from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) + 500 union all select (select floor(extract(epoch from $2::timestamptz) * 50)::bigint), ($1::jsonb -> p.sender_id::text ->> 'sends')::int) counted group by slot) slots),
  breaker_open_until = coalesce(($1::jsonb -> p.sender_id::text ->> 'breaker_open_until')::timestamptz, p.breaker_open_until)
-- lockSendersWithWork has locked these rows, so their newest versions cannot change
where p.ctid = any (array (
  select (
    select ctid from sender_pace where sender_id between sender.id::uuid and sender.id::uuid order by sender_id desc limit 1)
  from jsonb_object_keys($1::jsonb) as sender (id)));

-- src/messages/queue/overdue.ts

prepare find_overdue_messages as
with recursive recent_waiting as (
  (select sender_id, priority, due_at from messages where due_at >= $2 order by sender_id, priority, due_at limit 1)
  union all
  select n.sender_id, n.priority, n.due_at from recent_waiting w cross join lateral (
    select m.sender_id, m.priority, m.due_at from messages m
    where m.due_at >= $2 and (m.sender_id, m.priority) > (w.sender_id, w.priority)
    order by m.sender_id, m.priority, m.due_at limit 1) n
),
waiting as (
  select sender_id, priority, min(due_at) as due_at from (
    select * from recent_waiting
    union all
    select m.* from jsonb_to_recordset($3) as o (sender_id uuid, priority smallint, due_at timestamptz)
    cross join lateral (
      select sender_id, priority, due_at from messages
      where sender_id = o.sender_id and priority = o.priority and due_at between o.due_at and $2
      order by due_at limit 1) m) first_waiting
  group by sender_id, priority
), blocked as materialized (
  select w.* from waiting w
  cross join lateral (select * from senders where id = w.sender_id limit 1) s
  cross join lateral (
    select * from sender_pace where sender_id between w.sender_id and w.sender_id order by sender_id desc limit 1) p
  cross join lateral (select * from provider_accounts where workspace_id = s.workspace_id and id = s.account_id limit 1) a
  where w.due_at <= $1 and (p.breaker_open_until > $1 or s.paused_at is not null or a.status <> 'connected')
)
select o.id, o.workspace_id, o.lease, o.last_failure_code as "lastFailureCode",
  o.attempted_at is not null as "attemptIsOpen", o.finish_tries as tries
from blocked b
cross join lateral (
  select oldest.workspace_id, oldest.id from (
    select m.workspace_id, m.id, m.submit_by from messages m
    where m.sender_id = b.sender_id and m.priority = b.priority and m.due_at between b.due_at and $1
    order by m.due_at limit case b.priority when 0 then 5000 else 100 end) oldest
  where oldest.submit_by <= $1 limit 100) found
cross join lateral (
  select * from messages m
  where m.workspace_id = found.workspace_id and m.id = found.id and m.due_at <= $1 and m.submit_by <= $1
  limit 1 for no key update skip locked) o
limit 500;

prepare lock_overdue_message as
select o.id, o.workspace_id, o.lease, o.last_failure_code as "lastFailureCode",
  o.attempted_at is not null as "attemptIsOpen", o.finish_tries as tries from messages o
where workspace_id = $1 and id = $2 and due_at <= $3 and submit_by <= $3 for no key update skip locked;

-- src/messages/queue/pair-slots.ts

prepare remove_idle_pair_paces as
with removed as (
  delete from pair_pace where ctid = any (array (select ctid from pair_pace where free_at < $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare reset_paces_of_workspace as
with pairs as (delete from pair_pace where sender_id = any (array (select id from senders where workspace_id = $1)))
update sender_pace set slots = '{}', slot_sends = '{}', breaker_open_until = null, breaker_step = 0, breaker_code = null
where sender_id = any (array (select id from senders where workspace_id = $1));

prepare return_pair_slots as
update pair_pace p set free_at = p.free_at - w.interval_ms * interval '1 millisecond'
from jsonb_to_recordset($1) as w (sender_id uuid, recipient text, interval_ms int)
where p.sender_id = w.sender_id and p.recipient = w.recipient;

prepare take_pair_slots as
insert into pair_pace as p (sender_id, recipient, free_at)
select w.sender_id, w.recipient, $2::timestamptz + w.interval_ms * interval '1 millisecond'
from jsonb_to_recordset($1) as w (sender_id uuid, recipient text, interval_ms int)
on conflict (sender_id, recipient) do update
set free_at = (excluded.free_at - $2::timestamptz) + case
  when p.free_at > $2::timestamptz + interval '3600000 milliseconds' then $2::timestamptz
  else greatest(p.free_at, $2::timestamptz) end
returning p.sender_id as "senderId", p.recipient, p.free_at as "freeAt";

-- src/messages/queue/quarantine.ts

prepare count_fault_of_closed_message as
update messages
set finish_tries = $5, finish_error = $6, quarantined_at = $8,
    due_at = case when $8::timestamptz is null then coalesce($7, due_at) end,
    lease = case when $8::timestamptz is null then lease end,
    code = case when $8::timestamptz is null then code end
where workspace_id = $1 and id = $2 and lease is not distinct from $3 and finish_tries = $4 and due_at is not null
returning id;

prepare list_quarantined_messages as
(select 'report' as kind, id, workspace_id as "workspaceId", received_at as since, note as fault
 from provider_reports
 where outcome = 'quarantined' and ($1::uuid is null or workspace_id = $1) order by received_at limit $2)
union all
(select 'message', id, workspace_id, quarantined_at, finish_error
 from messages
 where quarantined_at is not null and ($1::uuid is null or workspace_id = $1) order by quarantined_at limit $2);

prepare release_quarantined_message as
update messages set quarantined_at = null, finish_error = null, finish_tries = 0, due_at = $2
where id = $1 and quarantined_at is not null returning 'message' as kind, workspace_id as "workspaceId";

prepare release_quarantined_report as
update provider_reports set outcome = 'waiting', due_at = $2, attempts = 0, note = null
where id = $1 and outcome = 'quarantined' returning 'report' as kind, workspace_id as "workspaceId";

-- src/messages/queue/tapped.ts

prepare accept_tapped_messages as
update messages m
set accepted_at = $2, due_at = null, lease = null, attempted_at = null, quarantined_at = null,
  provider_message_id = coalesce(m.provider_message_id,
    (select r.provider_message_id
     from jsonb_to_recordset($1) as r (confirmation_id uuid, check_kind text, question_id uuid, provider_message_id text)
     where r.confirmation_id = m.confirmation_id and r.check_kind = m.check_kind and coalesce(r.question_id, m.id) = m.id limit 1))
where id = any (array (
  select open.id
  from jsonb_to_recordset($1) as r (workspace_id uuid, confirmation_id uuid, check_kind text, question_id uuid)
  cross join lateral (
    select m.id from messages m
    where m.workspace_id = r.workspace_id and m.confirmation_id = r.confirmation_id and m.check_kind = r.check_kind
      and m.attempted_at is not null
      and case when r.question_id is null then m.purpose in ('template', 'reminder') else m.id = r.question_id end
    limit 1 for no key update skip locked) open));

-- src/messages/reports/apply.ts

prepare lock_messages_for_reports as
select m.id, m.workspace_id, m.status, m.reference, m.recipient, m.created_at, m.sent_at, m.failure_code,
  m.failed_at, m.sent_event_at, m.failed_event_at, m.undelivered_event_at, m.undelivered_input, m.own_failure, m.deliver_within_seconds, m.deliver_by, m.provider_message_id, m.inputs, m.kind, m.confirmation_id, m.check_kind,
  m.purpose, (select w.clock_offset_ms from workspaces w where w.id = m.workspace_id) as clock_offset_ms
from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid)
cross join lateral (
  select * from messages m where m.workspace_id = r.workspace_id and m.id = r.id limit 1 for no key update) m;

prepare write_reported_messages as
update messages m
set (status, sent_at, failure_code, failed_at, sent_event_at, failed_event_at, deliver_by, provider_message_id, inputs, own_failure, accepted_at, due_at, lease, attempted_at, code, quarantined_at) = (
  select r.status, r.sent_at, r.failure_code, r.failed_at, r.sent_event_at, r.failed_event_at, r.deliver_by, r.provider_message_id, r.inputs, r.own_failure,
         case when r.provider_message_id is null then m.accepted_at else coalesce(m.accepted_at, $2::timestamptz) end,
         null::timestamptz, null::uuid, null::timestamptz, null::bytea, null::timestamptz
  from jsonb_to_record($1::jsonb -> m.id::text) as r (status text, sent_at timestamptz, failure_code text, failed_at timestamptz, sent_event_at timestamptz, failed_event_at timestamptz, deliver_by timestamptz, provider_message_id text, inputs integer, own_failure jsonb))
where m.id = any (array (select jsonb_object_keys($1::jsonb)::uuid));

-- src/messages/reports/process.ts

prepare count_failed_provider_report as
update provider_reports set attempts = $6, due_at = $2, outcome = $3, note = $4
where id = $1 and date_trunc('milliseconds', due_at) = $5
returning id;

prepare end_provider_reports as
update provider_reports p
set (outcome, note, due_at, message_id, confirmation_id, input_number, clock_offset_ms, attempts, body, provider_message_id) = (
  select r.outcome, r.note, r.due_at, coalesce(r.message_id, p.message_id), r.confirmation_id, r.input_number, r.clock_offset_ms,
         p.attempts + 1, case when e.is_erased then '' else p.body end, case when e.is_erased then null else p.provider_message_id end
  from jsonb_to_record($1::jsonb -> p.id::text) as r (outcome text, note jsonb, due_at timestamptz, message_id uuid,
    confirmation_id uuid, input_number integer, clock_offset_ms bigint)
  cross join lateral (select coalesce((select e.recipient like 'erased:%' from messages e where e.id = r.message_id limit 1), false)
    or coalesce((select e.recipient like 'erased:%' from confirmations e where e.id = r.confirmation_id limit 1), false) as is_erased) e)
where p.id = any (array (select jsonb_object_keys($1::jsonb)::uuid));

prepare find_waiting_provider_report as
select id from provider_reports where due_at <= $1 order by due_at limit 1;

prepare process_messages_again as
update provider_reports set outcome = 'waiting', note = null, due_at = $2, attempts = 0, confirmation_id = null
where outcome = 'ignored' and input_number is null and body <> '' and id = any (array (
  select p.id from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid, since timestamptz)
  cross join lateral (
    select id from provider_reports
    where workspace_id = r.workspace_id and confirmation_id = r.id and outcome = 'ignored' and input_number is null
      and coalesce(occurred_at, received_at) >= r.since and body <> ''
    order by received_at, id limit 50) p));

prepare take_provider_report as
select r.id, r.workspace_id, r.account_id, r.kind, r.body, r.provider_message_id, r.occurred_at, r.received_at, r.due_at,
       r.attempts, case when r.outcome = 'parked' then 0 else r.attempts end as tries, coalesce(own.id, theirs.id) as message_id
from (
  select * from provider_reports where due_at <= $1 and id = $2 for no key update skip locked) r
left join lateral (
  select m.id from messages m where m.workspace_id = r.workspace_id and m.id = r.message_id limit 1) own on true
left join lateral (
  select m.id from messages m
  where own.id is null and m.workspace_id = r.workspace_id and m.provider_message_id = r.provider_message_id
  limit 1) theirs on true
order by r.due_at, r.received_at, r.id;

prepare take_provider_reports as
select r.id, r.workspace_id, r.account_id, r.kind, r.body, r.provider_message_id, r.occurred_at, r.received_at, r.due_at,
       r.attempts, case when r.outcome = 'parked' then 0 else r.attempts end as tries, coalesce(own.id, theirs.id) as message_id
from (
  select * from provider_reports where due_at <= $1 order by due_at limit $2 for no key update skip locked) r
left join lateral (
  select m.id from messages m where m.workspace_id = r.workspace_id and m.id = r.message_id limit 1) own on true
left join lateral (
  select m.id from messages m
  where own.id is null and m.workspace_id = r.workspace_id and m.provider_message_id = r.provider_message_id
  limit 1) theirs on true
order by r.due_at, r.received_at, r.id;

-- src/messages/reports/receive.ts

prepare lock_messages_of_statuses as
select found.id as "reportId", m.id, m.workspace_id, m.status, m.reference, m.recipient, m.created_at, m.sent_at, m.failure_code,
  m.failed_at, m.sent_event_at, m.failed_event_at, m.undelivered_event_at, m.undelivered_input, m.own_failure, m.deliver_within_seconds, m.deliver_by, m.provider_message_id, m.inputs, m.kind, m.confirmation_id, m.check_kind,
  m.purpose, (select w.clock_offset_ms from workspaces w where w.id = m.workspace_id) as clock_offset_ms
from (
  select r.id, r.workspace_id, coalesce(own.id, theirs.id) as message_id
  from jsonb_to_recordset($1) as r (id uuid, workspace_id uuid, message_id uuid, provider_message_id text)
  left join lateral (
  select m.id from messages m where m.workspace_id = r.workspace_id and m.id = r.message_id limit 1) own on true
left join lateral (
  select m.id from messages m
  where own.id is null and m.workspace_id = r.workspace_id and m.provider_message_id = r.provider_message_id
  limit 1) theirs on true
  where (select p.id from provider_reports p where p.id = r.id limit 1) is null
  order by message_id) found
left join lateral (
  select * from messages m
  where m.workspace_id = found.workspace_id and m.id = found.message_id limit 1 for no key update) m on true;

prepare store_provider_reports as
insert into provider_reports as p (id, workspace_id, account_id, kind, body, provider_message_id, message_id, occurred_at,
  received_at, repeats, due_at, outcome, note, input_number, clock_offset_ms, attempts)
select r.id, r.workspace_id, r.account_id, r.kind, r.body, r.provider_message_id, r.message_id, r.occurred_at,
  r.received_at, r.repeats, r.due_at, r.outcome, r.note, r.input_number, r.clock_offset_ms,
  coalesce(r.attempts, 0)
from jsonb_to_recordset($1) as r (id uuid, workspace_id uuid, account_id uuid, kind text, body text, provider_message_id text,
  message_id uuid, occurred_at timestamptz, received_at timestamptz, repeats int, due_at timestamptz, outcome text, note jsonb, input_number int,
  clock_offset_ms bigint, attempts smallint)
on conflict (id) do update set repeats = p.repeats + excluded.repeats + 1
returning p.id, p.kind, (xmax <> 0) as repeated;

-- src/messages/reports/trace.ts

prepare find_traces_of_messages as
select m.id as "messageId", t.traceparent
from unnest($1::uuid[]) as reported (id)
cross join lateral (select id, confirmation_id from messages where id = reported.id limit 1) m
cross join lateral (select traceparent from traces where id = coalesce(m.confirmation_id, m.id) limit 1) t;

-- src/messages/reports/undelivered.ts

prepare postpone_undelivered_message as
update messages set deliver_tries = $4, deliver_by = $5
where workspace_id = $1 and id = $2 and deliver_tries = $3 and deliver_by is not null returning id;

prepare retake_undelivered_message as
select m.id, m.workspace_id, m.deliver_tries as tries from messages m
where m.workspace_id = $1 and m.id = $2 and m.deliver_by <= $3 and not (select 1 from provider_reports r
  where r.workspace_id = m.workspace_id and r.message_id = m.id and r.outcome = 'waiting' limit 1) is not null for no key update of m skip locked;

prepare stop_awaiting_delivery as
with awaiting as materialized (
  select locked.id from (
    select sent.id from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid)
    cross join lateral (
      (select id, deliver_by from messages where workspace_id = r.workspace_id and id = r.id limit 1)
      union all
      (select id, deliver_by from messages
       where workspace_id = r.workspace_id and verification_id = r.id limit 20)) sent
    where sent.deliver_by is not null order by sent.id) sent
  cross join lateral (select id from messages where id = sent.id limit 1 for no key update) locked
)
update messages set deliver_by = null where id = any (array (select id from awaiting));

prepare take_undelivered_messages as
select m.id, m.workspace_id, m.deliver_tries as tries from messages m
where m.deliver_by <= $1 and not (select 1 from provider_reports r
  where r.workspace_id = m.workspace_id and r.message_id = m.id and r.outcome = 'waiting' limit 1) is not null order by m.deliver_by limit $2 for no key update of m skip locked;

prepare write_undelivered_messages as
update messages m
set (undelivered_event_at, undelivered_input, inputs, deliver_by, deliver_tries) = (
  select r.undelivered_event_at, r.undelivered_input, r.inputs, null::timestamptz, 0
  from jsonb_to_record($1::jsonb -> m.id::text) as r (undelivered_event_at timestamptz, undelivered_input integer,
    inputs integer))
where m.id = any (array (select jsonb_object_keys($1::jsonb)::uuid));

-- src/messages/search.ts

prepare count_failed_messages as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $12::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $12::uuid), false) as reached
from (select item.id, ($4::text is null or item.status = $4::text) and ($5::text is null or item.kind = $5::text) and ($6::text is null or item.failure_code = $6::text) and ($7::text is null or (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) = $7::text) and ($8::text is null or item.template_name = $8::text) and ($9::uuid is null or item.sender_id = $9::uuid) and ($10::timestamptz is null or item.created_at >= $10::timestamptz) and ($11::timestamptz is null or item.created_at < $11::timestamptz) as fits from (select * from messages item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.failure_code is not null order by item.id desc limit 10000) item ) item;

prepare count_messages as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $12::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $12::uuid), false) as reached
from (select item.id, ($4::text is null or item.status = $4::text) and ($5::text is null or item.kind = $5::text) and ($6::text is null or item.failure_code = $6::text) and ($7::text is null or (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) = $7::text) and ($8::text is null or item.template_name = $8::text) and ($9::uuid is null or item.sender_id = $9::uuid) and ($10::timestamptz is null or item.created_at >= $10::timestamptz) and ($11::timestamptz is null or item.created_at < $11::timestamptz) as fits from (select * from messages item where item.workspace_id = $1 and item.id < $2 and item.id >= $3  order by item.id desc limit 10000) item ) item;

prepare count_messages_by_part as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $13::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $13::uuid), false) as reached
from (select item.id, ($4::text is null or item.status = $4::text) and ($5::text is null or item.kind = $5::text) and ($6::text is null or item.failure_code = $6::text) and ($7::text is null or (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) = $7::text) and ($8::text is null or item.template_name = $8::text) and ($9::uuid is null or item.sender_id = $9::uuid) and ($10::timestamptz is null or item.created_at >= $10::timestamptz) and ($11::timestamptz is null or item.created_at < $11::timestamptz) and ($12::text[] is null or (item.recipient like ($12::text[])[1] or lower(coalesce(item.reference, (select c.reference from confirmations c
    where c.workspace_id = item.workspace_id and c.id = item.confirmation_id))) like lower(($12::text[])[2]) or item.id::text like ($12::text[])[3])) as fits from (select * from messages item where item.workspace_id = $1 and item.id < $2 and item.id >= $3  order by item.id desc limit 10000) item ) item;

prepare count_searched_messages as
select count(*) filter (where fits)::int as total, count(*) filter (where fits and id >= $15::uuid)::int as newer,
  count(*)::int as counted, coalesce(bool_or(id < $15::uuid), false) as reached
from (select item.id, ($7::text is null or item.status = $7::text) and ($8::text is null or item.kind = $8::text) and ($9::text is null or item.failure_code = $9::text) and ($10::text is null or (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) = $10::text) and ($11::text is null or item.template_name = $11::text) and ($12::uuid is null or item.sender_id = $12::uuid) and ($13::timestamptz is null or item.created_at >= $13::timestamptz) and ($14::timestamptz is null or item.created_at < $14::timestamptz) as fits from (select hit.id from ((select item.id from messages item where item.workspace_id = $1 and item.id < $2 and item.id = $4)
  union
  (select item.id from messages item where item.workspace_id = $1 and item.id < $2 and item.reference = $5 order by item.id desc limit 10000)
  union
  (select item.id from unnest($6::text[]) as searched (phone) cross join lateral (
     select item.id from messages item
     where item.workspace_id = $1 and item.id < $2 and item.confirmation_id is null and item.recipient = searched.phone order by item.id desc limit 10000) item)
  union
  (select item.id from (
     (select c.id from confirmations c where c.workspace_id = $1 and c.id = $4)
     union
     (select c.id from confirmations c where c.workspace_id = $1 and c.reference = $5 and c.reference <> ''
      order by c.id desc limit 200)
     union
     (select c.id from senders s cross join unnest($6::text[]) as searched (phone) cross join lateral (
        select c.id, c.workspace_id from confirmations c
        where c.sender_id = s.id and c.recipient = searched.phone and c.id <= (left($2::text, 13) || '-ffff-ffff-ffffffffffff')::uuid
        order by c.id desc limit 10000) c
      where s.workspace_id = $1 and c.workspace_id = $1
      order by c.id desc limit 10000)) c
   cross join lateral (select * from messages item where item.confirmation_id = c.id order by item.id desc limit 10000) item
   where item.workspace_id = $1 and item.id < $2)
  union
  (select item.id from messages item where item.provider_message_id = $5 and item.workspace_id = $1 and item.id < $2)) hit where hit.id >= $3 order by hit.id desc limit 10000) hit cross join lateral (select * from messages item where item.workspace_id = $1 and item.id = hit.id limit 1) item ) item;

prepare end_of_failed_messages as
select item.id, item.created_at as "createdAt" from messages item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.failure_code is not null
order by item.id desc offset 9999 limit 1;

prepare end_of_messages as
select item.id, item.created_at as "createdAt" from messages item where item.workspace_id = $1 and item.id < $2 and item.id >= $3
order by item.id desc offset 9999 limit 1;

prepare end_of_messages_by_part as
select item.id, item.created_at as "createdAt" from messages item where item.workspace_id = $1 and item.id < $2 and item.id >= $3
order by item.id desc offset 9999 limit 1;

prepare end_of_searched_messages as
select hit.id, item.created_at as "createdAt"
  from (select hit.id from ((select item.id from messages item where item.workspace_id = $1 and item.id < $2 and item.id = $4)
union
(select item.id from messages item where item.workspace_id = $1 and item.id < $2 and item.reference = $5 order by item.id desc limit 10000)
union
(select item.id from unnest($6::text[]) as searched (phone) cross join lateral (
   select item.id from messages item
   where item.workspace_id = $1 and item.id < $2 and item.confirmation_id is null and item.recipient = searched.phone order by item.id desc limit 10000) item)
union
(select item.id from (
   (select c.id from confirmations c where c.workspace_id = $1 and c.id = $4)
   union
   (select c.id from confirmations c where c.workspace_id = $1 and c.reference = $5 and c.reference <> ''
    order by c.id desc limit 200)
   union
   (select c.id from senders s cross join unnest($6::text[]) as searched (phone) cross join lateral (
      select c.id, c.workspace_id from confirmations c
      where c.sender_id = s.id and c.recipient = searched.phone and c.id <= (left($2::text, 13) || '-ffff-ffff-ffffffffffff')::uuid
      order by c.id desc limit 10000) c
    where s.workspace_id = $1 and c.workspace_id = $1
    order by c.id desc limit 10000)) c
 cross join lateral (select * from messages item where item.confirmation_id = c.id order by item.id desc limit 10000) item
 where item.workspace_id = $1 and item.id < $2)
union
(select item.id from messages item where item.provider_message_id = $5 and item.workspace_id = $1 and item.id < $2)) hit where hit.id >= $3 order by hit.id desc offset 9999 limit 1) hit cross join lateral (select * from messages item where item.workspace_id = $1 and item.id = hit.id limit 1) item;

prepare list_failed_messages as
select item.id, item.kind, item.status, item.recipient, item.template_name as "templateName",
item.template_language as "templateLanguage", item.confirmation_id as "confirmationId",
item.check_kind as "check", item.purpose, item.created_at as "createdAt", item.sent_at as "sentAt",
item.failure_code as "failureCode",
(select s.phone from senders s where s.workspace_id = item.workspace_id and s.id = item.sender_id) as "senderPhone",
coalesce(item.reference, (select c.reference from confirmations c
  where c.workspace_id = item.workspace_id and c.id = item.confirmation_id)) as reference, (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) as verification from (select * from messages item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.failure_code is not null order by item.id desc limit 10000) item
where ($4::text is null or item.status = $4::text) and ($5::text is null or item.kind = $5::text) and ($6::text is null or item.failure_code = $6::text) and ($7::text is null or (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) = $7::text) and ($8::text is null or item.template_name = $8::text) and ($9::uuid is null or item.sender_id = $9::uuid) and ($10::timestamptz is null or item.created_at >= $10::timestamptz) and ($11::timestamptz is null or item.created_at < $11::timestamptz) order by item.id desc limit 51;

prepare list_messages as
select item.id, item.kind, item.status, item.recipient, item.template_name as "templateName",
item.template_language as "templateLanguage", item.confirmation_id as "confirmationId",
item.check_kind as "check", item.purpose, item.created_at as "createdAt", item.sent_at as "sentAt",
item.failure_code as "failureCode",
(select s.phone from senders s where s.workspace_id = item.workspace_id and s.id = item.sender_id) as "senderPhone",
coalesce(item.reference, (select c.reference from confirmations c
  where c.workspace_id = item.workspace_id and c.id = item.confirmation_id)) as reference, (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) as verification from (select * from messages item where item.workspace_id = $1 and item.id < $2 and item.id >= $3  order by item.id desc limit 10000) item
where ($4::text is null or item.status = $4::text) and ($5::text is null or item.kind = $5::text) and ($6::text is null or item.failure_code = $6::text) and ($7::text is null or (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) = $7::text) and ($8::text is null or item.template_name = $8::text) and ($9::uuid is null or item.sender_id = $9::uuid) and ($10::timestamptz is null or item.created_at >= $10::timestamptz) and ($11::timestamptz is null or item.created_at < $11::timestamptz) order by item.id desc limit 51;

prepare list_messages_by_part as
select item.id, item.kind, item.status, item.recipient, item.template_name as "templateName",
item.template_language as "templateLanguage", item.confirmation_id as "confirmationId",
item.check_kind as "check", item.purpose, item.created_at as "createdAt", item.sent_at as "sentAt",
item.failure_code as "failureCode",
(select s.phone from senders s where s.workspace_id = item.workspace_id and s.id = item.sender_id) as "senderPhone",
coalesce(item.reference, (select c.reference from confirmations c
  where c.workspace_id = item.workspace_id and c.id = item.confirmation_id)) as reference, (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) as verification from (select * from messages item where item.workspace_id = $1 and item.id < $2 and item.id >= $3  order by item.id desc limit 10000) item
where ($4::text is null or item.status = $4::text) and ($5::text is null or item.kind = $5::text) and ($6::text is null or item.failure_code = $6::text) and ($7::text is null or (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) = $7::text) and ($8::text is null or item.template_name = $8::text) and ($9::uuid is null or item.sender_id = $9::uuid) and ($10::timestamptz is null or item.created_at >= $10::timestamptz) and ($11::timestamptz is null or item.created_at < $11::timestamptz) and ($12::text[] is null or (item.recipient like ($12::text[])[1] or lower(coalesce(item.reference, (select c.reference from confirmations c
  where c.workspace_id = item.workspace_id and c.id = item.confirmation_id))) like lower(($12::text[])[2]) or item.id::text like ($12::text[])[3])) order by item.id desc limit 51;

prepare newer_of_failed_messages as
select item.id from (select * from messages item where item.workspace_id = $1 and item.id < $2 and item.id >= $3 and item.failure_code is not null order by item.id limit 10000) item
where ($4::text is null or item.status = $4::text) and ($5::text is null or item.kind = $5::text) and ($6::text is null or item.failure_code = $6::text) and ($7::text is null or (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) = $7::text) and ($8::text is null or item.template_name = $8::text) and ($9::uuid is null or item.sender_id = $9::uuid) and ($10::timestamptz is null or item.created_at >= $10::timestamptz) and ($11::timestamptz is null or item.created_at < $11::timestamptz) order by item.id limit 2;

prepare newer_of_messages as
select item.id from (select * from messages item where item.workspace_id = $1 and item.id < $2 and item.id >= $3  order by item.id limit 10000) item
where ($4::text is null or item.status = $4::text) and ($5::text is null or item.kind = $5::text) and ($6::text is null or item.failure_code = $6::text) and ($7::text is null or (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) = $7::text) and ($8::text is null or item.template_name = $8::text) and ($9::uuid is null or item.sender_id = $9::uuid) and ($10::timestamptz is null or item.created_at >= $10::timestamptz) and ($11::timestamptz is null or item.created_at < $11::timestamptz) order by item.id limit 2;

prepare newer_of_messages_by_part as
select item.id from (select * from messages item where item.workspace_id = $1 and item.id < $2 and item.id >= $3  order by item.id limit 10000) item
where ($4::text is null or item.status = $4::text) and ($5::text is null or item.kind = $5::text) and ($6::text is null or item.failure_code = $6::text) and ($7::text is null or (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) = $7::text) and ($8::text is null or item.template_name = $8::text) and ($9::uuid is null or item.sender_id = $9::uuid) and ($10::timestamptz is null or item.created_at >= $10::timestamptz) and ($11::timestamptz is null or item.created_at < $11::timestamptz) and ($12::text[] is null or (item.recipient like ($12::text[])[1] or lower(coalesce(item.reference, (select c.reference from confirmations c
  where c.workspace_id = item.workspace_id and c.id = item.confirmation_id))) like lower(($12::text[])[2]) or item.id::text like ($12::text[])[3])) order by item.id limit 2;

prepare newer_of_searched_messages as
select hit.id from (select hit.id from ((select item.id from messages item where item.workspace_id = $1 and item.id < $2 and item.id = $4)
union
(select item.id from messages item where item.workspace_id = $1 and item.id < $2 and item.reference = $5 order by item.id desc limit 10000)
union
(select item.id from unnest($6::text[]) as searched (phone) cross join lateral (
   select item.id from messages item
   where item.workspace_id = $1 and item.id < $2 and item.confirmation_id is null and item.recipient = searched.phone order by item.id desc limit 10000) item)
union
(select item.id from (
   (select c.id from confirmations c where c.workspace_id = $1 and c.id = $4)
   union
   (select c.id from confirmations c where c.workspace_id = $1 and c.reference = $5 and c.reference <> ''
    order by c.id desc limit 200)
   union
   (select c.id from senders s cross join unnest($6::text[]) as searched (phone) cross join lateral (
      select c.id, c.workspace_id from confirmations c
      where c.sender_id = s.id and c.recipient = searched.phone and c.id <= (left($2::text, 13) || '-ffff-ffff-ffffffffffff')::uuid
      order by c.id desc limit 10000) c
    where s.workspace_id = $1 and c.workspace_id = $1
    order by c.id desc limit 10000)) c
 cross join lateral (select * from messages item where item.confirmation_id = c.id order by item.id desc limit 10000) item
 where item.workspace_id = $1 and item.id < $2)
union
(select item.id from messages item where item.provider_message_id = $5 and item.workspace_id = $1 and item.id < $2)) hit where hit.id >= $3) hit cross join lateral (select * from messages item where item.workspace_id = $1 and item.id = hit.id limit 1) item
  where ($7::text is null or item.status = $7::text) and ($8::text is null or item.kind = $8::text) and ($9::text is null or item.failure_code = $9::text) and ($10::text is null or (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) = $10::text) and ($11::text is null or item.template_name = $11::text) and ($12::uuid is null or item.sender_id = $12::uuid) and ($13::timestamptz is null or item.created_at >= $13::timestamptz) and ($14::timestamptz is null or item.created_at < $14::timestamptz) order by hit.id limit 2;

prepare search_messages as
select item.id, item.kind, item.status, item.recipient, item.template_name as "templateName",
item.template_language as "templateLanguage", item.confirmation_id as "confirmationId",
item.check_kind as "check", item.purpose, item.created_at as "createdAt", item.sent_at as "sentAt",
item.failure_code as "failureCode",
(select s.phone from senders s where s.workspace_id = item.workspace_id and s.id = item.sender_id) as "senderPhone",
coalesce(item.reference, (select c.reference from confirmations c
  where c.workspace_id = item.workspace_id and c.id = item.confirmation_id)) as reference, (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) as verification from (select hit.id from ((select item.id from messages item where item.workspace_id = $1 and item.id < $2 and item.id = $4)
union
(select item.id from messages item where item.workspace_id = $1 and item.id < $2 and item.reference = $5 order by item.id desc limit 10000)
union
(select item.id from unnest($6::text[]) as searched (phone) cross join lateral (
   select item.id from messages item
   where item.workspace_id = $1 and item.id < $2 and item.confirmation_id is null and item.recipient = searched.phone order by item.id desc limit 10000) item)
union
(select item.id from (
   (select c.id from confirmations c where c.workspace_id = $1 and c.id = $4)
   union
   (select c.id from confirmations c where c.workspace_id = $1 and c.reference = $5 and c.reference <> ''
    order by c.id desc limit 200)
   union
   (select c.id from senders s cross join unnest($6::text[]) as searched (phone) cross join lateral (
      select c.id, c.workspace_id from confirmations c
      where c.sender_id = s.id and c.recipient = searched.phone and c.id <= (left($2::text, 13) || '-ffff-ffff-ffffffffffff')::uuid
      order by c.id desc limit 10000) c
    where s.workspace_id = $1 and c.workspace_id = $1
    order by c.id desc limit 10000)) c
 cross join lateral (select * from messages item where item.confirmation_id = c.id order by item.id desc limit 10000) item
 where item.workspace_id = $1 and item.id < $2)
union
(select item.id from messages item where item.provider_message_id = $5 and item.workspace_id = $1 and item.id < $2)) hit where hit.id >= $3 order by hit.id desc limit 10000) hit cross join lateral (select * from messages item where item.workspace_id = $1 and item.id = hit.id limit 1) item
  where ($7::text is null or item.status = $7::text) and ($8::text is null or item.kind = $8::text) and ($9::text is null or item.failure_code = $9::text) and ($10::text is null or (select v.status from otp_verifications v where v.workspace_id = item.workspace_id and v.id = item.id) = $10::text) and ($11::text is null or item.template_name = $11::text) and ($12::uuid is null or item.sender_id = $12::uuid) and ($13::timestamptz is null or item.created_at >= $13::timestamptz) and ($14::timestamptz is null or item.created_at < $14::timestamptz) order by hit.id desc limit 51;

-- src/operations/doctor/alerts/store.ts

prepare ask_outside_again as
update doctor_runs set outside_due_at = due_at where only_row;

prepare drop_doctor_alerts as
update doctor_findings set raised = false, alert_id = null, alert_at = null, alert_due_at = null, alert_tries = 0
where alert_id is not null;

prepare end_doctor_alert as
update doctor_findings set alert_id = null, alert_at = null, alert_due_at = null, alert_tries = 0 where alert_id = $1;

prepare find_doctor_findings as
select (select examined_at from doctor_runs) as "examinedAt",
coalesce((select jsonb_agg(jsonb_build_object('code', code, 'severity', severity)) from doctor_findings where found), '[]')
  as found;

prepare finish_doctor_run as
update doctor_runs set lease = null, examined_at = $2, due_at = $3, outside_due_at = coalesce($4, outside_due_at)
where only_row and lease = $1 returning $1::uuid as lease;

prepare lock_doctor_findings as
select check_name as "check", code, severity, found, since, text, fix, raised, alert_id is not null as "hasAlert"
from doctor_findings order by check_name, code for update;

prepare open_doctor_runs as
insert into doctor_runs (due_at, outside_due_at) values ($1, $1) on conflict do nothing;

prepare remove_doctor_findings as
delete from doctor_findings f
where exists (select from jsonb_to_recordset($1) as o ("check" text, code text)
  where o."check" = f.check_name and o.code = f.code) and f.alert_id is null;

prepare retry_doctor_alert as
update doctor_findings set alert_due_at = $2 where alert_id = $1;

prepare take_doctor_alerts as
update doctor_findings set alert_due_at = $2, alert_tries = alert_tries + 1
where alert_id = any (array (
  select alert_id from doctor_findings where alert_due_at not between $1 and $3
  order by alert_due_at limit 20 for update skip locked))
returning check_name as "check", code, severity, text, fix, raised, alert_id as id, alert_at as at, alert_tries as tries;

prepare take_doctor_run as
update doctor_runs set due_at = $2, lease = $3 where only_row and due_at not between $1 and $4
returning outside_due_at not between $1 and $5 as outside;

prepare write_doctor_findings as
insert into doctor_findings as f
  (check_name, code, severity, found, since, text, fix, raised, alert_id, alert_at, alert_due_at)
select n."check", n.code, n.severity, n.found, n.since, n.text, n.fix, n.raised, n.alert_id,
  case when n.alert_id is not null then $2::timestamptz end, case when n.alert_id is not null then $2::timestamptz end
from jsonb_to_recordset($1) as n ("check" text, code text, severity text, found boolean, since timestamptz, text text,
  fix text, raised boolean, alert_id uuid)
on conflict (check_name, code) do update
set severity = excluded.severity, found = excluded.found, since = excluded.since, text = excluded.text, fix = excluded.fix,
  raised = excluded.raised,
  alert_id = coalesce(excluded.alert_id, f.alert_id),
  alert_at = coalesce(excluded.alert_at, f.alert_at),
  alert_due_at = case when excluded.alert_id is null then f.alert_due_at
    when f.alert_tries > 0
      then greatest($2, least(f.alert_due_at, $2::timestamptz + 30000 * interval '1 millisecond'))
    else excluded.alert_due_at end,
  alert_tries = case when excluded.alert_id is null then f.alert_tries else 0 end;

-- src/operations/doctor/database/replication.ts

prepare find_synchronous_replication as
select current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('off', 'local')
as waits;

prepare list_idle_replication_slots as
select slot_name::text as name,
  coalesce(case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) end, 0)::float8 as "keptBytes"
from pg_replication_slots
where not active and coalesce(restart_lsn::text, xmin::text, catalog_xmin::text) is not null
order by restart_lsn nulls last, slot_name limit 20;

prepare list_standbys as
select coalesce(nullif(application_name, ''), 'pid ' || pid) as name, sync_state as "syncState",
  round(extract(epoch from replay_lag) * 1000)::float8 as "lagMs",
  case when pg_is_in_recovery() then null else pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) end::float8 as "lagBytes"
from pg_stat_replication where state is distinct from 'backup' order by pid limit 100;

-- src/operations/doctor/database/schema.ts

prepare list_indexes as
select c.relname as name, i.indisvalid and i.indisready as "isValid"
from pg_index i join pg_class c on c.oid = i.indexrelid
where c.relnamespace in (to_regnamespace(current_schema()), to_regnamespace('auth')) order by 1;

-- src/operations/doctor/database/server.ts

prepare list_tables_without_autovacuum as
select distinct t.oid::regclass::text as table
from pg_class c join pg_class t on c.oid in (t.oid, t.reltoastrelid)
where t.relkind = 'r' and t.relnamespace in (to_regnamespace(current_schema()), to_regnamespace('auth'))
  and exists (select from pg_options_to_table(c.reloptions) o
    where o.option_name = 'autovacuum_enabled' and not o.option_value::boolean)
order by 1;

prepare read_server_facts as
select current_setting('server_version_num')::int as version, current_setting('server_version') as "versionName",
current_setting('server_encoding') as encoding,
pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
current_setting('synchronous_commit') as synchronous_commit, current_setting('autovacuum') as autovacuum,
coalesce((select setting::int from pg_settings where name = 'transaction_timeout'), 0) as "transactionTimeoutMs",
least(
  (select sum(case name when 'max_connections' then setting::int else -setting::int end)::int from pg_settings
   where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')),
  (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user and not rolsuper),
  (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as "maxConnections",
(select sum(numbackends)::int from pg_stat_database) as connections,
pg_database_size(current_database())::float8 as bytes, pg_postmaster_start_time() as "startedAt";

-- src/operations/doctor/database/transactions.ts

prepare list_transactions_that_lock_tables as
with locked as materialized (
  select l.pid, l.virtualtransaction, string_agg(distinct c.relname, ', ' order by c.relname) as tables
  from pg_locks l join pg_class c on c.oid = l.relation
  where l.database = (select oid from pg_database where datname = current_database()) and l.granted
    and l.pid is distinct from pg_backend_pid()
    and l.mode in ('RowShareLock', 'RowExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    and c.relkind in ('r', 'p') and c.relnamespace in (to_regnamespace(current_schema()), to_regnamespace('auth'))
  group by l.pid, l.virtualtransaction)
select a.pid, p.gid, coalesce(a.datname, p.database)::text as database, coalesce(a.usename, p.owner)::text as user,
  nullif(a.application_name, '') as program, a.state,
  round(extract(epoch from clock_timestamp() - coalesce(a.xact_start, p.prepared)) * 1000)::float8 as "openMs",
  a.wait_event is not distinct from 'SyncRep' as "waitsForStandby", concat_ws(' ', l.pid, l.virtualtransaction) as id, l.tables
from locked l
left join pg_stat_activity a on a.pid = l.pid
left join lateral (
  select transactionid from pg_locks
  where l.pid is null and pid is null and virtualtransaction = l.virtualtransaction and locktype = 'transactionid' limit 1) x on true
left join pg_prepared_xacts p on p.transaction = x.transactionid
where a.leader_pid is null and a.wait_event is distinct from 'SyncRep' and coalesce(a.xact_start, p.prepared, '-infinity') <= clock_timestamp() - $1 * interval '1 ms'
order by coalesce(a.xact_start, p.prepared) nulls last limit 5;

prepare read_transaction_ages as
select (select max(greatest(age(datfrozenxid), mxid_age(datminmxid))) from pg_database) as "idAge",
coalesce(round(extract(epoch from clock_timestamp() - least(
  (select min(xact_start) from pg_stat_activity
   where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()),
  (select min(prepared) from pg_prepared_xacts where database = current_database()))) * 1000), 0)::float8 as "oldestMs";

-- src/operations/doctor/deleted-templates.ts

prepare list_deleted_templates_in_use as
with recent as materialized (
  select template_name, template_language, content from messages
  where workspace_id = $1 and id >= $2 and id < $3 order by id desc limit 300)
select d.name, d.language, a.waba_id as "wabaId"
from provider_accounts a
cross join lateral (
  select name, language from template_changes
  where workspace_id = $1 and account_id = a.id and id >= $2 and field = 'status' and after is null
    and not exists (
      select from templates t
      where t.account_id = a.id and t.name = template_changes.name and t.language = template_changes.language)
  union
  select name, language from templates
  where workspace_id = $1 and account_id = a.id and status in ('DELETED', 'PENDING_DELETION')) d
where a.workspace_id = $1 and a.status <> 'removed'
  and exists (
    select from recent
    where coalesce(template_name, content ->> 'name') = d.name and coalesce(template_language, content ->> 'language') = d.language)
order by d.name, d.language limit 20;

prepare list_deleted_templates_in_use_batch as
select batch.position as "workspacePosition", r.*
from unnest($1::uuid[]) with ordinality as batch (id, position)
cross join lateral (
with recent as materialized (
  select template_name, template_language, content from messages
  where workspace_id = batch.id and id >= $2 and id < $3 order by id desc limit 300)
select d.name, d.language, a.waba_id as "wabaId"
from provider_accounts a
cross join lateral (
  select name, language from template_changes
  where workspace_id = batch.id and account_id = a.id and id >= $2 and field = 'status' and after is null
    and not exists (
      select from templates t
      where t.account_id = a.id and t.name = template_changes.name and t.language = template_changes.language)
  union
  select name, language from templates
  where workspace_id = batch.id and account_id = a.id and status in ('DELETED', 'PENDING_DELETION')) d
where a.workspace_id = batch.id and a.status <> 'removed'
  and exists (
    select from recent
    where coalesce(template_name, content ->> 'name') = d.name and coalesce(template_language, content ->> 'language') = d.language)
order by d.name, d.language limit 20 offset 0) r;

-- src/operations/doctor/settings.ts

prepare count_operators_without_second_factor as
select count(*)::int as number from operators o
where (select u."twoFactorEnabled" from auth."user" u where u."id" = o.user_id) is not true;

-- src/operations/doctor/work/counts.ts

prepare count_due_deliveries as
select 'deliveries' as kind, count(*)::int as number from (select from webhook_endpoints e
cross join lateral (select from webhook_deliveries where endpoint_id = e.id and due_at <= $1 limit 10000) d
where e.status = 'enabled' limit 10000) due;

prepare count_due_messages as
with recursive waiting as (
  (select sender_id, priority, due_at from messages where due_at >= '-infinity' order by sender_id, priority, due_at limit 1)
  union all
  select n.sender_id, n.priority, n.due_at from waiting w cross join lateral (
    select m.sender_id, m.priority, m.due_at from messages m
    where m.due_at >= '-infinity' and (m.sender_id, m.priority) > (w.sender_id, w.priority)
    order by m.sender_id, m.priority, m.due_at limit 1) n
)
select 'messages' as kind, count(*)::int as number from (select from waiting w
   cross join lateral (
  select workspace_id, account_id from senders s where s.id = w.sender_id and s.paused_at is null limit 1) s
cross join lateral (
  select 1 from provider_accounts a
  where a.workspace_id = s.workspace_id and a.id = s.account_id and a.status = 'connected' limit 1) a
cross join lateral (
  select 1 from sender_pace p
  where p.sender_id = w.sender_id and (p.breaker_open_until is null or p.breaker_open_until <= $1) limit 1) p
   cross join lateral (
     select from messages where sender_id = w.sender_id and priority = w.priority and due_at <= $1 limit 10000) m
   where w.due_at <= $1 limit 10000) due;

prepare count_due_reports as
select 'reports' as kind, count(*)::int as number from (select from provider_reports where due_at <= $1 limit 10000) due;

prepare count_due_schedules as
select 'releases' as kind, count(*)::int as number from (select from webhook_endpoints where release_at <= $1 and status = 'enabled' limit 10000) due
union all
select 'syncs' as kind, count(*)::int as number from (select from provider_accounts a
    where a.sync_due_at <= $1 and a.status <> 'removed'
      and exists (select from workspaces w where w.id = a.workspace_id and w.deleted_at is null) limit 10000) due
union all
select 'daily_figures' as kind, count(*)::int as number from (select from daily_figures where due_at <= $1 limit 10000) due
union all
select 'alerts' as kind, count(*)::int as number from (select from doctor_findings where alert_due_at <= $1 limit 10000) due
union all
select 'deletions' as kind, count(*)::int as number from (select from workspaces where deletion_due_at <= $1 and purged_at is null limit 10000) due;

prepare count_due_timers as
select 'timers' as kind, count(*)::int as number from (select from (
select timer_due_at from confirmations where timer_due_at <= $1 and timer_quarantined_at is null
union all
select timer_due_at from refusal_checks where timer_due_at <= $1 and timer_quarantined_at is null) timer limit 10000) due;

prepare count_due_undelivered as
select 'undelivered' as kind, count(*)::int as number from (select from messages where deliver_by <= $1 limit 10000) due;

prepare count_due_verifications as
select 'verifications' as kind, count(*)::int as number from (select from otp_verifications where due_at <= $1 limit 10000) due;

prepare count_endpoints_by_state as
select (count(*) filter (where e.status = 'enabled' and e.failing_since is null))::int as healthy,
  (count(*) filter (where e.status = 'enabled' and e.failing_since is not null))::int as failing,
  (count(*) filter (where e.status = 'paused'))::int as paused,
  (count(*) filter (where e.status = 'disabled'))::int as disabled
from workspaces w cross join lateral (
  select status, failing_since from webhook_endpoints where workspace_id = w.id and deleted_at is null) e
where w.deleted_at is null;

-- src/operations/doctor/work/erasures.ts

prepare list_workspaces_with_unfinished_erasures as
select w.id as "workspaceId", w.name as workspace, count(distinct u.pseudonym)::int as number
from unfinished_erasures u join workspaces w on w.id = u.workspace_id
where u.begun_at < $1 and w.deleted_at is null
group by w.id order by min(u.begun_at) limit 50;

-- src/operations/doctor/work/oldest-due.ts

prepare find_oldest_due_delivery as
select 'deliveries' as kind, min(d.due_at) as "dueAt"
from webhook_endpoints e
cross join lateral (
  select due_at from webhook_deliveries
  where endpoint_id = e.id and due_at is not null order by due_at limit 1) d
where e.status = 'enabled';

prepare find_oldest_due_message as
with recursive waiting as (
  (select sender_id, priority, due_at from messages where due_at >= '-infinity' order by sender_id, priority, due_at limit 1)
  union all
  select n.sender_id, n.priority, n.due_at from waiting w cross join lateral (
    select m.sender_id, m.priority, m.due_at from messages m
    where m.due_at >= '-infinity' and (m.sender_id, m.priority) > (w.sender_id, w.priority)
    order by m.sender_id, m.priority, m.due_at limit 1) n
)
select 'messages' as kind, min(m.due_at) as "dueAt"
from waiting w
cross join lateral (
  select min(case when finish_error is null then due_at else least(due_at, submit_by) end) as due_at from (
    select due_at, submit_by, finish_error from messages
    where sender_id = w.sender_id and priority = w.priority and due_at is not null
    order by due_at limit 200) next) m
cross join lateral (
  select workspace_id, account_id from senders s where s.id = w.sender_id and s.paused_at is null limit 1) s
cross join lateral (
  select 1 from provider_accounts a
  where a.workspace_id = s.workspace_id and a.id = s.account_id and a.status = 'connected' limit 1) a
cross join lateral (
  select 1 from sender_pace p
  where p.sender_id = w.sender_id and (p.breaker_open_until is null or p.breaker_open_until <= $1) limit 1) p;

prepare find_oldest_due_report as
select 'reports' as kind, min(case when outcome = 'waiting' then least(due_at, received_at) else due_at end) as "dueAt"
from (select due_at, received_at, outcome from provider_reports where due_at is not null order by due_at limit 200) next;

prepare find_oldest_due_schedule as
select 'releases' as kind, min(release_at) as "dueAt" from webhook_endpoints where release_at is not null and status = 'enabled'
union all
select 'syncs', min(a.sync_due_at) from provider_accounts a
where a.status <> 'removed'
  and exists (select from workspaces w where w.id = a.workspace_id and w.deleted_at is null)
union all
select 'daily_figures', (select due_at from daily_figures where due_at is not null order by due_at limit 1)
union all
select 'alerts', min(alert_due_at) from doctor_findings where alert_due_at is not null
union all
select 'deletions', min(deletion_due_at) from workspaces where deletion_due_at is not null and purged_at is null;

prepare find_oldest_due_timer as
select 'timers' as kind, min(due_at) as "dueAt" from (
(select timer_due_at as due_at from confirmations
 where timer_due_at is not null and timer_quarantined_at is null order by timer_due_at limit 1)
union all
(select timer_due_at from refusal_checks
 where timer_due_at is not null and timer_quarantined_at is null order by timer_due_at limit 1)) timer;

prepare find_oldest_due_undelivered as
select 'undelivered' as kind, min(deliver_by) as "dueAt"
from (select deliver_by from messages where deliver_by is not null order by deliver_by limit 1) next;

prepare find_oldest_due_verification as
select 'verifications' as kind, min(due_at) as "dueAt"
from (select due_at from otp_verifications where due_at is not null order by due_at limit 1) next;

-- src/operations/doctor/work/reports.ts

prepare count_unreported_messages as
select "accountId", count(*)::int as submitted
from (
  select s.account_id as "accountId", m.id,
    count(*) filter (where m.status <> 'sending') over (partition by s.account_id order by m.id desc) as reported
  from ((select id, sender_id, status, provider_message_id from messages
   where workspace_id = $1 and id >= $2 and id < $3 order by id desc limit 500) union all (select id, sender_id, status, provider_message_id from messages
   where workspace_id = $1 and id >= $3 and id < $4 order by id desc limit 100)) m
  cross join lateral (select account_id from senders where workspace_id = $1 and id = m.sender_id limit 1) s
  where m.provider_message_id is not null) accepted
where reported = 0 and id < $3
group by "accountId";

prepare count_unreported_messages_batch as
select batch.position as "workspacePosition", r.*
from unnest($1::uuid[]) with ordinality as batch (id, position)
cross join lateral (
select "accountId", count(*)::int as submitted
from (
  select s.account_id as "accountId", m.id,
    count(*) filter (where m.status <> 'sending') over (partition by s.account_id order by m.id desc) as reported
  from ((select id, sender_id, status, provider_message_id from messages
   where workspace_id = batch.id and id >= $2 and id < $3 order by id desc limit 500) union all (select id, sender_id, status, provider_message_id from messages
   where workspace_id = batch.id and id >= $3 and id < $4 order by id desc limit 100)) m
  cross join lateral (select account_id from senders where workspace_id = batch.id and id = m.sender_id limit 1) s
  where m.provider_message_id is not null) accepted
where reported = 0 and id < $3
group by "accountId" offset 0) r;

-- src/operations/doctor/work/retention.ts

prepare list_held_events_that_expire as
select w.name as workspace, e.id as "endpointId", e.url, d.number, d."oldestAt"
from webhook_endpoints e
cross join lateral (select name from workspaces where id = e.workspace_id and deleted_at is null limit 1) w
cross join lateral (
  select (count(*) filter (where status = 'held'))::int as number, min(created_at) filter (where status = 'held') as "oldestAt"
  from (
    select status, created_at from webhook_deliveries
    where endpoint_id = e.id and status in ('failed', 'held') and created_at > $1 and created_at <= $2
    order by created_at limit 1000) next) d
where e.status <> 'enabled' and e.deleted_at is null and d.number > 0
order by d."oldestAt" limit 50;

-- src/operations/doctor/work/stuck.ts

prepare count_old_leases as
select count(*)::int as number from (select from leases where id < $1 limit 1000) old;

-- src/operations/lifecycle/purge.ts

prepare delete_workspaces_due as
update workspaces set deleted_at = $1
where deletion_due_at <= $1 and purged_at is null and deleted_at is null
returning id as "workspaceId";

prepare end_workspace_purge as
update workspaces set purged_at = $2, name = '' where id = $1;

prepare has_workspace_rows_to_purge as
select exists (select from events where workspace_id = $1)
or exists (select from messages where workspace_id = $1)
or exists (select from confirmations where workspace_id = $1) as "left";

prepare lock_workspace_to_purge as
select id as "workspaceId" from workspaces
where deletion_due_at is not null and purged_at is null and deleted_at <= $1
order by deletion_due_at limit 1 for no key update skip locked;

prepare purge_access_links as
with removed as (delete from access_links where ctid = any (array (select ctid from access_links where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_api_keys as
with removed as (delete from api_keys where ctid = any (array (select ctid from api_keys where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_auth_hooks as
with removed as (delete from auth_hooks where ctid = any (array (select ctid from auth_hooks where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_blocked_recipients as
with removed as (delete from blocked_recipients where ctid = any (array (select ctid from blocked_recipients where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_clock_moves as
with removed as (delete from clock_moves where ctid = any (array (select ctid from clock_moves where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_cod_settings as
with removed as (delete from cod_settings where ctid = any (array (select ctid from cod_settings where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_confirmations as
with picked as materialized (select id from confirmations t where workspace_id = $1 and not exists (select from events where confirmation_id = t.id) and not exists (select from messages where confirmation_id = t.id) order by id limit $2 for update skip locked),
of_cod_answers as (delete from cod_answers where workspace_id = $1 and confirmation_id = any (array (select id from picked))),
of_refusal_checks as (delete from refusal_checks where workspace_id = $1 and confirmation_id = any (array (select id from picked))),
removed as (delete from confirmations where id = any (array (select id from picked)) returning 1)
select count(*)::int as removed from removed;

prepare purge_daily_figures as
with removed as (delete from daily_figures where ctid = any (array (select ctid from daily_figures where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_events as
with picked as materialized (select id from events t where workspace_id = $1 and not exists (select from webhook_deliveries where event_id = t.id) order by id limit $2 for update skip locked),
removed as (delete from events where id = any (array (select id from picked)) returning 1)
select count(*)::int as removed from removed;

prepare purge_members as
with removed as (delete from members where ctid = any (array (select ctid from members where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_messages as
with picked as materialized (select id from messages t where workspace_id = $1 and not ((t.lease is not null and t.due_at > clock_timestamp()) is true) and not exists (select from events where message_id = t.id) order by id limit $2 for update skip locked),
of_message_attempts as (delete from message_attempts where workspace_id = $1 and message_id = any (array (select id from picked))),
of_otp_verifications as (delete from otp_verifications where workspace_id = $1 and id = any (array (select id from picked))),
removed as (delete from messages where id = any (array (select id from picked)) returning 1)
select count(*)::int as removed from removed;

prepare purge_otp_checks as
with removed as (delete from otp_checks where ctid = any (array (select ctid from otp_checks where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_provider_accounts as
with removed as (delete from provider_accounts where ctid = any (array (select ctid from provider_accounts where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_quota_usage as
with removed as (delete from quota_usage where ctid = any (array (select ctid from quota_usage where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_quotas as
with removed as (delete from quotas where ctid = any (array (select ctid from quotas where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_reports as
with removed as (
  delete from provider_reports where workspace_id = $1 and ctid >= $2::tid and ctid < $3::tid returning 1)
select count(*)::int as removed,
  pg_relation_size('provider_reports') / current_setting('block_size')::int as pages from removed;

prepare purge_sandbox_work as
with removed as (delete from sandbox_work where ctid = any (array (select ctid from sandbox_work where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_sender_pace as
with removed as (delete from sender_pace where sender_id = any (array (select id from senders where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_senders as
with removed as (delete from senders where ctid = any (array (select ctid from senders where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_template_changes as
with removed as (delete from template_changes where ctid = any (array (select ctid from template_changes where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_templates as
with removed as (delete from templates where ctid = any (array (select ctid from templates where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_unfinished_erasures as
with removed as (delete from unfinished_erasures where ctid = any (array (select ctid from unfinished_erasures where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare purge_webhook_deliveries as
with picked as materialized (select d.id from webhook_endpoints e
      cross join lateral (select id from webhook_deliveries t where workspace_id = e.workspace_id and endpoint_id = e.id and not ((t.lease is not null and t.due_at > clock_timestamp()) is true) order by id limit $2 for update skip locked) d
      where e.workspace_id = $1 limit $2),
of_webhook_attempts as (delete from webhook_attempts where workspace_id = $1 and delivery_id = any (array (select id from picked))),
removed as (delete from webhook_deliveries where id = any (array (select id from picked)) returning 1)
select count(*)::int as removed from removed;

prepare purge_webhook_endpoints as
with removed as (delete from webhook_endpoints where ctid = any (array (select ctid from webhook_endpoints where workspace_id = $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

-- src/operations/lifecycle/recipients/audit-entries.ts

prepare erase_from_audit_entry as
update audit_log set target = $3, before = $4, after = $5 where workspace_id = $1 and id = $2;

prepare list_sender_phones as
select phone from senders where workspace_id = $1;

prepare read_audit_entries as
select id, at, who, action, target, before, after from audit_log where workspace_id = $1 and id > $2 order by id limit $3;

-- src/operations/lifecycle/recipients/erase-rows.ts

prepare end_deliveries_of_recipient as
with ended as (
  update webhook_deliveries
  set status = 'failed', due_at = null, lease = null, ended_at = $3, scheduled_at = null, early_at = null,
      early_attempts = 0, attempts = attempts + 1
  where workspace_id = $1 and event_id = any ($2::uuid[]) and status in ('pending', 'held')
  returning id, attempts
)
insert into webhook_attempts (workspace_id, delivery_id, attempt, started_at, duration_ms, error)
select $1, id, attempts, $3, 0, '{"code":"webhooks.erased"}' from ended
on conflict do nothing;

prepare erase_reports_of_rows as
update provider_reports r set body = case when r.kind = 'status' and r.outcome = 'waiting'
   then regexp_replace(body, '"(id|recipient_id|recipient_user_id)":"[^"]*"', '"\1":""', 'g') else '' end,
 message_id = coalesce(r.message_id, (
   select m.id from messages m
   where m.workspace_id = r.workspace_id and m.provider_message_id = r.provider_message_id limit 1)),
 provider_message_id = null, outcome = case when outcome in ('applied', 'ignored') or r.kind = 'status' and r.outcome = 'waiting' then outcome else 'ignored' end,
 due_at = case when r.kind = 'status' and r.outcome = 'waiting' then due_at end,
 note = case when outcome in ('applied', 'ignored') or r.kind = 'status' and r.outcome = 'waiting' then note else '{"code":"messages.erased"}' end
where workspace_id = $1 and (body <> '' or provider_message_id is not null) and id = any (array (
  select id from provider_reports where confirmation_id = any ($2::uuid[])
  union all
  select id from provider_reports where message_id = any ($3::uuid[])))
returning id;

prepare find_rows_left_to_erase as
(select c.* from senders s cross join unnest($2::text[]) as phone (number)
cross join lateral (
  select id from confirmations c where recipient = phone.number and sender_id = s.id and (id < $3 or created_at < $4::timestamptz)
   limit 1) c where s.workspace_id = $1 limit 1) union all (select m.* from (select) one cross join unnest($2::text[]) as phone (number)
cross join lateral (
  select id from messages m where recipient = phone.number and workspace_id = $1 and confirmation_id is null and (id < $3 or created_at < $4::timestamptz)
   limit 1) m limit 1);

prepare find_user_ids_in_reports_of_rows as
select distinct substring(body from '"(?:from|recipient)_user_id":"([^"]+)"') as "userId" from provider_reports
where workspace_id = $1 and id = any (array (
  select id from provider_reports where confirmation_id = any ($2::uuid[])
  union all
  select id from provider_reports where message_id = any ($3::uuid[]))) and body ~ $4 and body ~ '"(from|recipient)_user_id":"[^"]'
limit 20;

prepare list_events_to_erase as
select id from events
where workspace_id = $1 and body <> '' and id = any (array (
  select id from events where confirmation_id = any ($2::uuid[])
  union all
  select id from events where message_id = any ($3::uuid[])));

prepare lock_confirmations_to_erase as
select id from confirmations
where workspace_id = $1 and recipient = any ($3::text[]) and id = any ($2::uuid[]) order by id for update;

prepare lock_deliveries_to_erase as
select ((d.lease is not null and d.due_at > $3) is true) as "isBeingSent" from webhook_deliveries d
where workspace_id = $1 and id = any (array (
  select id from webhook_deliveries where event_id = any ($2::uuid[]))) order by id for no key update;

prepare lock_messages_to_erase as
select id, (due_at is not null or quarantined_at is not null) as "isPending", ((m.lease is not null and m.due_at > $3) is true) as "isBeingSent"
from messages m
where workspace_id = $1 and recipient = any ($5::text[]) and id = any (array (
  select id from messages where confirmation_id = any ($2::uuid[]) union all select unnest($4::uuid[])))
order by id for no key update;

prepare pick_confirmations_to_erase as
select c.* from senders s cross join unnest($2::text[]) as phone (number)
cross join lateral (
  select id from confirmations c where recipient = phone.number and sender_id = s.id and (id < $5 or created_at < $6::timestamptz)
 and not exists (select from messages m where confirmation_id = c.id and ((m.lease is not null and m.due_at > $3) is true))
 and not exists (
select from events e cross join lateral (
  select 1 from webhook_deliveries d where event_id = e.id and ((d.lease is not null and d.due_at > $3) is true) limit 1) d
where e.confirmation_id = c.id)
  order by id limit $4) c where s.workspace_id = $1 limit $4;

prepare pick_one_time_codes_to_erase as
select m.* from (select) one cross join unnest($2::text[]) as phone (number)
cross join lateral (
  select id from messages m where recipient = phone.number and workspace_id = $1 and confirmation_id is null and (id < $5 or created_at < $6::timestamptz) and not ((m.lease is not null and m.due_at > $3) is true) and not exists (
select from events e cross join lateral (
  select 1 from webhook_deliveries d where event_id = e.id and ((d.lease is not null and d.due_at > $3) is true) limit 1) d
where e.message_id = m.id)
  order by id limit $4) m limit $4;

-- src/operations/lifecycle/recipients/erase.ts

prepare erase_pair_pace as
delete from pair_pace where recipient = any ($2::text[]) and sender_id = any (array (
select id from senders where workspace_id = $1));

prepare erase_reason_of_block as
update blocked_recipients set reason = null
where workspace_id = $1 and phone = any ($2) and reason is not null returning 1;

prepare erase_user_ids as
update confirmations set customer_user_id = null
where workspace_id = $1 and recipient <> all ($3::text[]) and id = any (array (
  select id from confirmations where customer_user_id = any ($2::text[])));

prepare remove_block_of_recipient as
delete from blocked_recipients where workspace_id = $1 and phone = any ($2) returning 1;

-- src/operations/lifecycle/recipients/export.ts

prepare export_blocks as
select phone, reason, blocked_by as "blockedBy", created_at as "blockedAt" from blocked_recipients
where workspace_id = $1 and phone = any ($2);

prepare export_confirmations as
select c.id, jsonb_build_object('id', c.id, 'senderId', c.sender_id, 'to', c.recipient, 'customerUserId', c.customer_user_id, 'templateName', c.template_name, 'templateLanguage', c.template_language, 'parameters', c.parameters, 'reference', c.reference, 'idempotencyKey', c.idempotency_key, 'correlationId', c.correlation_id, 'createdAt', c.created_at, 'status', c.status, 'answeredAt', c.answered_at, 'choices', c.choices, 'reschedule', c.reschedule, 'failureCode', c.failure_code, 'refusalCheck', (select jsonb_build_object('templateName', f.template_name, 'templateLanguage', f.template_language, 'parameters', f.parameters, 'idempotencyKey', f.idempotency_key, 'createdAt', f.created_at, 'status', f.status, 'answeredAt', f.answered_at, 'reason', f.reason, 'note', f.note, 'failureCode', f.failure_code) from refusal_checks f
 where f.workspace_id = c.workspace_id and f.confirmation_id = c.id), 'answers', (select coalesce(jsonb_agg(jsonb_build_object('check', a.check_kind, 'answer', a.answer, 'detail', a.detail, 'answeredAt', a.answered_at, 'superseded', a.superseded) order by a.answered_at, a.id), '[]') from cod_answers a where a.confirmation_id = c.id), 'messages', (select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'kind', m.kind, 'check', m.check_kind, 'purpose', m.purpose, 'senderId', m.sender_id, 'to', m.recipient, 'templateName', m.template_name, 'templateLanguage', m.template_language, 'reference', m.reference, 'idempotencyKey', m.idempotency_key, 'correlationId', m.correlation_id, 'createdAt', m.created_at, 'content', m.content, 'offered', m.offered, 'status', m.status, 'providerMessageId', m.provider_message_id, 'acceptedAt', m.accepted_at, 'sentAt', m.sent_at, 'deliverWithinSeconds', m.deliver_within_seconds, 'undelivered_at', m.undelivered_event_at, 'failureCode', m.failure_code, 'failedAt', m.failed_at, 'attempts', (select coalesce(jsonb_agg(jsonb_build_object('attempt', a.attempt, 'startedAt', a.started_at, 'endedAt', a.ended_at, 'outcome', a.outcome, 'httpStatus', a.http_status, 'providerCode', a.provider_code, 'detail', a.detail) order by a.attempt), '[]') from message_attempts a where a.message_id = m.id), 'reports', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'kind', r.kind, 'providerMessageId', r.provider_message_id, 'occurredAt', r.occurred_at, 'receivedAt', r.received_at, 'outcome', r.outcome, 'note', r.note, 'body', r.body) order by r.received_at, r.id), '[]') from provider_reports r where r.message_id = m.id)) order by m.created_at, m.id), '[]') from messages m where m.confirmation_id = c.id), 'customerMessages', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'kind', r.kind, 'providerMessageId', r.provider_message_id, 'occurredAt', r.occurred_at, 'receivedAt', r.received_at, 'outcome', r.outcome, 'note', r.note, 'body', r.body) order by r.received_at, r.id), '[]') from provider_reports r where r.confirmation_id = c.id), 'events', (select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'type', e.type, 'occurredAt', e.occurred_at, 'recordedAt', e.recorded_at, 'body', e.body, 'deliveries', (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'endpointId', d.endpoint_id, 'status', d.status, 'createdAt', d.created_at, 'endedAt', d.ended_at, 'attempts', (select coalesce(jsonb_agg(jsonb_build_object('attempt', w.attempt, 'startedAt', w.started_at, 'durationMs', w.duration_ms, 'httpStatus', w.http_status, 'error', w.error, 'response', w.response) order by w.attempt), '[]') from webhook_attempts w where w.delivery_id = d.id)) order by d.id), '[]') from webhook_deliveries d where d.event_id = e.id)) order by e.id), '[]') from events e where e.confirmation_id = c.id)) as document
from (select c.* from senders s cross join unnest($2::text[]) as phone (number)
  cross join lateral (
    select * from confirmations c where recipient = phone.number and sender_id = s.id and id > $3
    order by id limit $4) c where s.workspace_id = $1 order by c.id limit $4) c order by c.id;

prepare export_one_time_codes as
select m.id, jsonb_build_object('id', m.id, 'kind', m.kind, 'check', m.check_kind, 'purpose', m.purpose, 'senderId', m.sender_id, 'to', m.recipient, 'templateName', m.template_name, 'templateLanguage', m.template_language, 'reference', m.reference, 'idempotencyKey', m.idempotency_key, 'correlationId', m.correlation_id, 'createdAt', m.created_at, 'content', m.content, 'offered', m.offered, 'status', m.status, 'providerMessageId', m.provider_message_id, 'acceptedAt', m.accepted_at, 'sentAt', m.sent_at, 'deliverWithinSeconds', m.deliver_within_seconds, 'undelivered_at', m.undelivered_event_at, 'failureCode', m.failure_code, 'failedAt', m.failed_at, 'attempts', (select coalesce(jsonb_agg(jsonb_build_object('attempt', a.attempt, 'startedAt', a.started_at, 'endedAt', a.ended_at, 'outcome', a.outcome, 'httpStatus', a.http_status, 'providerCode', a.provider_code, 'detail', a.detail) order by a.attempt), '[]') from message_attempts a where a.message_id = m.id), 'reports', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'kind', r.kind, 'providerMessageId', r.provider_message_id, 'occurredAt', r.occurred_at, 'receivedAt', r.received_at, 'outcome', r.outcome, 'note', r.note, 'body', r.body) order by r.received_at, r.id), '[]') from provider_reports r where r.message_id = m.id), 'verification', (select jsonb_build_object('id', v.id, 'to', v.recipient, 'country', v.country, 'idempotencyKey', v.idempotency_key, 'codeLength', v.code_length, 'ttlSeconds', v.ttl_seconds, 'maxAttempts', v.max_attempts, 'createdAt', v.created_at, 'expiresAt', v.expires_at, 'status', v.status, 'sentAt', v.sent_at, 'wrongAt', v.wrong_at, 'endedAt', v.ended_at) from otp_verifications v
where v.workspace_id = m.workspace_id and v.id = m.id limit 1), 'events', (select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'type', e.type, 'occurredAt', e.occurred_at, 'recordedAt', e.recorded_at, 'body', e.body, 'deliveries', (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'endpointId', d.endpoint_id, 'status', d.status, 'createdAt', d.created_at, 'endedAt', d.ended_at, 'attempts', (select coalesce(jsonb_agg(jsonb_build_object('attempt', w.attempt, 'startedAt', w.started_at, 'durationMs', w.duration_ms, 'httpStatus', w.http_status, 'error', w.error, 'response', w.response) order by w.attempt), '[]') from webhook_attempts w where w.delivery_id = d.id)) order by d.id), '[]') from webhook_deliveries d where d.event_id = e.id)) order by e.id), '[]') from events e where e.message_id = m.id)) as document
 from (select m.* from (select) one cross join unnest($2::text[]) as phone (number)
   cross join lateral (
     select * from messages m where recipient = phone.number and workspace_id = $1 and confirmation_id is null and id > $3
     order by id limit $4) m order by m.id limit $4) m order by m.id;

prepare export_pair_pace as
select s.id as "senderId", p.free_at as "freeAt" from senders s
cross join lateral (
  select free_at from pair_pace where sender_id = s.id and recipient = any ($2::text[]) limit 10) p
where s.workspace_id = $1;

-- src/operations/lifecycle/recipients/person.ts

prepare count_rows_of_recipient as
select
(select count(*) from (select m.* from (select) one cross join unnest($2::text[]) as phone (number)
cross join lateral (
  select 1 from messages m where recipient = phone.number and workspace_id = $1 and confirmation_id is null
   limit 10000) m limit 10000) counted) as "oneTimeCodes",
(select count(*) from (select c.* from senders s cross join unnest($2::text[]) as phone (number)
cross join lateral (
  select 1 from confirmations c where recipient = phone.number and sender_id = s.id
   limit 10000) c where s.workspace_id = $1 limit 10000) counted) as confirmations,
exists (select from blocked_recipients where workspace_id = $1 and phone = any ($2)) as "isBlocked";

prepare find_user_ids_of_recipient as
select distinct found.user_id as "userId" from (
  (select c.* from senders s cross join unnest($2::text[]) as phone (number)
  cross join lateral (
    select customer_user_id as user_id from confirmations c where recipient = phone.number and sender_id = s.id
    order by id desc limit 200) c where s.workspace_id = $1)
  union all
  (select substring(r.body from '"recipient_user_id":"([^"]+)"') from (select m.* from (select) one cross join unnest($2::text[]) as phone (number)
  cross join lateral (
    select id from messages m where recipient = phone.number and workspace_id = $1 and confirmation_id is null
    order by id desc limit 200) m) m
   cross join lateral (
     select body from provider_reports p where p.message_id = m.id limit 10) r)) found
where found.user_id is not null limit 20;

-- src/operations/lifecycle/recipients/reports.ts

prepare erase_reports_of_recipient as
update provider_reports r set body = case when r.kind = 'status' and r.outcome = 'waiting'
  then regexp_replace(body, '"(id|recipient_id|recipient_user_id)":"[^"]*"', '"\1":""', 'g') else '' end,
message_id = coalesce(r.message_id, (
  select m.id from messages m
  where m.workspace_id = r.workspace_id and m.provider_message_id = r.provider_message_id limit 1)),
provider_message_id = null, outcome = case when outcome in ('applied', 'ignored') or r.kind = 'status' and r.outcome = 'waiting' then outcome else 'ignored' end,
due_at = case when r.kind = 'status' and r.outcome = 'waiting' then due_at end,
note = case when outcome in ('applied', 'ignored') or r.kind = 'status' and r.outcome = 'waiting' then note else '{"code":"messages.erased"}' end where workspace_id = $1 and id = any ($2::uuid[]);

prepare export_other_reports as
select (pg_relation_size('provider_reports') / current_setting('block_size')::int)::int as pages, r.*
from (select 1) always left join lateral (
  select (r.ctid::text::point)[0]::int as page, r.body, jsonb_build_object('id', r.id, 'kind', r.kind, 'providerMessageId', r.provider_message_id, 'occurredAt', r.occurred_at, 'receivedAt', r.received_at, 'outcome', r.outcome, 'note', r.note, 'body', r.body) as document from provider_reports r
  where r.workspace_id = $1 and r.ctid >= $2::tid and r.ctid < $3::tid and r.kind in ('status', 'message')
    and r.body like any ($4::text[]) and not exists (
      select from confirmations
      where workspace_id = r.workspace_id and id = r.confirmation_id and recipient = any ($5::text[]))
    and not exists (
      select from messages where workspace_id = r.workspace_id and id = r.message_id and recipient = any ($5::text[]))
  order by r.ctid limit 2000 ) r on true;

prepare lock_reports_that_mention_recipient as
select (pg_relation_size('provider_reports') / current_setting('block_size')::int)::int as pages, r.*
from (select 1) always left join lateral (
  select (r.ctid::text::point)[0]::int as page, r.id, r.body from provider_reports r
  where r.workspace_id = $1 and r.ctid >= $2::tid and r.ctid < $3::tid and r.kind in ('status', 'message')
    and r.body like any ($4::text[]) and r.received_at < $5
  order by r.ctid limit 2000 for no key update) r on true;

prepare mask_number_in_report as
update provider_reports set body = $3 where workspace_id = $1 and id = $2;

prepare read_reports_that_mention_recipient as
select (pg_relation_size('provider_reports') / current_setting('block_size')::int)::int as pages, r.*
from (select 1) always left join lateral (
  select (r.ctid::text::point)[0]::int as page, r.body from provider_reports r
  where r.workspace_id = $1 and r.ctid >= $2::tid and r.ctid < $3::tid and r.kind in ('status', 'message')
    and r.body like any ($4::text[])
  order by r.ctid limit 2000 ) r on true;

-- src/operations/lifecycle/recipients/unfinished.ts

prepare end_unfinished_erasures as
delete from unfinished_erasures where workspace_id = $1 and id = any ($2::uuid[]);

prepare find_audit_entry_of_erasure as
select id from audit_log where workspace_id = $1 and action = 'recipient.erased' and target = $2 limit 1;

prepare find_unfinished_erasures as
select id, pseudonym, person from unfinished_erasures
where workspace_id = $1 and person_hash = any ($2) order by begun_at limit 1000;

prepare keep_unfinished_erasure as
insert into unfinished_erasures (workspace_id, pseudonym, begun_at, id, person, person_hash)
values ($1, $2, $3, $4, $5, $6)
on conflict (id) do update set person = excluded.person, person_hash = excluded.person_hash;

prepare list_old_unfinished_erasures as
select workspace_id as "workspaceId", id, pseudonym, person from unfinished_erasures
where begun_at < $1 order by begun_at limit 1000;

prepare lock_unfinished_erasures as
select id, pseudonym, person from unfinished_erasures
where workspace_id = $1 and person_hash = any ($2) and begun_at <= $3
order by begun_at, id limit 1000 for update;

-- src/operations/lifecycle/retention/content.ts

prepare count_content_of_cod_answers as
select count(*) filter (where holds)::int as rows, count(*)::int as seen
from (select (coalesce(detail #>> '{reschedule,note}', detail ->> 'note') is not null) as holds from cod_answers where id > $1 and id < $2 order by id limit $3) next;

prepare count_content_of_events as
select count(*) filter (where holds)::int as rows, count(*)::int as seen
from (select (body <> '') as holds from events where id > $1 and id < $2 order by id limit $3) next;

prepare count_content_of_message_attempts as
select count(*) filter (where holds)::int as rows, count(*)::int as seen
 from (select coalesce((
select true from message_attempts where message_id = messages.id and ((detail ->> 'code' = 'providers.titled' or detail ->> 'code' in ('words.quoted', 'text'))) limit 1), false) as holds from messages where id > $1 and id < $2 order by id limit $3) next;

prepare count_content_of_messages as
select count(*) filter (where holds)::int as rows, count(*)::int as seen
from (select kind = 'cod' and (content ->> 'type' <> 'removed') as holds from messages where id > $1 and id < $2 order by id limit $3) next;

prepare count_content_of_provider_reports as
select count(*) filter (where holds)::int as rows, count(*)::int as seen
from (select body <> '' as holds from provider_reports where received_at > '-infinity' and received_at >= $1::timestamptz and (received_at, id) > ($1::timestamptz, $2) and received_at < $3 order by received_at, id limit $4) next;

prepare empty_cod_answers as
update cod_answers set detail = case when jsonb_typeof(detail) = 'object' then
    jsonb_set(jsonb_set(detail, '{note}', 'null', false), '{reschedule,note}', 'null', false) else detail end
where id = any ($1::uuid[]) and (coalesce(detail #>> '{reschedule,note}', detail ->> 'note') is not null);

prepare empty_confirmations as
update confirmations set reschedule = case when jsonb_typeof(reschedule) = 'object' then
    jsonb_set(jsonb_set(reschedule, '{note}', 'null', false), '{reschedule,note}', 'null', false) else reschedule end,
  choices = case when jsonb_typeof(choices) = 'object' then
    jsonb_set(jsonb_set(choices, '{note}', 'null', false), '{reschedule,note}', 'null', false) else choices end
where id = any ($1::uuid[]) and not exists (
  select from cod_answers where workspace_id = confirmations.workspace_id and confirmation_id = confirmations.id and id >= $2
    and (coalesce(detail #>> '{reschedule,note}', detail ->> 'note') is not null)) and (coalesce(reschedule #>> '{reschedule,note}', reschedule ->> 'note') is not null or coalesce(choices #>> '{reschedule,note}', choices ->> 'note') is not null);

prepare empty_events as
update events set body = ''
where id = any ($1::uuid[]) and (body <> '');

prepare empty_message_attempts as
update message_attempts set detail = case when detail #>> '{title,code}' not in ('words.quoted', 'text') then detail -> 'title' end
where message_id = any ($1::uuid[]) and ((detail ->> 'code' = 'providers.titled' or detail ->> 'code' in ('words.quoted', 'text')));

prepare empty_messages as
update messages set content = case when content is not null then '{"type":"removed"}'::jsonb end
where id = any ($1::uuid[]) and (content ->> 'type' <> 'removed');

prepare empty_provider_reports as
update provider_reports r set body = '' where id = any ($1::uuid[]) and not (r.due_at is not null)
returning id;

prepare empty_refusal_checks as
update refusal_checks set note = null
where confirmation_id = any ($1::uuid[]) and not exists (
  select from cod_answers where workspace_id = refusal_checks.workspace_id and confirmation_id = refusal_checks.confirmation_id and id >= $2
    and (coalesce(detail #>> '{reschedule,note}', detail ->> 'note') is not null)) and (note is not null);

prepare empty_webhook_attempts as
update webhook_attempts set response = null
where delivery_id = any (array (select id from webhook_deliveries where event_id = any ($1::uuid[]))) and (response is not null);

prepare find_content_of_cod_answers as
select id from cod_answers where id = any ($1::uuid[]);

prepare find_content_of_events as
select id from events where id = any ($1::uuid[]);

prepare find_content_of_message_attempts as
select id from messages where id = any ($1::uuid[]);

prepare find_content_of_messages as
select id from messages where id = any ($1::uuid[]);

prepare find_content_of_provider_reports as
select id from provider_reports where id = any ($1::uuid[]);

prepare find_events_to_remove_content as
select e.id from events e
where e.id = any ($1::uuid[]) and not exists (
  select from webhook_deliveries d
  where d.workspace_id = e.workspace_id and d.event_id = e.id and (d.status = 'pending'));

prepare lock_confirmations_to_remove_notes as
select a.id, a.confirmation_id as "confirmationId" from cod_answers a
cross join lateral (
  select from confirmations c where c.workspace_id = a.workspace_id and c.id = a.confirmation_id
  limit 1 for no key update skip locked) c
where a.id = any ($1::uuid[]);

prepare lock_content_of_cod_answers as
select id from cod_answers where id = any ($1::uuid[]) order by id for update skip locked;

prepare lock_content_of_events as
select id from events where id = any ($1::uuid[]) order by id for update skip locked;

prepare lock_content_of_message_attempts as
select id from messages where id = any ($1::uuid[]) order by id for update skip locked;

prepare lock_content_of_messages as
select id from messages where id = any ($1::uuid[]) order by id for update skip locked;

prepare lock_content_of_provider_reports as
select id from provider_reports where id = any ($1::uuid[]) order by id for update skip locked;

prepare lock_messages_to_remove_content as
select m.id, m.confirmation_id as "confirmationId", m.check_kind as "checkKind", m.purpose = 'template' as "isFirst"
from messages m
cross join lateral (
  select from confirmations c
  where c.workspace_id = m.workspace_id and c.id = m.confirmation_id and not (c.timer_due_at is not null and c.timer_quarantined_at is null)
  limit 1 for no key update skip locked) c
where m.id = any ($1::uuid[]) and not (m.due_at is not null or m.lease is not null)
  and not exists (
    select from refusal_checks f
    where f.workspace_id = m.workspace_id and f.confirmation_id = m.confirmation_id and (f.timer_due_at is not null and f.timer_quarantined_at is null));

prepare next_content_of_cod_answers as
select id, null as at from cod_answers where id > $1 order by id limit 1;

prepare next_content_of_events as
select id, null as at from events where id > $1 order by id limit 1;

prepare next_content_of_message_attempts as
select id, null as at from messages where id > $1 order by id limit 1;

prepare next_content_of_messages as
select id, null as at from messages where id > $1 order by id limit 1;

prepare next_content_of_provider_reports as
select id, received_at::text as at from provider_reports where received_at > '-infinity' and received_at >= $1::timestamptz and (received_at, id) > ($1::timestamptz, $2) order by received_at, id limit 1;

prepare page_content_of_cod_answers as
select id, null as at, (coalesce(detail #>> '{reschedule,note}', detail ->> 'note') is not null) as holds from cod_answers where id > $1 and id < $2 order by id limit 500;

prepare page_content_of_events as
select id, null as at, (body <> '') as holds from events where id > $1 and id < $2 order by id limit 500;

prepare page_content_of_message_attempts as
select id, null as at, coalesce((
select true from message_attempts where message_id = messages.id and ((detail ->> 'code' = 'providers.titled' or detail ->> 'code' in ('words.quoted', 'text'))) limit 1), false) as holds from messages where id > $1 and id < $2 order by id limit 500;

prepare page_content_of_messages as
select id, null as at, kind = 'cod' and (content ->> 'type' <> 'removed') as holds from messages where id > $1 and id < $2 order by id limit 500;

prepare page_content_of_provider_reports as
select id, received_at::text as at, body <> '' as holds from provider_reports where received_at > '-infinity' and received_at >= $1::timestamptz and (received_at, id) > ($1::timestamptz, $2) and received_at < $3 order by received_at, id limit 2000;

prepare remove_parameters_of_confirmations as
update confirmations t set parameters = $1::jsonb -> t.id::text -> 'parameters'
where t.id = any (array (select jsonb_object_keys($1::jsonb)::uuid));

prepare remove_parameters_of_refusal_checks as
update refusal_checks t set parameters = $1::jsonb -> t.confirmation_id::text -> 'parameters'
where t.confirmation_id = any (array (select jsonb_object_keys($1::jsonb)::uuid));

prepare select_parameters_of_confirmations as
select id as id, case when idempotency_key is not null then parameters end as parameters
from confirmations where id = any ($1::uuid[]);

prepare select_parameters_of_refusal_checks as
select confirmation_id as id, case when idempotency_key is not null then parameters end as parameters
from refusal_checks where confirmation_id = any ($1::uuid[]);

-- src/operations/lifecycle/retention/due.ts

prepare count_workspaces_due_for_deletion as
select count(*)::int as workspaces from workspaces
where deletion_due_at <= $1 and purged_at is null and deleted_at is null;

prepare list_long_postponed_retention as
select id from retention_postponed where step = $1 and id < $2 order by id limit 1000;

prepare list_retention_positions as
select step, position as id, kept_since::text as at from retention where position is not null;

-- src/operations/lifecycle/retention/guard.ts

prepare find_newest_records as
select
array_remove(array [
  (select max(seen_at) from nodes where started_at < clock_timestamp() - $1 * interval '1 millisecond'),
  (select max(synced_at) from provider_accounts),
  (select received_at from provider_reports where received_at > '-infinity' order by received_at desc limit 1)], null) as times,
array_remove(array [(select id from messages order by id desc limit 1), (select id from events order by id desc limit 1), (select id from audit_log order by id desc limit 1), (select id from workspaces order by id desc limit 1)], null)::text[] as ids;

prepare find_removal_guard as
select clock_timestamp() as "databaseNow", g.trusted_at as "trustedAt", g.set_back_to as "setBackTo",
  g.content_days as "contentDays", g.records_days as "recordsDays", g.audit_days as "auditDays"
from (select) one left join removal_guard g on g.only_row;

prepare lock_removal_guard as
select from removal_guard where only_row for update;

prepare open_removal_guard as
insert into removal_guard (trusted_at, set_back_to, content_days, records_days, audit_days)
values ($1, $2, $3, $4, $5) on conflict do nothing;

prepare write_removal_guard as
update removal_guard set trusted_at = $1, set_back_to = $2, content_days = $3, records_days = $4, audit_days = $5
where only_row;

-- src/operations/lifecycle/retention/kept-since.ts

prepare find_kept_since as
select class, max(kept_since) as at from retention group by class;

prepare find_removal_of_events as
select from retention where step = 'content of events' and position >= $1::uuid;

-- src/operations/lifecycle/retention/loop.ts

prepare advance_retention_step as
update retention set position = $2, kept_since = $3 where step = $1;

prepare end_postponed_retention as
delete from retention_postponed where step = $1 and id = any ($2::uuid[]);

prepare lock_retention_step as
select position as id, kept_since::text as at from retention where step = $1 for update skip locked;

prepare open_retention_steps as
insert into retention (step, class) select * from unnest($1::text[], $2::text[]) on conflict do nothing;

prepare postpone_retention as
insert into retention_postponed (step, id, due_at) select $1, id, $3 from unnest($2::uuid[]) as id
on conflict (step, id) do update set due_at = excluded.due_at;

prepare select_postponed_retention as
select id from retention_postponed where step = $1 and due_at <= $2 order by id limit 500;

-- src/operations/lifecycle/retention/records.ts

prepare count_audit_of_audit_log as
select count(*) filter (where holds)::int as rows, count(*)::int as seen
from (select true as holds from audit_log where id > $1 and id < $2 order by id limit $3) next;

prepare count_records_of_confirmations as
select count(*) filter (where holds)::int as rows, count(*)::int as seen
from (select true as holds from confirmations where id > $1 and id < $2 order by id limit $3) next;

prepare count_records_of_events as
select count(*) filter (where holds)::int as rows, count(*)::int as seen
from (select message_id is null and confirmation_id is null as holds from events where id > $1 and id < $2 order by id limit $3) next;

prepare count_records_of_messages as
select count(*) filter (where holds)::int as rows, count(*)::int as seen
from (select confirmation_id is null as holds from messages where id > $1 and id < $2 order by id limit $3) next;

prepare count_records_of_provider_reports as
select count(*) filter (where holds)::int as rows, count(*)::int as seen
from (select true as holds from provider_reports where received_at > '-infinity' and received_at >= $1::timestamptz and (received_at, id) > ($1::timestamptz, $2) and received_at < $3 order by received_at, id limit $4) next;

prepare count_records_of_template_changes as
select count(*) filter (where holds)::int as rows, count(*)::int as seen
from (select true as holds from template_changes where id > $1 and id < $2 order by id limit $3) next;

prepare find_audit_of_audit_log as
select id from audit_log where id = any ($1::uuid[]);

prepare find_confirmations_to_remove as
with locked_messages as materialized (
  select id from messages m
  where confirmation_id = any ($1::uuid[]) and not (m.due_at is not null or m.lease is not null) and id < $2
  for update skip locked
), events_of as materialized (
  select id, confirmation_id as of_id from events where confirmation_id = any ($1::uuid[])
), locked_events as materialized (
  select id from events where id = any (array (select id from events_of)) for update skip locked
), locked_deliveries as materialized (
  select id from webhook_deliveries d
  where event_id = any (array (select id from locked_events)) and not (d.status = 'pending')
  for update skip locked
), busy_deliveries as materialized (
  select event_id from webhook_deliveries
  where event_id = any (array (select id from events_of)) and id not in (select id from locked_deliveries)
), in_use as materialized (
  select of_id as id from events_of
  where id not in (select id from locked_events) or id in (select event_id from busy_deliveries)
)
select c.id from confirmations c
where c.id = any ($1::uuid[]) and not (c.timer_due_at is not null and c.timer_quarantined_at is null)
  and not exists (
    select from refusal_checks f
    where f.workspace_id = c.workspace_id and f.confirmation_id = c.id and (f.timer_due_at is not null and f.timer_quarantined_at is null))
  and not exists (
    select from messages m
    where m.workspace_id = c.workspace_id and m.confirmation_id = c.id
      and m.id not in (select id from locked_messages))
  and c.id not in (select id from in_use);

prepare find_events_to_remove as
with events_of as materialized (
  select id, id as of_id from events where id = any ($1::uuid[])
), locked_events as materialized (
  select id from events where id = any (array (select id from events_of)) for update skip locked
), locked_deliveries as materialized (
  select id from webhook_deliveries d
  where event_id = any (array (select id from locked_events)) and not (d.status = 'pending')
  for update skip locked
), busy_deliveries as materialized (
  select event_id from webhook_deliveries
  where event_id = any (array (select id from events_of)) and id not in (select id from locked_deliveries)
), in_use as materialized (
  select of_id as id from events_of
  where id not in (select id from locked_events) or id in (select event_id from busy_deliveries)
)
  select id from events t
  where id = any ($1::uuid[]) and id < $2 and not false
    and not false and id not in (select id from in_use);

prepare find_messages_to_remove as
with events_of as materialized (
  select id, message_id as of_id from events where message_id = any ($1::uuid[])
), locked_events as materialized (
  select id from events where id = any (array (select id from events_of)) for update skip locked
), locked_deliveries as materialized (
  select id from webhook_deliveries d
  where event_id = any (array (select id from locked_events)) and not (d.status = 'pending')
  for update skip locked
), busy_deliveries as materialized (
  select event_id from webhook_deliveries
  where event_id = any (array (select id from events_of)) and id not in (select id from locked_deliveries)
), in_use as materialized (
  select of_id as id from events_of
  where id not in (select id from locked_events) or id in (select event_id from busy_deliveries)
)
  select id from messages t
  where id = any ($1::uuid[]) and id < $2 and not (t.due_at is not null or t.lease is not null)
    and not exists (
    select from otp_verifications v where v.workspace_id = t.workspace_id and v.id = t.id and (v.due_at is not null)) and id not in (select id from in_use);

prepare find_records_of_confirmations as
select id from confirmations where id = any ($1::uuid[]);

prepare find_records_of_events as
select id from events where id = any ($1::uuid[]);

prepare find_records_of_messages as
select id from messages where id = any ($1::uuid[]);

prepare find_records_of_provider_reports as
select id from provider_reports where id = any ($1::uuid[]);

prepare find_records_of_template_changes as
select id from template_changes where id = any ($1::uuid[]);

prepare lock_audit_of_audit_log as
select id from audit_log where id = any ($1::uuid[]) order by id for update skip locked;

prepare lock_records_of_confirmations as
select id from confirmations where id = any ($1::uuid[]) order by id for update skip locked;

prepare lock_records_of_events as
select id from events where id = any ($1::uuid[]) order by id for update skip locked;

prepare lock_records_of_messages as
select id from messages where id = any ($1::uuid[]) order by id for update skip locked;

prepare lock_records_of_provider_reports as
select id from provider_reports where id = any ($1::uuid[]) order by id for update skip locked;

prepare lock_records_of_template_changes as
select id from template_changes where id = any ($1::uuid[]) order by id for update skip locked;

prepare next_audit_of_audit_log as
select id, null as at from audit_log where id > $1 order by id limit 1;

prepare next_records_of_confirmations as
select id, null as at from confirmations where id > $1 order by id limit 1;

prepare next_records_of_events as
select id, null as at from events where id > $1 order by id limit 1;

prepare next_records_of_messages as
select id, null as at from messages where id > $1 order by id limit 1;

prepare next_records_of_provider_reports as
select id, received_at::text as at from provider_reports where received_at > '-infinity' and received_at >= $1::timestamptz and (received_at, id) > ($1::timestamptz, $2) order by received_at, id limit 1;

prepare next_records_of_template_changes as
select id, null as at from template_changes where id > $1 order by id limit 1;

prepare page_audit_of_audit_log as
select id, null as at, true as holds from audit_log where id > $1 and id < $2 order by id limit 500;

prepare page_records_of_confirmations as
select id, null as at, true as holds from confirmations where id > $1 and id < $2 order by id limit 500;

prepare page_records_of_events as
select id, null as at, message_id is null and confirmation_id is null as holds from events where id > $1 and id < $2 order by id limit 500;

prepare page_records_of_messages as
select id, null as at, confirmation_id is null as holds from messages where id > $1 and id < $2 order by id limit 500;

prepare page_records_of_provider_reports as
select id, received_at::text as at, true as holds from provider_reports where received_at > '-infinity' and received_at >= $1::timestamptz and (received_at, id) > ($1::timestamptz, $2) and received_at < $3 order by received_at, id limit 2000;

prepare page_records_of_template_changes as
select id, null as at, true as holds from template_changes where id > $1 and id < $2 order by id limit 500;

prepare remove_audit_log as
delete from audit_log where id = any ($1::uuid[]) returning id;

prepare remove_confirmations as
with of_events as materialized (select id from events where confirmation_id = any ($1::uuid[])),
of_webhook_deliveries as materialized (select id from webhook_deliveries where event_id = any (array (select id from of_events))),
of_webhook_attempts as (delete from webhook_attempts where delivery_id = any (array (select id from of_webhook_deliveries))),
gone_webhook_deliveries as (delete from webhook_deliveries where id = any (array (select id from of_webhook_deliveries))),
gone_events as (delete from events where id = any (array (select id from of_events))),
of_messages as materialized (select id from messages where confirmation_id = any ($1::uuid[])),
of_message_attempts as (delete from message_attempts where message_id = any (array (select id from of_messages))),
of_otp_verifications as (delete from otp_verifications where id = any (array (select id from of_messages))),
gone_messages as (delete from messages where id = any (array (select id from of_messages))),
of_cod_answers as (delete from cod_answers where confirmation_id = any ($1::uuid[])),
of_refusal_checks as (delete from refusal_checks where confirmation_id = any ($1::uuid[]))
delete from confirmations where id = any ($1::uuid[]) returning id;

prepare remove_events as
with of_webhook_deliveries as materialized (select id from webhook_deliveries where event_id = any ($1::uuid[])),
of_webhook_attempts as (delete from webhook_attempts where delivery_id = any (array (select id from of_webhook_deliveries))),
gone_webhook_deliveries as (delete from webhook_deliveries where id = any (array (select id from of_webhook_deliveries)))
delete from events where id = any ($1::uuid[]) returning id;

prepare remove_messages as
with of_events as materialized (select id from events where message_id = any ($1::uuid[])),
of_webhook_deliveries as materialized (select id from webhook_deliveries where event_id = any (array (select id from of_events))),
of_webhook_attempts as (delete from webhook_attempts where delivery_id = any (array (select id from of_webhook_deliveries))),
gone_webhook_deliveries as (delete from webhook_deliveries where id = any (array (select id from of_webhook_deliveries))),
gone_events as (delete from events where id = any (array (select id from of_events))),
of_message_attempts as (delete from message_attempts where message_id = any ($1::uuid[])),
of_otp_verifications as (delete from otp_verifications where id = any ($1::uuid[]))
delete from messages where id = any ($1::uuid[]) returning id;

prepare remove_provider_reports as
delete from provider_reports where id = any ($1::uuid[]) and not (provider_reports.due_at is not null) returning id;

prepare remove_template_changes as
delete from template_changes where id = any ($1::uuid[]) returning id;

-- src/operations/lifecycle/rows.ts

prepare erase_cod_answers as
update cod_answers set detail = case when jsonb_typeof(detail) = 'object' then
    jsonb_set(jsonb_set(detail, '{note}', 'null', false), '{reschedule,note}', 'null', false) else detail end
where workspace_id = $1 and confirmation_id = any ($2::uuid[]) and (coalesce(detail #>> '{reschedule,note}', detail ->> 'note') is not null) and $3::text is not null and $4::text is not null;

prepare erase_confirmations as
update confirmations set recipient = $3,
  customer_user_id = null,
  parameters = '{"removed":true}',
  reschedule = case when jsonb_typeof(reschedule) = 'object' then
    jsonb_set(jsonb_set(reschedule, '{note}', 'null', false), '{reschedule,note}', 'null', false) else reschedule end,
  choices = case when jsonb_typeof(choices) = 'object' then
    jsonb_set(jsonb_set(choices, '{note}', 'null', false), '{reschedule,note}', 'null', false) else choices end,
  reference = case when reference ~ $4 then $3 else reference end,
  idempotency_key = case when idempotency_key ~ $4 or idempotency_key ~ '^hook_[A-Za-z0-9_-]{43}_[0-9]+$' then null else idempotency_key end
where workspace_id = $1 and id = any ($2::uuid[]);

prepare erase_events as
update events set body = ''
where workspace_id = $1 and id = any ($2::uuid[]) and (body <> '') and $3::text is not null and $4::text is not null;

prepare erase_message_attempts as
update message_attempts set detail = case when detail #>> '{title,code}' not in ('words.quoted', 'text') then detail -> 'title' end
where workspace_id = $1 and message_id = any ($2::uuid[]) and ((detail ->> 'code' = 'providers.titled' or detail ->> 'code' in ('words.quoted', 'text'))) and $3::text is not null and $4::text is not null;

prepare erase_messages as
update messages set recipient = $3,
  content = case when content is not null then '{"type":"removed"}'::jsonb end,
  provider_message_id = case when provider_message_id is not null then 'erased:' || gen_random_uuid() end,
  reference = case when reference ~ $4 then $3 else reference end,
  idempotency_key = case when idempotency_key ~ $4 or idempotency_key ~ '^hook_[A-Za-z0-9_-]{43}_[0-9]+$' then null else idempotency_key end
where workspace_id = $1 and id = any ($2::uuid[]);

prepare erase_otp_verifications as
update otp_verifications set recipient = $3,
  idempotency_key = case when idempotency_key ~ $4 or idempotency_key ~ '^hook_[A-Za-z0-9_-]{43}_[0-9]+$' then null else idempotency_key end
where workspace_id = $1 and id = any ($2::uuid[]);

prepare erase_refusal_checks as
update refusal_checks set parameters = '{"removed":true}',
  note = null,
  idempotency_key = case when idempotency_key ~ $4 or idempotency_key ~ '^hook_[A-Za-z0-9_-]{43}_[0-9]+$' then null else idempotency_key end
where workspace_id = $1 and confirmation_id = any ($2::uuid[]) and $3::text is not null;

prepare erase_webhook_attempts as
update webhook_attempts set response = null
where workspace_id = $1 and delivery_id = any (array (select id from webhook_deliveries where event_id = any ($2::uuid[]))) and (response is not null) and $3::text is not null and $4::text is not null;

-- src/operations/secrets/instance.ts

prepare find_instance as
select key_check as "keyCheck", sign_in_secret as "signInSecret", old_keys as "oldKeys" from instance;

prepare insert_instance as
insert into instance (key_check, sign_in_secret) values ($1, $2) on conflict do nothing;

prepare lock_instance as
select key_check as "keyCheck", sign_in_secret as "signInSecret", old_keys as "oldKeys" from instance for update;

prepare share_instance as
select key_check as "keyCheck", sign_in_secret as "signInSecret", old_keys as "oldKeys" from instance for share;

prepare update_instance as
update instance set key_check = $1, sign_in_secret = $2, old_keys = $3;

-- src/operations/secrets/open.ts

prepare list_key_rotations as
select before ->> 'key' as before, target as after from audit_log
where workspace_id is null and action = 'secrets.rotated' order by id desc limit 1000;

-- src/operations/secrets/reseal.ts

prepare list_sealed_auth_hooks as
select id, workspace_id as "workspaceId", secret, previous_secret from auth_hooks where id > $1 order by id limit $2;

prepare list_sealed_messages as
with waiting as materialized (select id, workspace_id as "workspaceId", code from messages where due_at is not null and code is not null) select * from waiting where id > $1 order by id limit $2;

prepare list_sealed_otp_verifications as
with waiting as materialized (select id, workspace_id as "workspaceId", code_key from otp_verifications where due_at is not null) select * from waiting where id > $1 order by id limit $2;

prepare list_sealed_provider_accounts as
select id, workspace_id as "workspaceId", access_token, verify_token, app_secret, previous_app_secret from provider_accounts where id > $1 order by id limit $2;

prepare list_sealed_unfinished_erasures as
select id, workspace_id as "workspaceId", person from unfinished_erasures where id > $1 order by id limit $2;

prepare list_sealed_webhook_endpoints as
select id, workspace_id as "workspaceId", secret, previous_secret from webhook_endpoints where id > $1 order by id limit $2;

prepare reseal_auth_hooks_previous_secret as
update auth_hooks set previous_secret = $4 where workspace_id = $1 and id = $2 and previous_secret = $3 returning id;

prepare reseal_auth_hooks_secret as
update auth_hooks set secret = $4 where workspace_id = $1 and id = $2 and secret = $3 returning id;

prepare reseal_messages_code as
update messages set code = $4 where workspace_id = $1 and id = $2 and code = $3 returning id;

prepare reseal_otp_verifications_code_key as
update otp_verifications set code_key = $4 where workspace_id = $1 and id = $2 and code_key = $3 returning id;

prepare reseal_provider_accounts_access_token as
update provider_accounts set access_token = $4 where workspace_id = $1 and id = $2 and access_token = $3 returning id;

prepare reseal_provider_accounts_app_secret as
update provider_accounts set app_secret = $4 where workspace_id = $1 and id = $2 and app_secret = $3 returning id;

prepare reseal_provider_accounts_previous_app_secret as
update provider_accounts set previous_app_secret = $4 where workspace_id = $1 and id = $2 and previous_app_secret = $3 returning id;

prepare reseal_provider_accounts_verify_token as
update provider_accounts set verify_token = $4 where workspace_id = $1 and id = $2 and verify_token = $3 returning id;

prepare reseal_unfinished_erasures_person as
update unfinished_erasures set person = $4, person_hash = $5 where workspace_id = $1 and id = $2 and person = $3 returning id;

prepare reseal_webhook_endpoints_previous_secret as
update webhook_endpoints set previous_secret = $4 where workspace_id = $1 and id = $2 and previous_secret = $3 returning id;

prepare reseal_webhook_endpoints_secret as
update webhook_endpoints set secret = $4 where workspace_id = $1 and id = $2 and secret = $3 returning id;

-- src/operations/secrets/rotate.ts

prepare list_transactions_that_write_messages as
select distinct l.virtualtransaction as id, coalesce(l.pid::text, p.gid, l.virtualtransaction) as name
from pg_locks l left join lateral (
  select transactionid from pg_locks
  where l.pid is null and pid is null and virtualtransaction = l.virtualtransaction and locktype = 'transactionid' limit 1) x on true
left join pg_prepared_xacts p on p.transaction = x.transactionid
where l.locktype = 'relation' and l.granted and l.relation = 'messages'::regclass
  and l.database = (select oid from pg_database where datname = current_database())
  and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock');

-- src/operations/verify/conversation-facts.ts

prepare read_confirmations_to_verify as
select c.id, array_remove(array[(select c.api_key_id where c.api_key_id <> 'dashboard' and not exists (
    select from api_keys k where k.public_id = c.api_key_id and k.workspace_id = c.workspace_id)
  and not exists (
    select from auth_hooks h where h.id = case when c.api_key_id like 'hook:%' then substr(c.api_key_id, 6)::uuid end and h.workspace_id = c.workspace_id)), (select (select f.api_key_id where f.api_key_id <> 'dashboard' and not exists (
    select from api_keys k where k.public_id = f.api_key_id and k.workspace_id = f.workspace_id)
  and not exists (
    select from auth_hooks h where h.id = case when f.api_key_id like 'hook:%' then substr(f.api_key_id, 6)::uuid end and h.workspace_id = f.workspace_id)) from refusal_checks f
    where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1)], null) as "unknownKeys"
from (select * from confirmations where workspace_id = $1 and id > $2 order by id limit $3) c order by c.id;

prepare read_messages_of_conversations_to_verify as
select unit.id as unit_id, m.id, m.sender_id, m.recipient, m.check_kind as check, m.purpose, m.offered, m.round,
  m.own_failure, array(select r.body from provider_reports r
    where r.workspace_id = $1 and r.message_id = m.id and m.failed_event_at is not null limit $3) as reports,
  coalesce(m.provider_message_id, m.accepted_at::text) is not null as submitted
from unnest($2::uuid[]) as unit (id)
cross join lateral (
  select * from messages m where m.workspace_id = $1 and m.confirmation_id = unit.id limit $3) m
order by m.id;

-- src/operations/verify/counts.ts

prepare list_days_to_verify as
select day, time_zone, groups, counted_at from daily_figures
where workspace_id = $1 and day >= coalesce($2::date, '-infinity'::date) order by day desc limit 100;

prepare read_units_to_verify as
select kind, month, sum(stored)::integer as stored, sum(derived)::integer as derived from (
  select kind, month, used, 0 from quota_usage where workspace_id = $1
  union all
  select 'otp', date_trunc('month', created_at at time zone 'UTC')::date, 0, 1 from messages where workspace_id = $1 and id >= $2 and kind = 'otp'
  union all
  select 'cod_confirmation', date_trunc('month', created_at at time zone 'UTC')::date, 0, 1 from confirmations where workspace_id = $1 and id >= $2
  union all
  select 'cod_refusal', date_trunc('month', created_at at time zone 'UTC')::date, 0, 1 from refusal_checks
  where workspace_id = $1 and created_at > '-infinity' and created_at >= coalesce($3, '-infinity'::timestamptz)
  union all
  select split_part(key, ' ', 1), split_part(key, ' ', 2)::date, 0, value::integer from jsonb_each_text($4)
) unit (kind, month, stored, derived)
where month::timestamp at time zone 'UTC' >= coalesce($3, '-infinity'::timestamptz) group by kind, month;

-- src/operations/verify/events.ts

prepare read_endpoints_to_verify as
select id, created_at, deleted_at, event_types, event_types_changed_at from webhook_endpoints
where workspace_id = $1 limit 1000;

prepare read_events_to_verify as
select e.id, e.type, e.recorded_at, e.endpoint_id,
  (e.endpoint_id is not null) = (e.type = 'ping') and (coalesce(e.message_id, e.confirmation_id) is null) = (e.type = 'ping') as has_owner,
  e.recorded_order::text as recorded_order,
  -- clients read an event only when its number is lower than those of all transactions that may still run
  e.recorded_order < i.added_to_order + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    and (e.is_own_order or e.body = '' or e.recorded_order < i.added_to_order or (
      select bool_or(before.is_own) from (
        select (recorded_order - i.added_to_order) & 4294967295 = xmin::text::bigint as is_own from events p
        where p.workspace_id = e.workspace_id and p.id < e.id order by p.id desc limit 5) before)
      is not true) as is_in_order,
  (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'endpoint_id', d.endpoint_id, 'status', d.status,
     'attempts', d.attempts, 'last', tried.last, 'is_possible', (d.status in ('succeeded', 'failed')) = (d.ended_at is not null)
       and (d.status <> 'succeeded' or tried.has_succeeded) and (d.status <> 'failed' or tried.has_failed_last)) order by d.id), '[]')
   from (select * from webhook_deliveries d where d.event_id = e.id and d.workspace_id = e.workspace_id limit 201) d
   cross join lateral (
     select coalesce(max(attempt), 0) as last, coalesce(bool_or(is_success), false) as has_succeeded,
       coalesce(not (array_agg(is_success order by attempt desc))[1], false) as has_failed_last
     from (select attempt, coalesce(http_status between 200 and 299, false) as is_success
       from webhook_attempts where delivery_id = d.id) t) tried) as deliveries
from instance i cross join lateral (
  select *, (recorded_order - i.added_to_order) & 4294967295 = xmin::text::bigint as is_own_order from events where workspace_id = $1 and id > $2 order by id limit $3) e
order by e.id;

-- src/operations/verify/messages.ts

prepare read_messages_to_verify as
select m.id, m.workspace_id, m.status, m.reference, m.recipient, m.created_at, m.sent_at, m.failure_code,
  m.failed_at, m.sent_event_at, m.failed_event_at, m.undelivered_event_at, m.undelivered_input, m.own_failure, m.deliver_within_seconds, m.deliver_by, m.provider_message_id, m.inputs, m.kind, m.confirmation_id, m.check_kind,
  m.purpose, (select w.clock_offset_ms from workspaces w where w.id = m.workspace_id) as clock_offset_ms, m.code is not null as has_code, m.accepted_at, m.submit_by, m.due_at, m.lease, m.attempts,
  m.attempted_at, m.unknown_outcomes, m.quarantined_at, (select m.api_key_id where m.api_key_id <> 'dashboard' and not exists (
    select from api_keys k where k.public_id = m.api_key_id and k.workspace_id = m.workspace_id)
  and not exists (
    select from auth_hooks h where h.id = case when m.api_key_id like 'hook:%' then substr(m.api_key_id, 6)::uuid end and h.workspace_id = m.workspace_id)) as unknown_key,
  (select v.ended_at from otp_verifications v
   where v.workspace_id = m.workspace_id and v.id = coalesce(m.verification_id, m.id) limit 1) is not null as code_is_over
from (select * from messages where workspace_id = $1 and id > $2 order by id limit $3) m order by m.id;

-- src/otp/accept.ts

prepare insert_and_claim_otp_messages_within_quota as
with counters as materialized (
  select r.workspace_id, r.month, r.created_at, r.requests, q.used
  from (
    select r.* from (select set_config('lock_timeout', $4, true)) lock_wait
    cross join jsonb_to_recordset($1) as r (workspace_id uuid, month date, created_at timestamptz, requests jsonb)
    -- in one order, so that groups of several nodes cannot deadlock
    order by r.workspace_id) r
  cross join lateral (
    select used from quota_usage
    where workspace_id = r.workspace_id and kind = 'otp' and month between r.month and r.month
    order by month desc limit 1 for update) q
), numbered as (
  select q.workspace_id, q.created_at, l.monthly_units, c.*,
         q.used + row_number() over (partition by q.workspace_id order by c.id) as unit
  from counters q
  cross join lateral (
    select monthly_units from quotas where workspace_id = q.workspace_id and kind = 'otp' limit 1) l
  cross join lateral jsonb_to_recordset(q.requests) as c (
    id uuid, sender_id uuid, recipient text, name text, language text, reference text, key text, code bytea, deliver_within_seconds smallint, correlation_id uuid, api_key_id text)
), accepted as (
  -- one condition: PostgreSQL would check that of the key first, and then not wait for the quota, which a first try may have locked
  select * from numbered where case when unit <= monthly_units then $5 = (select key_check from instance where only_row) end
), claimable as materialized (
  select id, workspace_id, sender_id, recipient from accepted where id = any ($9::uuid[])
), free_senders as materialized (
  select p.sender_id, p.slots, p.slot_sends, greatest(0, case s.throughput when 'HIGH' then 750 else 60 end
  - (select coalesce(sum(sends), 0) from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) + 500) recent))::int as capacity
  from (select distinct sender_id from claimable order by sender_id) d
  -- a pace without room is not locked: the loop would skip it
  cross join lateral (select * from senders s where s.id = d.sender_id and s.paused_at is null limit 1) s
-- the newest version alone: after one that is not sendable, the scan below would read all that a long transaction keeps
cross join lateral (
  select true from (
    select * from sender_pace p where p.sender_id between d.sender_id and d.sender_id order by p.sender_id desc limit 1) p
  where (p.breaker_open_until is null or p.breaker_open_until <= $2) and p.breaker_step = 0 and greatest(0, case s.throughput when 'HIGH' then 750 else 60 end
  - (select coalesce(sum(sends), 0) from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) + 500) recent))::int > 0) sendable
cross join lateral (
  select * from sender_pace p where p.sender_id between d.sender_id and d.sender_id and (p.breaker_open_until is null or p.breaker_open_until <= $2) and p.breaker_step = 0 and greatest(0, case s.throughput when 'HIGH' then 750 else 60 end
  - (select coalesce(sum(sends), 0) from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) + 500) recent))::int > 0
  order by p.sender_id desc limit 1 for no key update skip locked) p
cross join lateral (
  select * from provider_accounts a
  where a.workspace_id = s.workspace_id and a.id = s.account_id and a.status = 'connected' limit 1) a
), next_messages as materialized (
  select next.id, next.sender_id, next.recipient
  from (select *, row_number() over (partition by sender_id order by id) as place from claimable) next
  join free_senders using (sender_id)
  left join lateral (
    select true as is_known from pair_pace where sender_id = next.sender_id and recipient = next.recipient limit 1) known on true
  left join lateral (
    select true as is_free from pair_pace
    where sender_id = next.sender_id and recipient = next.recipient and free_at <= $2
    limit 1 for no key update skip locked) free on true
  where place <= capacity and (is_known is null or is_free)
    and (
      select bool_or(due_at <= $2) from (
        select due_at from messages
        where workspace_id = next.workspace_id and recipient = next.recipient and confirmation_id is null
        order by id desc limit 5) earlier) is not true
), pairs as (
  insert into pair_pace as p (sender_id, recipient, free_at)
  select sender_id, recipient, $2::timestamptz + interval '6000 ms' from next_messages
  order by sender_id, recipient
  on conflict (sender_id, recipient) do update set free_at = excluded.free_at where p.free_at <= $2
  returning sender_id, recipient
), claimed as materialized (
  -- "is true": as a join, each row would be compared with all others
  select id, sender_id from next_messages where ((sender_id, recipient) in (select sender_id, recipient from pairs)) is true
), allowed as materialized (
  select *, (id in (select id from claimed)) is true as is_claimed from accepted
  -- always true: it counts the sends of each sender
  where (
    select count(write_pace(p.sender_id, after.slots, after.slot_sends))
    from (select sender_id, count(*)::int as sends from claimed group by sender_id) c
    join free_senders p using (sender_id)
    cross join lateral (select array_agg(slot order by slot), array_agg(sends order by slot)
from (
  select slot, sum(sends)::int as sends
  from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) + 500 union all select (select floor(extract(epoch from $2::timestamptz) * 50)::bigint), c.sends) counted group by slot) slots) after (slots, slot_sends)) >= 0
), inserted as (
  insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference,
    idempotency_key, code, correlation_id, api_key_id, quota_unit, created_at, status, due_at, lease, attempts, attempted_at, priority, submit_by,
    deliver_within_seconds, deliver_by)
  select id, workspace_id, 'otp', sender_id, recipient, name, language, reference,
    key, code, correlation_id, api_key_id, unit, created_at, case when is_claimed then 'sending' else 'queued' end, case when is_claimed then $8::timestamptz else $2::timestamptz end,
  case when is_claimed then $6::uuid end, is_claimed::int, case when is_claimed then $2::timestamptz end, 0, $3,
    deliver_within_seconds, $2::timestamptz + deliver_within_seconds * interval '1 second'
  from allowed
  on conflict (workspace_id, kind, idempotency_key) where idempotency_key is not null and verification_id is null do nothing
  returning id, workspace_id
), claims as (
  insert into leases (id, node_id, kind, item_ids, taken_at, begun_at)
  select $6::uuid, $7::uuid, 'messages', array_agg(id), $2, $2
  from inserted where (id in (select id from claimed)) is true having count(*) > 0
)
select id, (id in (select id from claimed)) is true as "isClaimed" from inserted
-- always true: it takes the units of each workspace
where (
  select count(take_units(workspace_id, 'otp', month, units))
  from (select workspace_id, count(*) as units from inserted group by workspace_id) taken
  join counters using (workspace_id)) >= 0;

prepare insert_otp_messages_within_quota as
with counters as materialized (
  select r.workspace_id, r.month, r.created_at, r.requests, q.used
  from (
    select r.* from (select set_config('lock_timeout', $4, true)) lock_wait
    cross join jsonb_to_recordset($1) as r (workspace_id uuid, month date, created_at timestamptz, requests jsonb)
    -- in one order, so that groups of several nodes cannot deadlock
    order by r.workspace_id) r
  cross join lateral (
    select used from quota_usage
    where workspace_id = r.workspace_id and kind = 'otp' and month between r.month and r.month
    order by month desc limit 1 for update) q
), numbered as (
  select q.workspace_id, q.created_at, l.monthly_units, c.*,
         q.used + row_number() over (partition by q.workspace_id order by c.id) as unit
  from counters q
  cross join lateral (
    select monthly_units from quotas where workspace_id = q.workspace_id and kind = 'otp' limit 1) l
  cross join lateral jsonb_to_recordset(q.requests) as c (
    id uuid, sender_id uuid, recipient text, name text, language text, reference text, key text, code bytea, deliver_within_seconds smallint, correlation_id uuid, api_key_id text)
), accepted as (
  -- one condition: PostgreSQL would check that of the key first, and then not wait for the quota, which a first try may have locked
  select * from numbered where case when unit <= monthly_units then $5 = (select key_check from instance where only_row) end
), allowed as (select * from accepted), inserted as (
  insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference,
    idempotency_key, code, correlation_id, api_key_id, quota_unit, created_at, status, due_at, priority, submit_by,
    deliver_within_seconds, deliver_by)
  select id, workspace_id, 'otp', sender_id, recipient, name, language, reference,
    key, code, correlation_id, api_key_id, unit, created_at, 'queued', $2, 0, $3,
    deliver_within_seconds, $2::timestamptz + deliver_within_seconds * interval '1 second'
  from allowed
  on conflict (workspace_id, kind, idempotency_key) where idempotency_key is not null and verification_id is null do nothing
  returning id, workspace_id
)
select id from inserted
-- always true: it takes the units of each workspace
where (
  select count(take_units(workspace_id, 'otp', month, units))
  from (select workspace_id, count(*) as units from inserted group by workspace_id) taken
  join counters using (workspace_id)) >= 0;

prepare look_up_otp_requests as
select r.n, w.clock_offset_ms as "clockOffsetMs", q.used as "unitsUsed", coalesce(l.monthly_units, 0) as "monthlyUnits", (select key_check from instance where only_row) as "keyCheck",
       a.status is not null as "hasSender", s.status as "senderStatus", s.paused_at is not null as "senderPaused",
       s.gone_at is not null as "senderGone", a.status as "accountStatus",
       t.status as "templateStatus", t.category as "templateCategory", t.components as "templateComponents",
       case when a.status is not null and t.status is null then (
         select jsonb_agg(jsonb_build_object('name', o.name, 'language', o.language, 'hasName', o.name = r.name, 'total', o.total)
           order by o.place)
         from (
           select name, language, count(*) over () as total,
             row_number() over (order by name <> r.name, name, language) as place
           from templates
           where workspace_id = r.workspace_id and account_id = s.account_id
             and category = 'AUTHENTICATION' and status = 'APPROVED'
           order by place limit 12) o) end as "otherTemplates", s.account_id as "accountId", s.phone_number_id as "phoneNumberId", a.waba_id as "wabaId",
  a.graph_url as "graphUrl", a.access_token as "sealedToken",
       array (
         select b.phone from blocked_recipients b
         where b.workspace_id = r.workspace_id and b.phone = any (r.recipients)) as blocked,
       (select jsonb_agg(m) from unnest(r.keys) as key cross join lateral (
         select id, idempotency_key as "idempotencyKey", recipient, sender_id as "senderId",
           template_name as "templateName", template_language as "templateLanguage", reference,
           deliver_within_seconds as "deliverWithinSeconds"
         from messages
         where workspace_id = r.workspace_id and kind = 'otp' and idempotency_key = key and verification_id is null
         limit 1) m) as earlier
from jsonb_to_recordset($1) as r (
  n int, workspace_id uuid, sender_id uuid, name text, language text, keys text[], recipients text[])
join workspaces w on w.id = r.workspace_id
left join lateral (
  select monthly_units from quotas where workspace_id = r.workspace_id and kind = 'otp' limit 1) l on true
left join lateral (
  select used from quota_usage where workspace_id = r.workspace_id and kind = 'otp'
    and month between date_trunc('month', ($2::timestamptz + w.clock_offset_ms * interval '1 ms') at time zone 'UTC')::date and date_trunc('month', ($2::timestamptz + w.clock_offset_ms * interval '1 ms') at time zone 'UTC')::date
  order by month desc limit 1) q on true
left join senders s on s.workspace_id = r.workspace_id and s.id = r.sender_id
left join lateral (
  select status, waba_id, graph_url, access_token from provider_accounts
  where workspace_id = r.workspace_id and id = s.account_id and status <> 'removed' limit 1) a on true
left join lateral (
  select status, category, components from templates
  where workspace_id = r.workspace_id and account_id = s.account_id and name = r.name and language = r.language
  limit 1) t on true;

-- src/otp/hooks/hooks.ts

prepare delete_auth_hook as
update auth_hooks set deleted_at = $3, secret = '', previous_secret = null, previous_secret_until = null
where workspace_id = $1 and id = $2;

prepare find_served_auth_hooks as
select h.id as "hookId", h.workspace_id as "workspaceId", h.kind, h.sender_id as "senderId", h.templates, h.pointers,
  h.secret, h.previous_secret as "previousSecret", h.previous_secret_until as "previousSecretUntil"
from jsonb_to_recordset($1) as r (id uuid)
cross join lateral (select * from auth_hooks where id = r.id and deleted_at is null limit 1) h
cross join lateral (
  select 1 from workspaces where id = h.workspace_id and deletion_requested_at is null limit 1) w;

prepare insert_auth_hook as
insert into auth_hooks (id, workspace_id, name, kind, sender_id, templates, pointers, secret, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9);

prepare list_auth_hook_secrets as
select id as "hookId", name, secret from auth_hooks where workspace_id = $1 and deleted_at is null;

prepare list_auth_hook_secrets_batch as
select batch.position as "workspacePosition", r.*
from unnest($1::uuid[]) with ordinality as batch (id, position)
cross join lateral (
select id as "hookId", name, secret from auth_hooks where workspace_id = batch.id and deleted_at is null offset 0) r;

prepare list_auth_hooks as
select id as "hookId", name, kind, sender_id as "senderId", templates, pointers,
previous_secret_until as "previousSecretUntil", created_at as "createdAt" from auth_hooks where workspace_id = $1 and deleted_at is null order by id;

prepare lock_auth_hook as
select id as "hookId", name, kind, sender_id as "senderId", templates, pointers,
previous_secret_until as "previousSecretUntil", created_at as "createdAt" from auth_hooks where workspace_id = $1 and id = $2 and deleted_at is null for no key update;

prepare rotate_auth_hook_secret as
update auth_hooks set previous_secret = secret, previous_secret_until = $4, secret = $3
where workspace_id = $1 and id = $2;

prepare select_workspace_of_auth_hook as
select workspace_id as "workspaceId" from auth_hooks where id = $1 and deleted_at is null;

prepare update_auth_hook as
update auth_hooks set name = $3, sender_id = $4, templates = $5, pointers = $6 where workspace_id = $1 and id = $2;

-- src/otp/verifications/accept.ts

prepare insert_and_claim_verifications_within_quota as
with counters as materialized (
  select r.workspace_id, r.month, r.created_at, r.requests, q.used
  from (
    select r.* from (select set_config('lock_timeout', $4, true)) lock_wait
    cross join jsonb_to_recordset($1) as r (workspace_id uuid, month date, created_at timestamptz, requests jsonb)
    -- in one order, so that groups of several nodes cannot deadlock
    order by r.workspace_id) r
  cross join lateral (
    select used from quota_usage
    where workspace_id = r.workspace_id and kind = 'otp' and month between r.month and r.month
    order by month desc limit 1 for update) q
), numbered as (
  select q.workspace_id, q.created_at, l.monthly_units, c.*,
         q.used + row_number() over (partition by q.workspace_id order by c.id) as unit
  from counters q
  cross join lateral (
    select monthly_units from quotas where workspace_id = q.workspace_id and kind = 'otp' limit 1) l
  cross join lateral jsonb_to_recordset(q.requests) as c (
    id uuid, sender_id uuid, recipient text, name text, language text, reference text, key text, code bytea, deliver_within_seconds smallint, correlation_id uuid, api_key_id text, prefix_number int, country text, code_key bytea, code_hash bytea, code_length smallint, ttl_seconds smallint, max_attempts smallint)
), accepted as (
  -- one condition: PostgreSQL would check that of the key first, and then not wait for the quota, which a first try may have locked
  select * from numbered where case when unit <= monthly_units then $5 = (select key_check from instance where only_row) end
), claimable as materialized (
  select id, workspace_id, sender_id, recipient from accepted where id = any ($9::uuid[])
), free_senders as materialized (
  select p.sender_id, p.slots, p.slot_sends, greatest(0, case s.throughput when 'HIGH' then 750 else 60 end
  - (select coalesce(sum(sends), 0) from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) + 500) recent))::int as capacity
  from (select distinct sender_id from claimable order by sender_id) d
  -- a pace without room is not locked: the loop would skip it
  cross join lateral (select * from senders s where s.id = d.sender_id and s.paused_at is null limit 1) s
-- the newest version alone: after one that is not sendable, the scan below would read all that a long transaction keeps
cross join lateral (
  select true from (
    select * from sender_pace p where p.sender_id between d.sender_id and d.sender_id order by p.sender_id desc limit 1) p
  where (p.breaker_open_until is null or p.breaker_open_until <= $2) and p.breaker_step = 0 and greatest(0, case s.throughput when 'HIGH' then 750 else 60 end
  - (select coalesce(sum(sends), 0) from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) + 500) recent))::int > 0) sendable
cross join lateral (
  select * from sender_pace p where p.sender_id between d.sender_id and d.sender_id and (p.breaker_open_until is null or p.breaker_open_until <= $2) and p.breaker_step = 0 and greatest(0, case s.throughput when 'HIGH' then 750 else 60 end
  - (select coalesce(sum(sends), 0) from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) + 500) recent))::int > 0
  order by p.sender_id desc limit 1 for no key update skip locked) p
cross join lateral (
  select * from provider_accounts a
  where a.workspace_id = s.workspace_id and a.id = s.account_id and a.status = 'connected' limit 1) a
), next_messages as materialized (
  select next.id, next.sender_id, next.recipient
  from (select *, row_number() over (partition by sender_id order by id) as place from claimable) next
  join free_senders using (sender_id)
  left join lateral (
    select true as is_known from pair_pace where sender_id = next.sender_id and recipient = next.recipient limit 1) known on true
  left join lateral (
    select true as is_free from pair_pace
    where sender_id = next.sender_id and recipient = next.recipient and free_at <= $2
    limit 1 for no key update skip locked) free on true
  where place <= capacity and (is_known is null or is_free)
    and (
      select bool_or(due_at <= $2) from (
        select due_at from messages
        where workspace_id = next.workspace_id and recipient = next.recipient and confirmation_id is null
        order by id desc limit 5) earlier) is not true
), pairs as (
  insert into pair_pace as p (sender_id, recipient, free_at)
  select sender_id, recipient, $2::timestamptz + interval '6000 ms' from next_messages
  order by sender_id, recipient
  on conflict (sender_id, recipient) do update set free_at = excluded.free_at where p.free_at <= $2
  returning sender_id, recipient
), claimed as materialized (
  -- "is true": as a join, each row would be compared with all others
  select id, sender_id from next_messages where ((sender_id, recipient) in (select sender_id, recipient from pairs)) is true
), allowed as materialized (
  select *, (id in (select id from claimed)) is true as is_claimed from accepted
  -- always true: it counts the sends of each sender
  where (
    select count(write_pace(p.sender_id, after.slots, after.slot_sends))
    from (select sender_id, count(*)::int as sends from claimed group by sender_id) c
    join free_senders p using (sender_id)
    cross join lateral (select array_agg(slot order by slot), array_agg(sends order by slot)
from (
  select slot, sum(sends)::int as sends
  from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) + 500 union all select (select floor(extract(epoch from $2::timestamptz) * 50)::bigint), c.sends) counted group by slot) slots) after (slots, slot_sends)) >= 0
), inserted as (
  insert into otp_verifications (id, workspace_id, recipient, prefix_number, country, idempotency_key, code_length,
    ttl_seconds, max_attempts, created_at, expires_at, status, code_key, code_hash, sent_at, due_at)
  select id, workspace_id, recipient, prefix_number, country, key, code_length,
    ttl_seconds, max_attempts, created_at, created_at + ttl_seconds * interval '1 second', 'pending', code_key, code_hash,
    array[created_at], $2::timestamptz + ttl_seconds * interval '1 second'
  from allowed
  on conflict do nothing
  returning id, workspace_id
), first_messages as (
  insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference, code,
    correlation_id, api_key_id, quota_unit, created_at, status, due_at, lease, attempts, attempted_at, priority, submit_by, deliver_within_seconds, deliver_by)
  select id, workspace_id, 'otp', sender_id, recipient, name, language, reference, code,
    correlation_id, api_key_id, unit, created_at, case when is_claimed then 'sending' else 'queued' end, case when is_claimed then $8::timestamptz else $2::timestamptz end,
  case when is_claimed then $6::uuid end, is_claimed::int, case when is_claimed then $2::timestamptz end, 0,
    least($3, $2::timestamptz + ttl_seconds * interval '1 second'),
    deliver_within_seconds, $2::timestamptz + deliver_within_seconds * interval '1 second'
  -- "is true": as a join, each row would be compared with all others
  from allowed where (id in (select id from inserted)) is true
), claims as (
  insert into leases (id, node_id, kind, item_ids, taken_at, begun_at)
  select $6::uuid, $7::uuid, 'messages', array_agg(id), $2, $2
  from inserted where (id in (select id from claimed)) is true having count(*) > 0
)
select id, (id in (select id from claimed)) is true as "isClaimed" from inserted
-- always true: it takes the units of each workspace
where (
  select count(take_units(workspace_id, 'otp', month, units))
  from (select workspace_id, count(*) as units from inserted group by workspace_id) taken
  join counters using (workspace_id)) >= 0;

prepare insert_verifications_within_quota as
with counters as materialized (
  select r.workspace_id, r.month, r.created_at, r.requests, q.used
  from (
    select r.* from (select set_config('lock_timeout', $4, true)) lock_wait
    cross join jsonb_to_recordset($1) as r (workspace_id uuid, month date, created_at timestamptz, requests jsonb)
    -- in one order, so that groups of several nodes cannot deadlock
    order by r.workspace_id) r
  cross join lateral (
    select used from quota_usage
    where workspace_id = r.workspace_id and kind = 'otp' and month between r.month and r.month
    order by month desc limit 1 for update) q
), numbered as (
  select q.workspace_id, q.created_at, l.monthly_units, c.*,
         q.used + row_number() over (partition by q.workspace_id order by c.id) as unit
  from counters q
  cross join lateral (
    select monthly_units from quotas where workspace_id = q.workspace_id and kind = 'otp' limit 1) l
  cross join lateral jsonb_to_recordset(q.requests) as c (
    id uuid, sender_id uuid, recipient text, name text, language text, reference text, key text, code bytea, deliver_within_seconds smallint, correlation_id uuid, api_key_id text, prefix_number int, country text, code_key bytea, code_hash bytea, code_length smallint, ttl_seconds smallint, max_attempts smallint)
), accepted as (
  -- one condition: PostgreSQL would check that of the key first, and then not wait for the quota, which a first try may have locked
  select * from numbered where case when unit <= monthly_units then $5 = (select key_check from instance where only_row) end
), allowed as (select * from accepted), inserted as (
  insert into otp_verifications (id, workspace_id, recipient, prefix_number, country, idempotency_key, code_length,
    ttl_seconds, max_attempts, created_at, expires_at, status, code_key, code_hash, sent_at, due_at)
  select id, workspace_id, recipient, prefix_number, country, key, code_length,
    ttl_seconds, max_attempts, created_at, created_at + ttl_seconds * interval '1 second', 'pending', code_key, code_hash,
    array[created_at], $2::timestamptz + ttl_seconds * interval '1 second'
  from allowed
  on conflict do nothing
  returning id, workspace_id
), first_messages as (
  insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference, code,
    correlation_id, api_key_id, quota_unit, created_at, status, due_at, priority, submit_by, deliver_within_seconds, deliver_by)
  select id, workspace_id, 'otp', sender_id, recipient, name, language, reference, code,
    correlation_id, api_key_id, unit, created_at, 'queued', $2, 0,
    least($3, $2::timestamptz + ttl_seconds * interval '1 second'),
    deliver_within_seconds, $2::timestamptz + deliver_within_seconds * interval '1 second'
  -- "is true": as a join, each row would be compared with all others
  from allowed where (id in (select id from inserted)) is true
)
select id from inserted
-- always true: it takes the units of each workspace
where (
  select count(take_units(workspace_id, 'otp', month, units))
  from (select workspace_id, count(*) as units from inserted group by workspace_id) taken
  join counters using (workspace_id)) >= 0;

prepare look_up_verification_requests as
select r.n, w.clock_offset_ms as "clockOffsetMs", q.used as "unitsUsed", coalesce(l.monthly_units, 0) as "monthlyUnits", (select key_check from instance where only_row) as "keyCheck",
       a.status is not null as "hasSender", s.status as "senderStatus", s.paused_at is not null as "senderPaused",
       s.gone_at is not null as "senderGone", a.status as "accountStatus",
       t.status as "templateStatus", t.category as "templateCategory", t.components as "templateComponents",
       case when a.status is not null and t.status is null then (
         select jsonb_agg(jsonb_build_object('name', o.name, 'language', o.language, 'hasName', o.name = r.name, 'total', o.total)
           order by o.place)
         from (
           select name, language, count(*) over () as total,
             row_number() over (order by name <> r.name, name, language) as place
           from templates
           where workspace_id = r.workspace_id and account_id = s.account_id
             and category = 'AUTHENTICATION' and status = 'APPROVED'
           order by place limit 12) o) end as "otherTemplates", s.account_id as "accountId", s.phone_number_id as "phoneNumberId", a.waba_id as "wabaId",
  a.graph_url as "graphUrl", a.access_token as "sealedToken", $2::timestamptz + w.clock_offset_ms * interval '1 ms' as now,
       array (
         select b.phone from blocked_recipients b
         where b.workspace_id = r.workspace_id and b.phone = any (r.recipients)) as blocked,
       (select jsonb_agg(e) from unnest(r.keys) as key cross join lateral (
         select v.id, v.idempotency_key as "idempotencyKey", v.recipient, m.sender_id as "senderId",
           m.template_name as "templateName", m.template_language as "templateLanguage", m.reference,
           v.code_length as length, v.ttl_seconds as "ttlSeconds", v.max_attempts as "maxAttempts",
           m.deliver_within_seconds as "deliverWithinSeconds"
         from otp_verifications v cross join lateral (
           select * from messages where workspace_id = v.workspace_id and id = v.id limit 1) m
         where v.workspace_id = r.workspace_id and v.idempotency_key = key limit 1) e) as earlier,
       (select jsonb_build_object(
    'right', right_codes + case when begins_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 1800000 * interval '1 ms' then earlier_right_codes else 0 end,
    'wrong', wrong_codes + case when begins_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 1800000 * interval '1 ms' then earlier_wrong_codes else 0 end)
  from otp_checks where workspace_id = r.workspace_id and begins_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 2 * 1800000 * interval '1 ms' limit 1) as checks,
       (select jsonb_agg(h) from unnest(r.recipients) as phone cross join lateral (
         select prefix_number as number from otp_verifications
         where workspace_id = r.workspace_id and left(recipient, -4) = left(phone, -4) and recipient like '+%'
         order by prefix_number desc limit 1) newest cross join lateral (
         select phone as recipient, newest.number,
           (select jsonb_agg(v) from (
              select sent_at as "sentAt", wrong_at as "wrongAt" from otp_verifications
              where workspace_id = r.workspace_id and recipient = phone and recipient like '+%'
              order by prefix_number desc limit 20) v) as earlier,
           (select jsonb_build_object('started', count(*), 'approved', count(*) filter (where status = 'approved')) from (
  select status from otp_verifications
  where workspace_id = r.workspace_id and left(recipient, -4) = left(phone, -4) and recipient like '+%'
    and created_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 3600000 * interval '1 ms'
  order by created_at desc limit 200) v) as prefix) h) as histories
from jsonb_to_recordset($1) as r (
  n int, workspace_id uuid, sender_id uuid, name text, language text, keys text[], recipients text[])
join workspaces w on w.id = r.workspace_id
left join lateral (
  select monthly_units from quotas where workspace_id = r.workspace_id and kind = 'otp' limit 1) l on true
left join lateral (
  select used from quota_usage where workspace_id = r.workspace_id and kind = 'otp'
    and month between date_trunc('month', ($2::timestamptz + w.clock_offset_ms * interval '1 ms') at time zone 'UTC')::date and date_trunc('month', ($2::timestamptz + w.clock_offset_ms * interval '1 ms') at time zone 'UTC')::date
  order by month desc limit 1) q on true
left join senders s on s.workspace_id = r.workspace_id and s.id = r.sender_id
left join lateral (
  select status, waba_id, graph_url, access_token from provider_accounts
  where workspace_id = r.workspace_id and id = s.account_id and status <> 'removed' limit 1) a on true
left join lateral (
  select status, category, components from templates
  where workspace_id = r.workspace_id and account_id = s.account_id and name = r.name and language = r.language
  limit 1) t on true;

-- src/otp/verifications/check-counts.ts

prepare count_otp_checks as
insert into otp_checks as c (workspace_id, begins_at, right_codes, wrong_codes, earlier_right_codes, earlier_wrong_codes)
select workspace_id, begins_at, "right", wrong, 0, 0
from jsonb_to_recordset($1) as r (workspace_id uuid, begins_at timestamptz, "right" integer, wrong integer)
on conflict (workspace_id) do update set
  (begins_at, right_codes, wrong_codes, earlier_right_codes, earlier_wrong_codes) = (
    select greatest(c.begins_at, excluded.begins_at),
      excluded.right_codes + case when steps <= 0 then c.right_codes else 0 end,
      excluded.wrong_codes + case when steps <= 0 then c.wrong_codes else 0 end,
      case when steps <= 0 then c.earlier_right_codes when steps = 1 then c.right_codes else 0 end,
      case when steps <= 0 then c.earlier_wrong_codes when steps = 1 then c.wrong_codes else 0 end
    from (select extract(epoch from excluded.begins_at - c.begins_at) * 1000 / 1800000 as steps) s);

prepare find_guessed_otp_checks as
select (select jsonb_build_object(
    'right', right_codes + case when begins_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 1800000 * interval '1 ms' then earlier_right_codes else 0 end,
    'wrong', wrong_codes + case when begins_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 1800000 * interval '1 ms' then earlier_wrong_codes else 0 end)
  from otp_checks where workspace_id = w.id and begins_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 2 * 1800000 * interval '1 ms' limit 1) as checks
from workspaces w where w.id = $1;

prepare find_guessed_otp_checks_batch as
select batch.position as "workspacePosition", r.*
from unnest($1::uuid[]) with ordinality as batch (id, position)
cross join lateral (
select (select jsonb_build_object(
    'right', right_codes + case when begins_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 1800000 * interval '1 ms' then earlier_right_codes else 0 end,
    'wrong', wrong_codes + case when begins_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 1800000 * interval '1 ms' then earlier_wrong_codes else 0 end)
  from otp_checks where workspace_id = w.id and begins_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 2 * 1800000 * interval '1 ms' limit 1) as checks
from workspaces w where w.id = batch.id offset 0) r;

prepare forget_otp_checks as
delete from otp_checks where workspace_id = $1;

-- src/otp/verifications/expiry-loop.ts

prepare count_fault_of_verification as
update otp_verifications set tries = $4, due_at = $5
where workspace_id = $1 and id = $2 and tries = $3 and due_at is not null returning id;

prepare take_due_verifications as
select id, workspace_id, tries from otp_verifications
where due_at <= $1 order by due_at limit $2 for no key update skip locked;

-- src/otp/verifications/pumped.ts

prepare count_verifications_by_prefix as
select p.prefix, (select jsonb_build_object('started', count(*), 'approved', count(*) filter (where status = 'approved')) from (
  select status from otp_verifications
  where workspace_id = w.id and left(recipient, -4) = p.prefix and recipient like '+%'
    and created_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 3600000 * interval '1 ms'
  order by created_at desc limit 200) v) as counts
from workspaces w cross join lateral (
  select prefix from (
    select left(recipient, -4) as prefix from otp_verifications
    where workspace_id = w.id and prefix_number % 20 = 0 and recipient like '+%'
      and created_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 3600000 * interval '1 ms'
    order by created_at desc limit 300) frequent
  group by prefix order by count(*) desc limit 20) p
where w.id = $1;

prepare count_verifications_by_prefix_batch as
select batch.position as "workspacePosition", r.*
from unnest($1::uuid[]) with ordinality as batch (id, position)
cross join lateral (
select p.prefix, (select jsonb_build_object('started', count(*), 'approved', count(*) filter (where status = 'approved')) from (
  select status from otp_verifications
  where workspace_id = w.id and left(recipient, -4) = p.prefix and recipient like '+%'
    and created_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 3600000 * interval '1 ms'
  order by created_at desc limit 200) v) as counts
from workspaces w cross join lateral (
  select prefix from (
    select left(recipient, -4) as prefix from otp_verifications
    where workspace_id = w.id and prefix_number % 20 = 0 and recipient like '+%'
      and created_at > ($2::timestamptz + w.clock_offset_ms * interval '1 ms') - 3600000 * interval '1 ms'
    order by created_at desc limit 300) frequent
  group by prefix order by count(*) desc limit 20) p
where w.id = batch.id offset 0) r;

-- src/otp/verifications/resend.ts

prepare insert_and_claim_resends_within_quota as
with counters as materialized (
  select r.workspace_id, r.month, r.created_at, r.requests, q.used
  from (
    select r.* from (select set_config('lock_timeout', $4, true)) lock_wait
    cross join jsonb_to_recordset($1) as r (workspace_id uuid, month date, created_at timestamptz, requests jsonb)
    -- in one order, so that groups of several nodes cannot deadlock
    order by r.workspace_id) r
  cross join lateral (
    select used from quota_usage
    where workspace_id = r.workspace_id and kind = 'otp' and month between r.month and r.month
    order by month desc limit 1 for update) q
), numbered as (
  select q.workspace_id, q.created_at, l.monthly_units, c.*,
         q.used + row_number() over (partition by q.workspace_id order by c.id) as unit
  from counters q
  cross join lateral (
    select monthly_units from quotas where workspace_id = q.workspace_id and kind = 'otp' limit 1) l
  cross join lateral jsonb_to_recordset(q.requests) as c (
    id uuid, sender_id uuid, recipient text, name text, language text, reference text, key text, code bytea, deliver_within_seconds smallint, correlation_id uuid, api_key_id text, verification_id uuid, sent int)
), accepted as (
  -- one condition: PostgreSQL would check that of the key first, and then not wait for the quota, which a first try may have locked
  select * from numbered where case when unit <= monthly_units then $5 = (select key_check from instance where only_row) end
), claimable as materialized (
  select id, workspace_id, sender_id, recipient from accepted where id = any ($9::uuid[])
), free_senders as materialized (
  select p.sender_id, p.slots, p.slot_sends, greatest(0, case s.throughput when 'HIGH' then 750 else 60 end
  - (select coalesce(sum(sends), 0) from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) + 500) recent))::int as capacity
  from (select distinct sender_id from claimable order by sender_id) d
  -- a pace without room is not locked: the loop would skip it
  cross join lateral (select * from senders s where s.id = d.sender_id and s.paused_at is null limit 1) s
-- the newest version alone: after one that is not sendable, the scan below would read all that a long transaction keeps
cross join lateral (
  select true from (
    select * from sender_pace p where p.sender_id between d.sender_id and d.sender_id order by p.sender_id desc limit 1) p
  where (p.breaker_open_until is null or p.breaker_open_until <= $2) and p.breaker_step = 0 and greatest(0, case s.throughput when 'HIGH' then 750 else 60 end
  - (select coalesce(sum(sends), 0) from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) + 500) recent))::int > 0) sendable
cross join lateral (
  select * from sender_pace p where p.sender_id between d.sender_id and d.sender_id and (p.breaker_open_until is null or p.breaker_open_until <= $2) and p.breaker_step = 0 and greatest(0, case s.throughput when 'HIGH' then 750 else 60 end
  - (select coalesce(sum(sends), 0) from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) + 500) recent))::int > 0
  order by p.sender_id desc limit 1 for no key update skip locked) p
cross join lateral (
  select * from provider_accounts a
  where a.workspace_id = s.workspace_id and a.id = s.account_id and a.status = 'connected' limit 1) a
), next_messages as materialized (
  select next.id, next.sender_id, next.recipient
  from (select *, row_number() over (partition by sender_id order by id) as place from claimable) next
  join free_senders using (sender_id)
  left join lateral (
    select true as is_known from pair_pace where sender_id = next.sender_id and recipient = next.recipient limit 1) known on true
  left join lateral (
    select true as is_free from pair_pace
    where sender_id = next.sender_id and recipient = next.recipient and free_at <= $2
    limit 1 for no key update skip locked) free on true
  where place <= capacity and (is_known is null or is_free)
    and (
      select bool_or(due_at <= $2) from (
        select due_at from messages
        where workspace_id = next.workspace_id and recipient = next.recipient and confirmation_id is null
        order by id desc limit 5) earlier) is not true
), pairs as (
  insert into pair_pace as p (sender_id, recipient, free_at)
  select sender_id, recipient, $2::timestamptz + interval '6000 ms' from next_messages
  order by sender_id, recipient
  on conflict (sender_id, recipient) do update set free_at = excluded.free_at where p.free_at <= $2
  returning sender_id, recipient
), claimed as materialized (
  -- "is true": as a join, each row would be compared with all others
  select id, sender_id from next_messages where ((sender_id, recipient) in (select sender_id, recipient from pairs)) is true
), allowed as materialized (
  select *, (id in (select id from claimed)) is true as is_claimed from accepted
  -- always true: it counts the sends of each sender
  where (
    select count(write_pace(p.sender_id, after.slots, after.slot_sends))
    from (select sender_id, count(*)::int as sends from claimed group by sender_id) c
    join free_senders p using (sender_id)
    cross join lateral (select array_agg(slot order by slot), array_agg(sends order by slot)
from (
  select slot, sum(sends)::int as sends
  from (select slot, sends from unnest(p.slots, p.slot_sends) as counted (slot, sends)
where slot between (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) - 50 and (select floor(extract(epoch from $2::timestamptz) * 50)::bigint) + 500 union all select (select floor(extract(epoch from $2::timestamptz) * 50)::bigint), c.sends) counted group by slot) slots) after (slots, slot_sends)) >= 0
), pending as materialized (
  select n.*, v.due_at as expires_due_at
  from (select distinct on (verification_id) * from allowed order by verification_id, id) n
  cross join lateral (
    select due_at from otp_verifications v
    where v.workspace_id = n.workspace_id and v.id = n.verification_id and v.status = 'pending' and v.recipient = n.recipient
      and cardinality(v.sent_at) = n.sent limit 1 for no key update) v
), resent as (
  update otp_verifications v set sent_at = v.sent_at || (select p.created_at from pending p where p.verification_id = v.id)
  where v.id = any (array (select verification_id from pending))
), inserted as (
  insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference,
    idempotency_key, code, verification_id, correlation_id, api_key_id, quota_unit, created_at, status, due_at, lease, attempts, attempted_at, priority, submit_by,
    deliver_within_seconds, deliver_by)
  select id, workspace_id, 'otp', sender_id, recipient, name, language, reference,
    key, code, verification_id, correlation_id, api_key_id, unit, created_at, case when is_claimed then 'sending' else 'queued' end, case when is_claimed then $8::timestamptz else $2::timestamptz end,
  case when is_claimed then $6::uuid end, is_claimed::int, case when is_claimed then $2::timestamptz end, 0,
    least($3, expires_due_at), deliver_within_seconds, $2::timestamptz + deliver_within_seconds * interval '1 second'
  from pending
  returning id, workspace_id
), claims as (
  insert into leases (id, node_id, kind, item_ids, taken_at, begun_at)
  select $6::uuid, $7::uuid, 'messages', array_agg(id), $2, $2
  from inserted where (id in (select id from claimed)) is true having count(*) > 0
)
select id, (id in (select id from claimed)) is true as "isClaimed" from inserted
-- always true: it takes the units of each workspace
where (
  select count(take_units(workspace_id, 'otp', month, units))
  from (select workspace_id, count(*) as units from inserted group by workspace_id) taken
  join counters using (workspace_id)) >= 0;

prepare insert_resends_within_quota as
with counters as materialized (
  select r.workspace_id, r.month, r.created_at, r.requests, q.used
  from (
    select r.* from (select set_config('lock_timeout', $4, true)) lock_wait
    cross join jsonb_to_recordset($1) as r (workspace_id uuid, month date, created_at timestamptz, requests jsonb)
    -- in one order, so that groups of several nodes cannot deadlock
    order by r.workspace_id) r
  cross join lateral (
    select used from quota_usage
    where workspace_id = r.workspace_id and kind = 'otp' and month between r.month and r.month
    order by month desc limit 1 for update) q
), numbered as (
  select q.workspace_id, q.created_at, l.monthly_units, c.*,
         q.used + row_number() over (partition by q.workspace_id order by c.id) as unit
  from counters q
  cross join lateral (
    select monthly_units from quotas where workspace_id = q.workspace_id and kind = 'otp' limit 1) l
  cross join lateral jsonb_to_recordset(q.requests) as c (
    id uuid, sender_id uuid, recipient text, name text, language text, reference text, key text, code bytea, deliver_within_seconds smallint, correlation_id uuid, api_key_id text, verification_id uuid, sent int)
), accepted as (
  -- one condition: PostgreSQL would check that of the key first, and then not wait for the quota, which a first try may have locked
  select * from numbered where case when unit <= monthly_units then $5 = (select key_check from instance where only_row) end
), allowed as (select * from accepted), pending as materialized (
  select n.*, v.due_at as expires_due_at
  from (select distinct on (verification_id) * from allowed order by verification_id, id) n
  cross join lateral (
    select due_at from otp_verifications v
    where v.workspace_id = n.workspace_id and v.id = n.verification_id and v.status = 'pending' and v.recipient = n.recipient
      and cardinality(v.sent_at) = n.sent limit 1 for no key update) v
), resent as (
  update otp_verifications v set sent_at = v.sent_at || (select p.created_at from pending p where p.verification_id = v.id)
  where v.id = any (array (select verification_id from pending))
), inserted as (
  insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference,
    idempotency_key, code, verification_id, correlation_id, api_key_id, quota_unit, created_at, status, due_at, priority, submit_by,
    deliver_within_seconds, deliver_by)
  select id, workspace_id, 'otp', sender_id, recipient, name, language, reference,
    key, code, verification_id, correlation_id, api_key_id, unit, created_at, 'queued', $2, 0,
    least($3, expires_due_at), deliver_within_seconds, $2::timestamptz + deliver_within_seconds * interval '1 second'
  from pending
  returning id, workspace_id
)
select id from inserted
-- always true: it takes the units of each workspace
where (
  select count(take_units(workspace_id, 'otp', month, units))
  from (select workspace_id, count(*) as units from inserted group by workspace_id) taken
  join counters using (workspace_id)) >= 0;

prepare look_up_resend_requests as
select r.n, w.clock_offset_ms as "clockOffsetMs", q.used as "unitsUsed", coalesce(l.monthly_units, 0) as "monthlyUnits", (select key_check from instance where only_row) as "keyCheck",
       a.status is not null as "hasSender", s.status as "senderStatus", s.paused_at is not null as "senderPaused",
       s.gone_at is not null as "senderGone", a.status as "accountStatus",
       t.status as "templateStatus", t.category as "templateCategory", t.components as "templateComponents",
       case when a.status is not null and t.status is null then (
         select jsonb_agg(jsonb_build_object('name', o.name, 'language', o.language, 'hasName', o.name = r.name, 'total', o.total)
           order by o.place)
         from (
           select name, language, count(*) over () as total,
             row_number() over (order by name <> r.name, name, language) as place
           from templates
           where workspace_id = r.workspace_id and account_id = s.account_id
             and category = 'AUTHENTICATION' and status = 'APPROVED'
           order by place limit 12) o) end as "otherTemplates", s.account_id as "accountId", s.phone_number_id as "phoneNumberId", a.waba_id as "wabaId",
  a.graph_url as "graphUrl", a.access_token as "sealedToken", $2::timestamptz + w.clock_offset_ms * interval '1 ms' as now, r.status, r.expires_at as "expiresAt", r.sent_at as "sentAt", r.code_key as "codeKey",
       r.code_length as "codeLength", r.sender_id as "senderId", r.recipient, r.name, r.language, r.reference,
       r.deliver_within_seconds as "deliverWithinSeconds",
       array (
         select b.phone from blocked_recipients b
         where b.workspace_id = r.workspace_id and b.phone = any (array[r.recipient])) as blocked,
       (select jsonb_agg(e) from unnest(r.keys) as key cross join lateral (
         select id, idempotency_key as "idempotencyKey" from messages
         where workspace_id = r.workspace_id and verification_id = r.verification_id and idempotency_key = key
         limit 1) e) as earlier
from (
  select q.*, v.status, v.expires_at, v.sent_at, v.code_key, v.code_length, v.recipient, m.sender_id,
    m.template_name as name, m.template_language as language, m.reference, m.deliver_within_seconds
  from jsonb_to_recordset($1) as q (n int, workspace_id uuid, verification_id uuid, keys text[])
  left join lateral (
    select * from otp_verifications where workspace_id = q.workspace_id and id = q.verification_id limit 1) v on true
  left join lateral (
    select * from messages where workspace_id = v.workspace_id and id = v.id limit 1) m on true) r
join workspaces w on w.id = r.workspace_id
left join lateral (
  select monthly_units from quotas where workspace_id = r.workspace_id and kind = 'otp' limit 1) l on true
left join lateral (
  select used from quota_usage where workspace_id = r.workspace_id and kind = 'otp'
    and month between date_trunc('month', ($2::timestamptz + w.clock_offset_ms * interval '1 ms') at time zone 'UTC')::date and date_trunc('month', ($2::timestamptz + w.clock_offset_ms * interval '1 ms') at time zone 'UTC')::date
  order by month desc limit 1) q on true
left join senders s on s.workspace_id = r.workspace_id and s.id = r.sender_id
left join lateral (
  select status, waba_id, graph_url, access_token from provider_accounts
  where workspace_id = r.workspace_id and id = s.account_id and status <> 'removed' limit 1) a on true
left join lateral (
  select status, category, components from templates
  where workspace_id = r.workspace_id and account_id = s.account_id and name = r.name and language = r.language
  limit 1) t on true;

-- src/otp/verifications/store.ts

prepare lock_verifications as
select v.id, v.workspace_id as "workspaceId", v.status, v.recipient, m.reference,
  v.created_at as "createdAt", v.expires_at as "expiresAt", v.max_attempts as "maxAttempts", v.sent_at as "sentAt",
  v.wrong_at as "wrongAt", v.ended_at as "endedAt", v.code_key as "codeKey", v.code_hash as "codeHash", m.deliver_within_seconds as "deliverWithinSeconds",
  (select w.clock_offset_ms from workspaces w where w.id = v.workspace_id) as "clockOffsetMs"
from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid)
cross join lateral (
  select * from otp_verifications v where v.workspace_id = r.workspace_id and v.id = r.id limit 1 for no key update) v
cross join lateral (
  select * from messages m where m.workspace_id = v.workspace_id and m.id = v.id limit 1) m;

prepare write_verifications as
update otp_verifications v
set (status, wrong_at, ended_at, code_key, code_hash, due_at, tries) = (
  select r.status, r.wrong_at, r.ended_at, case when r.ended_at is null then v.code_key end,
    case when r.ended_at is null then v.code_hash end, case when r.ended_at is null then v.due_at end, 0
  from jsonb_to_record($1::jsonb -> v.id::text) as r (status text, wrong_at timestamptz[], ended_at timestamptz))
where v.id = any (array (select jsonb_object_keys($1::jsonb)::uuid));

-- src/otp/verifications/view.ts

prepare find_verification as
select v.id, v.workspace_id as "workspaceId", v.status, v.recipient, m.reference,
v.created_at as "createdAt", v.expires_at as "expiresAt", v.max_attempts as "maxAttempts", v.sent_at as "sentAt",
v.wrong_at as "wrongAt", v.ended_at as "endedAt" from otp_verifications v cross join lateral (
select * from messages m where m.workspace_id = v.workspace_id and m.id = v.id limit 1) m where v.workspace_id = $1 and v.id = $2;

-- src/otp/view.ts

prepare find_otp_message as
select id, status, reference, recipient, created_at, sent_at, deliver_within_seconds, undelivered_event_at, failure_code
from messages where workspace_id = $1 and id = $2 and kind = 'otp';

-- src/runtime/background/due-loops.ts

prepare find_due_work as
with recursive recent_waiting as (
  (select sender_id, priority, due_at from messages where due_at >= $8 order by sender_id, priority, due_at limit 1)
  union all
  select n.sender_id, n.priority, n.due_at from recent_waiting w cross join lateral (
    select m.sender_id, m.priority, m.due_at from messages m
    where m.due_at >= $8 and (m.sender_id, m.priority) > (w.sender_id, w.priority)
    order by m.sender_id, m.priority, m.due_at limit 1) n
),
waiting as (
  select sender_id, priority, min(due_at) as due_at from (
    select * from recent_waiting
    union all
    select m.* from jsonb_to_recordset($9) as o (sender_id uuid, priority smallint, due_at timestamptz)
    cross join lateral (
      select sender_id, priority, due_at from messages
      where sender_id = o.sender_id and priority = o.priority and due_at between o.due_at and $8
      order by due_at limit 1) m) first_waiting
  group by sender_id, priority
), recent_heads as (
  (select 1 as position, endpoint_id, due_at from webhook_deliveries
   where due_at >= $10 and endpoint_id > '00000000-0000-0000-0000-000000000000'
   order by endpoint_id, due_at limit 1)
  union all
  select head.position + 1, following.endpoint_id, following.due_at
  from recent_heads head cross join lateral (
    select endpoint_id, due_at from webhook_deliveries
    where due_at >= $10 and endpoint_id > head.endpoint_id
    order by endpoint_id, due_at limit 1
  ) following
  where head.position < 1000
), head as (
  select max(position) as position, endpoint_id, min(due_at) as due_at from (
    select * from recent_heads
    union all
    select 0, d.* from jsonb_to_recordset($11) as o (endpoint_id uuid, due_at timestamptz)
    cross join lateral (
      select endpoint_id, due_at from webhook_deliveries
      where endpoint_id = o.endpoint_id and endpoint_id > '00000000-0000-0000-0000-000000000000' and due_at between o.due_at and $10
      order by due_at limit 1) d) heads
  group by endpoint_id
)
select (select case when count(*) <= 1000 then coalesce(jsonb_agg(
    jsonb_build_object('sender_id', sender_id, 'priority', priority, 'due_at', due_at)), '[]') end
  from waiting where due_at < $12) as "olderMessages",
  case when (select max(position) from head) = 1000 then null
    else (select case when count(*) <= 1000 then coalesce(jsonb_agg(
    jsonb_build_object('endpoint_id', endpoint_id, 'due_at', due_at)), '[]') end
  from head where due_at < $12) end as "olderDeliveries",
  coalesce((select min(due_at) from waiting) <= $1, false) as submit,
  coalesce((select due_at from provider_reports where due_at is not null order by due_at limit 1) <= $1, false) as reports,
  coalesce((select timer_due_at from confirmations where timer_due_at is not null and timer_quarantined_at is null order by timer_due_at limit 1) <= $1, false) or coalesce((select timer_due_at from refusal_checks where timer_due_at is not null and timer_quarantined_at is null order by timer_due_at limit 1) <= $1, false) as timers,
  coalesce((select due_at from otp_verifications where due_at is not null order by due_at limit 1) <= $1, false) as verifications,
  coalesce((select deliver_by from messages where deliver_by is not null order by deliver_by limit 1) <= $1, false) as undelivered,
  coalesce((select min(due_at) <= $1 or max(position) = 1000 from head), false) as deliver,
  coalesce((select release_at from webhook_endpoints where release_at is not null and status = 'enabled' order by release_at limit 1) <= $1, false) as release,
  coalesce((select due_at from sandbox_work where due_at is not null order by due_at limit 1) <= $1, false) as sandbox,
  (select 1 from nodes n where n.id <> $2 and n.seen_at not between clock_timestamp() - $3 * interval '1 millisecond'
    and clock_timestamp() + $4 * interval '1 millisecond' limit 1) is not null or (select 1 from leases where taken_at between $5 and $6 and kind = 'messages' and (begun_at is null or begun_at = '-infinity') limit 1) is not null
  or (select 1 from leases where taken_at > $7 limit 1) is not null as leases,
  coalesce((select sync_due_at from provider_accounts where sync_due_at is not null order by sync_due_at limit 1) <= $1, false) as sync,
  coalesce((select deletion_due_at from workspaces where deletion_due_at is not null and purged_at is null order by deletion_due_at limit 1) <= $1, false) as purge,
  coalesce((select due_at from doctor_runs where only_row) <= $1, true)
    or (select 1 from doctor_findings where alert_due_at <= $1 limit 1) is not null as doctor;

-- src/runtime/jobs/leases.ts

prepare begin_lease as
update leases set begun_at = $2 where id = $1 and begun_at is null returning id;

prepare prevent_leases as
update leases set begun_at = '-infinity' where id = any ($1::uuid[]) and (begun_at is null or begun_at = '-infinity') returning id;

prepare remove_leases as
delete from leases where id = any ($1::uuid[]) returning id, item_ids as "itemIds";

prepare remove_old_leases as
with removed as (
  delete from leases where ctid = any (array (select ctid from leases where taken_at < $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare take_leases as
delete from leases
where id = any (array (
    select id from leases where node_id = any ($1::uuid[])
    union all
    select id from leases where taken_at between $2 and $3 and kind = 'messages' and (begun_at is null or begun_at = '-infinity')
    union all
    select id from leases where taken_at > $4))
  and (node_id = any ($1::uuid[]) or (begun_at is null or begun_at = '-infinity') or taken_at > $4)
returning id, item_ids as "itemIds",
  case when kind = 'deliveries' then kind when (begun_at is null or begun_at = '-infinity') then 'unbegun' else 'begun' end as state;

-- src/runtime/jobs/node.ts

prepare find_dead_nodes as
select n.id from nodes n
where n.id <> $1 and case
  when n.seen_at < clock_timestamp() - $3 * interval '1 millisecond' then true
  when n.seen_at < clock_timestamp() - $2 * interval '1 millisecond'
    or n.seen_at > clock_timestamp() + $4 * interval '1 millisecond' then pg_try_advisory_xact_lock(hashtextextended(n.id::text, 7305222))
  else false end
for update skip locked;

prepare find_node_that_allows_private_webhooks as
select exists (
select from nodes n where n.settings @> '{"allowPrivateWebhooks": true}' and not pg_try_advisory_xact_lock_shared(hashtextextended(n.id::text, 7305222))) as allowed;

prepare is_any_worker_alive as
select exists (select from nodes n where 'worker' = any (n.roles) and not pg_try_advisory_xact_lock_shared(hashtextextended(n.id::text, 7305222))) as alive;

prepare list_frozen_nodes as
select f."nodeId", f.address, f."silentMs"
from (
  select substr(application_name, length($1) + 1) as "nodeId", host(client_addr) as address,
    round(extract(epoch from clock_timestamp() - coalesce(
      (select n.seen_at from nodes n where n.id::text = substr(application_name, length($1) + 1)), state_change)) * 1000)::float8
      as "silentMs"
  from pg_stat_activity
  where datname = current_database() and starts_with(application_name, $1) and state = 'idle') f
where f."silentMs" > $2 order by f."nodeId" limit 200;

prepare list_live_nodes as
select n.id, n.roles, n.version, n.settings -> 'keys' as keys from nodes n
where n.seen_at between clock_timestamp() - $1 * interval '1 millisecond' and clock_timestamp() + $2 * interval '1 millisecond'
  or not pg_try_advisory_xact_lock_shared(hashtextextended(n.id::text, 7305222))
order by n.id;

prepare list_nodes as
select n.id as "nodeId", n.roles, n.settings, n.version, n.started_at as "startedAt", n.seen_at as "seenAt",
  round(extract(epoch from clock_timestamp() - n.seen_at) * 1000)::float8 as "silentMs",
  n.seen_at > clock_timestamp() - $1 * interval '1 millisecond' and not pg_try_advisory_xact_lock_shared(hashtextextended(n.id::text, 7305222)) as "isAlive"
from nodes n order by n.started_at, n.id limit 200;

prepare remove_node as
delete from nodes where id = $1;

prepare remove_nodes as
delete from nodes where id = any ($1::uuid[]);

prepare take_node_lock as
select pg_try_advisory_lock(hashtextextended(n.id::text, 7305222)) as locked from (select $1::uuid as id) n;

prepare write_node as
insert into nodes (id, roles, settings, version, started_at, seen_at)
values ($1, $2, $3::jsonb || jsonb_build_object('clockAheadMs',
  round(extract(epoch from $5::timestamptz - clock_timestamp()) * 1000)), $4, clock_timestamp(), clock_timestamp())
on conflict (id) do update set seen_at = excluded.seen_at, settings = excluded.settings
returning (select key_check from instance) as "keyCheck", (select sign_in_secret from instance) as "signInSecret",
  current_setting('doorcode.session', true) as "sessionMark", clock_timestamp() as "databaseNow";

-- src/runtime/jobs/outbox.ts

prepare notify_nodes as
select pg_notify($1, $2);

-- src/runtime/jobs/traces.ts

prepare find_traces as
select id, traceparent from traces where id = any ($1::uuid[]);

prepare remove_old_traces as
with removed as (
  delete from traces where ctid = any (array (select ctid from traces where created_at < $1 limit $2)) returning 1)
select count(*)::int as removed from removed;

prepare store_traces as
insert into traces (id, traceparent, created_at)
select r.id, r.traceparent, $2 from jsonb_to_recordset($1) as r (id uuid, traceparent text) on conflict (id) do nothing;

-- src/runtime/start/commits.ts

prepare cancel_commit as
select pg_cancel_backend(pid) as cancelled from pg_stat_activity
where pid = $1 and backend_start = $2::timestamptz and wait_event = 'SyncRep';

prepare emit_nothing as
select pid, backend_start::text as "startedAt" from pg_stat_activity, pg_logical_emit_message(true, 'doorcode', '')
where pid = pg_backend_pid();

-- src/runtime/start/database-clock.ts

prepare select_time as
select clock_timestamp() as now;

-- src/runtime/start/database.ts

prepare check_server as
select current_setting('server_version_num')::integer as version, current_setting('server_version') as version_name,
current_setting('server_encoding') as encoding;

prepare check_writable as
select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as "readOnly";

-- src/sandbox/advance.ts

prepare count_fired_by_advance as
select (select count(*)::int from messages where workspace_id = $1 and accepted_at >= $2) as messages,
(select count(*)::int from events where workspace_id = $1 and recorded_at >= $2) as events,
(select count(*)::int from webhook_endpoints e
 join webhook_deliveries d on d.workspace_id = e.workspace_id and d.endpoint_id = e.id
 join webhook_attempts a on a.delivery_id = d.id
 where e.workspace_id = $1 and a.started_at >= $2) as "webhookAttempts";

-- src/sandbox/customer-due.ts

prepare list_confirmations_of_customer as
select c.id as "confirmationId", c.reference, c.status, f.status as "refusalStatus"
from senders s
cross join lateral (
  select * from confirmations c where c.sender_id = s.id and c.recipient = $2 order by c.id desc limit 20
) c
left join lateral (
  select f.* from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1
) f on true where s.workspace_id = $1 and s.phone_number_id = $3 order by c.id desc;

prepare list_due_of_customer as
select c.id as "confirmationId", c.reference, timer."check", timer.kind as timer, timer.at
from senders s
cross join lateral (
  select * from confirmations c where c.sender_id = s.id and c.recipient = $2 order by c.id desc limit 20
) c
left join lateral (
  select f.* from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1
) f on true cross join lateral (values
    ('confirmation', 'reminder', c.reminder_at, c.timer_retry_at, c.timer_quarantined_at),
    ('confirmation', 'deadline', c.deadline_at, c.timer_retry_at, c.timer_quarantined_at),
    ('confirmation', 'expiry', c.follow_up_at, c.timer_retry_at, c.timer_quarantined_at),
    ('refusal', 'reminder', f.reminder_at, f.timer_retry_at, f.timer_quarantined_at),
    ('refusal', 'deadline', f.deadline_at, f.timer_retry_at, f.timer_quarantined_at),
    ('refusal', 'expiry', f.follow_up_at, f.timer_retry_at, f.timer_quarantined_at)
  ) as timer ("check", kind, at, retry_at, quarantined_at) where s.workspace_id = $1 and s.phone_number_id = $3 and timer.at is not null order by timer.at, c.id;

-- src/sandbox/due.ts

prepare find_due_of_workspace as
with senders_of_workspace as materialized (
  select s.id, s.paused_at is not null or a.status <> 'connected' as stopped,
         case when p.breaker_open_until > $2 then p.breaker_open_until end as breaker_open_until
  from senders s
  join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
  left join sender_pace p on p.sender_id = s.id
  where s.workspace_id = $1
), due (kind, at, under_way) as (
  select 'message',
         greatest(m.due_at, case when s.stopped then m.submit_by when s.breaker_open_until is not null then least(s.breaker_open_until, m.submit_by) end),
         m.lease is not null or (m.attempted_at is not null and m.due_at > $2)
  from senders_of_workspace s
  cross join lateral (
    select m.due_at, m.submit_by, m.lease, m.attempted_at from messages m
    where m.sender_id = s.id and m.due_at is not null offset 0) m
  union all
  select 'report', due_at, false from provider_reports where workspace_id = $1 and due_at is not null
  union all
  select 'webhook', d.due_at, d.lease is not null
  from webhook_endpoints e
  cross join lateral (
    select d.due_at, d.lease from webhook_deliveries d
    where d.endpoint_id = e.id and d.due_at is not null offset 0) d
  where e.workspace_id = $1
  union all
  select 'verification', due_at, false from otp_verifications where workspace_id = $1 and due_at is not null
  union all
  select 'undelivered', deliver_by, false from messages where workspace_id = $1 and deliver_by is not null
  union all
  select timer.kind, greatest(timer.at, timer.retry_at), false
  from confirmations c
  left join lateral (
    select f.* from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1) f on true
  cross join lateral (values
    ('confirmation', 'reminder', c.reminder_at, c.timer_retry_at, c.timer_quarantined_at),
    ('confirmation', 'deadline', c.deadline_at, c.timer_retry_at, c.timer_quarantined_at),
    ('confirmation', 'expiry', c.follow_up_at, c.timer_retry_at, c.timer_quarantined_at),
    ('refusal', 'reminder', f.reminder_at, f.timer_retry_at, f.timer_quarantined_at),
    ('refusal', 'deadline', f.deadline_at, f.timer_retry_at, f.timer_quarantined_at),
    ('refusal', 'expiry', f.follow_up_at, f.timer_retry_at, f.timer_quarantined_at)
  ) as timer ("check", kind, at, retry_at, quarantined_at)
  where c.workspace_id = $1 and timer.at is not null and timer.quarantined_at is null
)
select kind, (count(*) filter (where under_way or at <= $2))::int as busy,
       min(at) filter (where not under_way and at > $2) as "nextAt"
from due group by kind;

-- src/sandbox/month/fill.ts

prepare has_message_without_status as
select exists (select from messages where workspace_id = $1 and id >= $2 and status in ('queued', 'sending')) as waits;

-- src/sandbox/move-clock.ts

prepare find_workspace_clock as
select id as "workspaceId", sandbox, clock_offset_ms as "clockOffsetMs" from workspaces where id = $1;

prepare shift_confirmations as
update confirmations set reminder_at = reminder_at - $2 * interval '1 millisecond', deadline_at = deadline_at - $2 * interval '1 millisecond', follow_up_at = follow_up_at - $2 * interval '1 millisecond', timer_retry_at = timer_retry_at - $2 * interval '1 millisecond'
where timer_due_at is not null and workspace_id = $1;

prepare shift_deadlines_of_messages as
update messages set deliver_by = deliver_by - $2 * interval '1 millisecond'
where deliver_by is not null and workspace_id = $1;

prepare shift_messages as
update messages set due_at = due_at - $2 * interval '1 millisecond', submit_by = submit_by - $2 * interval '1 millisecond'
where due_at is not null and lease is null and workspace_id = $1;

prepare shift_otp_verifications as
update otp_verifications set due_at = due_at - $2 * interval '1 millisecond'
where due_at is not null and workspace_id = $1;

prepare shift_pair_pace as
update pair_pace set free_at = free_at - $2 * interval '1 millisecond'
where true and sender_id = any (array (select id from senders where workspace_id = $1));

prepare shift_provider_reports as
update provider_reports set due_at = due_at - $2 * interval '1 millisecond'
where due_at is not null and workspace_id = $1;

prepare shift_refusal_checks as
update refusal_checks set reminder_at = reminder_at - $2 * interval '1 millisecond', deadline_at = deadline_at - $2 * interval '1 millisecond', follow_up_at = follow_up_at - $2 * interval '1 millisecond', timer_retry_at = timer_retry_at - $2 * interval '1 millisecond'
where timer_due_at is not null and workspace_id = $1;

prepare shift_sender_pace as
update sender_pace set breaker_open_until = breaker_open_until - $2 * interval '1 millisecond'
where breaker_open_until is not null and sender_id = any (array (select id from senders where workspace_id = $1));

prepare shift_webhook_deliveries as
update webhook_deliveries set due_at = due_at - $2 * interval '1 millisecond', scheduled_at = scheduled_at - $2 * interval '1 millisecond', early_at = early_at - $2 * interval '1 millisecond'
where due_at is not null and lease is null and workspace_id = $1;

prepare shift_webhook_endpoints as
update webhook_endpoints set failing_since = failing_since - $2 * interval '1 millisecond', previous_secret_until = previous_secret_until - $2 * interval '1 millisecond', release_at = release_at - $2 * interval '1 millisecond'
where coalesce(failing_since, previous_secret_until, release_at) is not null and workspace_id = $1;

-- src/sandbox/work-lease.ts

prepare end_sandbox_work as
delete from sandbox_work where workspace_id = $1 and lease = $2 returning workspace_id as "workspaceId";

prepare renew_sandbox_work as
update sandbox_work set due_at = $3, done_until = case when kind = 'fill' then coalesce($4, done_until) end
where workspace_id = $1 and lease = $2 returning workspace_id as "workspaceId";

-- src/sandbox/work.ts

prepare find_sandbox_work as
select kind, from_at as "fromAt", requested_at + until_offset_ms * interval '1 ms' as "untilAt"
from sandbox_work where workspace_id = $1;

prepare has_sandbox_sent as
select exists (select from messages where workspace_id = $1) or exists (select from confirmations where workspace_id = $1)
or exists (select from events where workspace_id = $1) as has;

prepare postpone_sandbox_work as
update sandbox_work set due_at = $3, lease = null where workspace_id = $1 and lease = $2;

prepare request_emptying_of_sandbox as
insert into sandbox_work as w (workspace_id, kind, requested_at, due_at, until_offset_ms) values ($1, 'empty', $2, $2, $3)
on conflict (workspace_id) do update
set kind = 'empty', requested_at = $2, due_at = $2, lease = null, from_at = null, done_until = null;

prepare request_sandbox_work as
insert into sandbox_work (workspace_id, kind, requested_at, due_at, from_at, done_until, until_offset_ms)
values ($1, $2, $3, $3, $4, $4, $5);

prepare take_sandbox_work as
update sandbox_work set lease = $2, due_at = $3
where workspace_id = (
  select workspace_id from sandbox_work s
  where due_at <= $1 and exists (select from workspaces w where w.id = s.workspace_id and w.deleted_at is null)
  order by due_at limit 1 for update skip locked)
returning workspace_id as "workspaceId", lease, kind, from_at as "fromAt", done_until as "doneUntil",
  until_offset_ms as "untilOffsetMs";

-- src/webhooks/delivery/claim.ts

prepare claim_deliveries as
with due as materialized (
  select waiting.id
  from jsonb_to_recordset($1::jsonb) as claimable ("workspaceId" uuid, "endpointId" uuid, capacity integer, "dueAt" timestamptz)
  cross join lateral (
    select id from webhook_deliveries
    where endpoint_id = claimable."endpointId" and workspace_id = claimable."workspaceId" and due_at between claimable."dueAt" and $2
    order by due_at limit claimable.capacity
    for update skip locked
  ) waiting
), taken as (
  insert into leases (id, node_id, kind, item_ids, taken_at)
  select $4, $5, 'deliveries', array_agg(id), $2 from due having count(*) > 0
)
update webhook_deliveries delivery
set due_at = $3, lease = $4, attempts = delivery.attempts + 1
where delivery.id = any (array (select id from due))
returning delivery.id as "deliveryId", delivery.workspace_id as "workspaceId",
  delivery.endpoint_id as "endpointId", delivery.event_id as "eventId", delivery.step,
  delivery.scheduled_at as "scheduledAt", delivery.early_attempts as "earlyAttempts", delivery.attempts as attempt,
  delivery.lease,
  (select event.body from events event
   where event.workspace_id = delivery.workspace_id and event.id = delivery.event_id) as body;

prepare claim_delivery as
update webhook_deliveries delivery
set due_at = $3, lease = gen_random_uuid(), attempts = delivery.attempts + 1
from events event, webhook_endpoints endpoint
where delivery.id = $1 and delivery.due_at <= $2 and endpoint.status = 'enabled'
  and event.id = delivery.event_id and event.workspace_id = delivery.workspace_id
  and endpoint.id = delivery.endpoint_id and endpoint.workspace_id = delivery.workspace_id
returning delivery.id as "deliveryId", delivery.workspace_id as "workspaceId",
  delivery.endpoint_id as "endpointId", delivery.event_id as "eventId", delivery.step,
  delivery.scheduled_at as "scheduledAt", delivery.early_attempts as "earlyAttempts", delivery.attempts as attempt,
  delivery.lease, endpoint.workspace_id as "workspaceId", endpoint.id as "endpointId", endpoint.url, endpoint.secret,
  endpoint.previous_secret as "previousSecret", endpoint.previous_secret_until as "previousSecretUntil", event.body;

prepare correct_delivery_times as
update webhook_deliveries set due_at = $1
where id = any (array (
  select d.id from webhook_endpoints e
  cross join lateral (
    select id from webhook_deliveries where endpoint_id = e.id and due_at > $2 and lease is null
    order by due_at limit $3 for no key update skip locked) d
  where e.status = 'enabled' limit $3))
returning id;

prepare find_due_endpoints as
with recursive recent_heads as (
  (select 1 as position, endpoint_id, due_at from webhook_deliveries
   where due_at >= $4 and endpoint_id > $1
   order by endpoint_id, due_at limit 1)
  union all
  select head.position + 1, following.endpoint_id, following.due_at
  from recent_heads head cross join lateral (
    select endpoint_id, due_at from webhook_deliveries
    where due_at >= $4 and endpoint_id > head.endpoint_id
    order by endpoint_id, due_at limit 1
  ) following
  where head.position < $3
), head as (
  select max(position) as position, endpoint_id, min(due_at) as due_at from (
    select * from recent_heads
    union all
    select 0, d.* from jsonb_to_recordset($5) as o (endpoint_id uuid, due_at timestamptz)
    cross join lateral (
      select endpoint_id, due_at from webhook_deliveries
      where endpoint_id = o.endpoint_id and endpoint_id > $1 and due_at between o.due_at and $4
      order by due_at limit 1) d) heads
  group by endpoint_id
)
select head.position, head.due_at as "dueAt", head.due_at <= $2 as "isDue", endpoint.workspace_id as "workspaceId", endpoint.id as "endpointId", endpoint.url, endpoint.secret,
  endpoint.previous_secret as "previousSecret", endpoint.previous_secret_until as "previousSecretUntil", endpoint.status,
  endpoint.failing_since as "failingSince"
from head cross join lateral (select * from webhook_endpoints where id = head.endpoint_id limit 1) endpoint
where head.due_at <= $2 or head.position = $3;

prepare give_back_deliveries as
update webhook_deliveries d
set lease = null, due_at = case when d.status = 'pending' then $3::timestamptz end
where d.id = any (array (
  select id from webhook_deliveries where id = any ($1::uuid[]) and lease = any ($2::uuid[]) for no key update skip locked))
returning d.id;

-- src/webhooks/delivery/deliver-now.ts

prepare select_delivery_outcome as
select delivery.status, delivery.lease is not null as leased, attempt.delivery_id is not null as ended,
  attempt.http_status as "httpStatus", attempt.error
from webhook_deliveries delivery
left join webhook_attempts attempt on attempt.workspace_id = delivery.workspace_id
  and attempt.delivery_id = delivery.id and attempt.attempt = delivery.attempts
where delivery.id = $1;

-- src/webhooks/delivery/endpoint-health.ts

prepare list_endpoint_health as
select endpoint.id as "endpointId", (select count(*) from (select from webhook_deliveries
 where workspace_id = $1 and endpoint_id = endpoint.id and due_at is not null limit 10001) counted) as waiting,
  (select count(*) from (select from webhook_deliveries
 where workspace_id = $1 and endpoint_id = endpoint.id and status = 'held' limit 10001) counted) as held, (select count(*) from (select from webhook_deliveries
 where workspace_id = $1 and endpoint_id = endpoint.id and status = 'failed' limit 10001) counted) as failed,
  recent.attempted, recent.arrived,
  coalesce(recent.last_success_at, (
    select ended_at from (
      select status, ended_at from webhook_deliveries where workspace_id = $1 and endpoint_id = endpoint.id
      order by id desc limit 10000
    ) searched where status = 'succeeded' limit 1
  )) as "lastSuccessAt"
from webhook_endpoints endpoint cross join lateral (
  select count(*) filter (where attempts > 0) as attempted, count(*) filter (where status = 'succeeded') as arrived,
    max(ended_at) filter (where status = 'succeeded') as last_success_at
  from (
    select status, attempts, ended_at from webhook_deliveries
    where workspace_id = $1 and endpoint_id = endpoint.id order by id desc limit 1000
  ) newest
) recent
where endpoint.workspace_id = $1 and case when $2::uuid is null then endpoint.deleted_at is null else endpoint.id = $2 end;

-- src/webhooks/delivery/event-traces.ts

prepare find_traces_of_events as
select e.id as "eventId", t.traceparent
from unnest($1::uuid[]) as claimed (id)
cross join lateral (select id, message_id, confirmation_id from events where id = claimed.id limit 1) e
cross join lateral (select traceparent from traces where id = coalesce(e.confirmation_id, e.message_id) limit 1) t;

-- src/webhooks/delivery/finish.ts

prepare finish_deliveries as
with health as (
   update webhook_endpoints endpoint
   set (failing_since, release_at, release_failures) = (
select failing_since,
  case when failures < $5 then release_at end as release_at,
  case when failures < $5 and release_at is not null then failures else 0 end as release_failures
from (
  select case when result.restarted then result.failed_at else coalesce(endpoint.failing_since, result.failed_at) end
      as failing_since,
    case when begun.release_at is not null then greatest(begun.release_at, result.retry_after_until) end as release_at,
    case when result.succeeded then 0 else endpoint.release_failures end + result.failures as failures
  from jsonb_to_record($2::jsonb -> endpoint.id::text) as result
      (succeeded boolean, restarted boolean, recovered boolean, failed_at timestamptz, failures integer,
       retry_after_until timestamptz),
    lateral (
      select case when result.recovered or (result.succeeded and endpoint.failing_since is not null)
        then coalesce(endpoint.release_at, $4) else endpoint.release_at end as release_at
    ) begun
) health)
   where endpoint.id = any (array (select jsonb_object_keys($2::jsonb)::uuid))
     and endpoint.url = $2::jsonb -> endpoint.id::text ->> 'url'
     and exists (
       select from (
select failing_since,
  case when failures < $5 then release_at end as release_at,
  case when failures < $5 and release_at is not null then failures else 0 end as release_failures
from (
  select case when result.restarted then result.failed_at else coalesce(endpoint.failing_since, result.failed_at) end
      as failing_since,
    case when begun.release_at is not null then greatest(begun.release_at, result.retry_after_until) end as release_at,
    case when result.succeeded then 0 else endpoint.release_failures end + result.failures as failures
  from jsonb_to_record($2::jsonb -> endpoint.id::text) as result
      (succeeded boolean, restarted boolean, recovered boolean, failed_at timestamptz, failures integer,
       retry_after_until timestamptz),
    lateral (
      select case when result.recovered or (result.succeeded and endpoint.failing_since is not null)
        then coalesce(endpoint.release_at, $4) else endpoint.release_at end as release_at
    ) begun
) health) next
       where (next.failing_since, next.release_at, next.release_failures)
         is distinct from (endpoint.failing_since, endpoint.release_at, endpoint.release_failures::integer))
 ),
 ended as (
   update webhook_deliveries delivery
   set (status, due_at, step, ended_at, lease, scheduled_at, early_at, early_attempts) = (
     select case when delivery.status = 'held' and r.status = 'pending' then 'held' else r.status end,
            case when delivery.status = 'held' then null else r.due_at end,
            r.step, r.ended_at, null::uuid, r.scheduled_at,
            case when r.waits and delivery.status <> 'held' then coalesce(r.early_at, delivery.created_at) end,
            r.early_attempts
     from jsonb_to_record($1::jsonb -> delivery.id::text) as r
       (status text, step smallint, due_at timestamptz, ended_at timestamptz, waits boolean,
        scheduled_at timestamptz, early_at timestamptz, early_attempts smallint))
   where delivery.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))
     and delivery.lease = ($1::jsonb -> delivery.id::text ->> 'lease')::uuid
   returning delivery.id
 ),
 attempted as (
   insert into webhook_attempts (workspace_id, delivery_id, attempt, started_at, duration_ms, http_status, error, response)
   select r.workspace_id, r.id, r.attempt, r.started_at, r.duration_ms, r.http_status, r.error,
     case when r.id = any (array (select id from ended)) then r.response end
   from jsonb_each($1::jsonb) as result
   cross join lateral jsonb_to_record(result.value) as r (workspace_id uuid, id uuid, attempt integer,
     started_at timestamptz, duration_ms integer, http_status smallint, error jsonb, response text)
   where (select 1 from webhook_deliveries delivery where delivery.id = r.id limit 1) is not null
   on conflict do nothing
 )
 select endpoint.workspace_id as "workspaceId", endpoint.id as "endpointId", result.value ->> 'url' as url
 from jsonb_each($2::jsonb) as result
 cross join lateral (select * from webhook_endpoints where id = result.key::uuid limit 1) endpoint
 where not (result.value ->> 'restarted')::boolean and endpoint.failing_since <= $3 and endpoint.status = 'enabled';

prepare select_urls_of_endpoints as
select distinct endpoint.id, endpoint.url from unnest($1::uuid[], $2::uuid[]) as r (workspace_id, id)
cross join lateral (
  select id, url from webhook_endpoints where workspace_id = r.workspace_id and id = r.id limit 1) endpoint;

-- src/webhooks/delivery/release.ts

prepare correct_release_times as
update webhook_endpoints set release_at = $1
where id = any (array (select id from webhook_endpoints where release_at > $2 limit $3 for no key update skip locked))
returning id;

prepare release_deliveries as
with ready as materialized (
  select endpoint.id, endpoint.workspace_id, $3::bigint - (
    select count(*) from (
      select from webhook_deliveries
      where workspace_id = endpoint.workspace_id and endpoint_id = endpoint.id and due_at <= $1 limit $3
    ) due) as capacity
  from webhook_endpoints endpoint
  where release_at <= $1 and status = 'enabled'
  order by release_at limit $4
  for no key update skip locked
),
chosen as materialized (
  select waiting.id, ready.id as endpoint_id,
    row_number() over (partition by ready.id order by waiting.early_at, waiting.id) as position
  from ready cross join lateral (
    select id, early_at from webhook_deliveries
    where workspace_id = ready.workspace_id and endpoint_id = ready.id and early_at <= $1 and lease is null
      and due_at > $1
    order by early_at limit ready.capacity
    for no key update skip locked
  ) waiting
),
released as (
  update webhook_deliveries delivery
  set scheduled_at = delivery.due_at, due_at = $1::timestamptz + (chosen.position - $3::bigint) * interval '1 microsecond',
    early_at = null
  from chosen where delivery.id = any (array (select id from chosen)) and delivery.id = chosen.id
)
update webhook_endpoints endpoint
set (release_at, release_failures) = (
  select case when ready.capacity = 0 then $2::timestamptz else next.release_at end,
    case when ready.capacity > 0 and next.release_at is null then 0 else endpoint.release_failures end
  from ready left join lateral (
    select greatest(early_at, $2) as release_at from webhook_deliveries
    where workspace_id = ready.workspace_id and endpoint_id = ready.id and early_at is not null and lease is null
      and due_at > $1
    order by early_at limit 1
  ) next on ready.capacity > 0
  where ready.id = endpoint.id)
where endpoint.id = any (array (select id from ready))
returning (select count(*) from chosen where chosen.endpoint_id = endpoint.id) as released;

-- src/webhooks/endpoint-status.ts

prepare delete_endpoint as
update webhook_endpoints
set status = 'disabled', status_reason = $4, status_at = $3, deleted_at = $3, failing_since = null,
  release_at = null, release_failures = 0, secret = '', previous_secret = null, previous_secret_until = null
where workspace_id = $1 and id = $2 and deleted_at is null
returning id;

prepare hold_deliveries as
with pending as (
  select waiting.id
  from webhook_endpoints endpoint cross join lateral (
    select id from webhook_deliveries
    where workspace_id = $1 and endpoint_id = endpoint.id and due_at is not null
    order by due_at limit $3
    for update skip locked
  ) waiting
  where endpoint.workspace_id = $1 and endpoint.id = $2 and endpoint.status <> 'enabled'
)
update webhook_deliveries set status = 'held', due_at = null
where workspace_id = $1 and id = any (array (select id from pending))
returning id;

prepare set_endpoint_status as
update webhook_endpoints
set status = $4, status_reason = $5, status_at = $6,
  failing_since = case when $4 = 'enabled' then null else failing_since end,
  release_at = null, release_failures = 0
where workspace_id = $1 and id = $2 and status = $3 and deleted_at is null
returning id;

-- src/webhooks/endpoints.ts

prepare find_endpoint as
select id as "endpointId", url, description, event_types as "eventTypes", status,
  status_reason as "statusReason", status_at as "statusAt", failing_since as "failingSince",
  previous_secret_until as "previousSecretUntil", created_at as "createdAt", url_changed_at as "urlChangedAt", deleted_at as "deletedAt"
from webhook_endpoints where workspace_id = $1 and id = $2;

prepare insert_endpoint as
insert into webhook_endpoints (id, workspace_id, url, secret, status, status_at, created_at, description, event_types)
values ($1, $2, $3, $4, 'enabled', $5, $5, $6, $7);

prepare list_endpoint_secrets as
select id as "endpointId", secret from webhook_endpoints where workspace_id = $1 and deleted_at is null;

prepare list_endpoint_secrets_batch as
select batch.position as "workspacePosition", r.*
from unnest($1::uuid[]) with ordinality as batch (id, position)
cross join lateral (
select id as "endpointId", secret from webhook_endpoints where workspace_id = batch.id and deleted_at is null offset 0) r;

prepare list_endpoints as
select id as "endpointId", url, description, event_types as "eventTypes", status,
status_reason as "statusReason", status_at as "statusAt", failing_since as "failingSince",
previous_secret_until as "previousSecretUntil", created_at as "createdAt" from webhook_endpoints where workspace_id = $1 and deleted_at is null order by id;

prepare list_endpoints_batch as
select batch.position as "workspacePosition", r.*
from unnest($1::uuid[]) with ordinality as batch (id, position)
cross join lateral (
select id as "endpointId", url, description, event_types as "eventTypes", status,
  status_reason as "statusReason", status_at as "statusAt", failing_since as "failingSince",
  previous_secret_until as "previousSecretUntil", created_at as "createdAt" from webhook_endpoints where workspace_id = batch.id and deleted_at is null order by id offset 0) r;

prepare rotate_endpoint_secret as
update webhook_endpoints set previous_secret = secret, previous_secret_until = $4, secret = $3
where workspace_id = $1 and id = $2 and deleted_at is null returning id;

prepare select_delivery_of_event as
select id as "deliveryId" from webhook_deliveries where workspace_id = $1 and event_id = $2 and endpoint_id = $3;

prepare select_workspace_of_endpoint as
select workspace_id as "workspaceId" from webhook_endpoints where id = $1 and deleted_at is null;

-- src/webhooks/resend.ts

prepare count_missed_deliveries as
select count(*) filter (where status = 'held') as held, count(*) filter (where status = 'failed') as failed,
  min(created_at) as "oldestAt"
from webhook_deliveries delivery
where workspace_id = $1 and endpoint_id = $2 and status in ('failed', 'held') and (delivery.created_at > now() - interval '30 days' and (delivery.status <> 'failed' or delivery.step = 9)
    or (
    select body <> '' from events where id = delivery.event_id and workspace_id = delivery.workspace_id limit 1));

prepare count_resendable_failed as
select count(*) as total from webhook_endpoints endpoint
cross join lateral (
  select delivery.id, delivery.workspace_id, delivery.event_id from webhook_deliveries delivery
  where delivery.endpoint_id = endpoint.id and delivery.workspace_id = endpoint.workspace_id
    and delivery.created_at >= coalesce($3, '-infinity'::timestamptz)
    and delivery.created_at < coalesce($4, 'infinity'::timestamptz)
    and delivery.status = 'failed' and (delivery.ended_at is null or delivery.ended_at < $5)
    and (delivery.created_at > now() - interval '30 days' and (delivery.status <> 'failed' or delivery.step = 9)
    or (
    select body <> '' from events where id = delivery.event_id and workspace_id = delivery.workspace_id limit 1))
    and ($6::text is null or $6 = (
      select type from events where id = delivery.event_id and workspace_id = delivery.workspace_id))
  offset 0
) delivery
where endpoint.workspace_id = $1 and endpoint.status = 'enabled' and endpoint.id = coalesce($2, endpoint.id);

prepare count_resendable_held as
select count(*) as total from webhook_endpoints endpoint
cross join lateral (
  select delivery.id, delivery.workspace_id, delivery.event_id from webhook_deliveries delivery
  where delivery.endpoint_id = endpoint.id and delivery.workspace_id = endpoint.workspace_id
    and delivery.created_at >= coalesce($3, '-infinity'::timestamptz)
    and delivery.created_at < coalesce($4, 'infinity'::timestamptz)
    and delivery.status = 'held' and (delivery.ended_at is null or delivery.ended_at < $5)
    and (delivery.created_at > now() - interval '30 days' and (delivery.status <> 'failed' or delivery.step = 9)
    or (
    select body <> '' from events where id = delivery.event_id and workspace_id = delivery.workspace_id limit 1))
    and ($6::text is null or $6 = (
      select type from events where id = delivery.event_id and workspace_id = delivery.workspace_id))
  offset 0
) delivery
where endpoint.workspace_id = $1 and endpoint.status = 'enabled' and endpoint.id = coalesce($2, endpoint.id);

prepare count_resendable_succeeded as
select count(*) as total from webhook_endpoints endpoint
cross join lateral (
  select delivery.id, delivery.workspace_id, delivery.event_id from webhook_deliveries delivery
  where delivery.endpoint_id = endpoint.id and delivery.workspace_id = endpoint.workspace_id
    and delivery.created_at >= coalesce($3, '-infinity'::timestamptz)
    and delivery.created_at < coalesce($4, 'infinity'::timestamptz)
    and delivery.status = 'succeeded' and (delivery.ended_at is null or delivery.ended_at < $5)
    and (delivery.created_at > now() - interval '30 days' and (delivery.status <> 'failed' or delivery.step = 9)
    or (
    select body <> '' from events where id = delivery.event_id and workspace_id = delivery.workspace_id limit 1))
    and ($6::text is null or $6 = (
      select type from events where id = delivery.event_id and workspace_id = delivery.workspace_id))
  offset 0
) delivery
where endpoint.workspace_id = $1 and endpoint.status = 'enabled' and endpoint.id = coalesce($2, endpoint.id);

prepare resend_delivery as
with chosen as (
  select delivery.id, delivery.endpoint_id, endpoint.status, event.body <> '' as has_body from webhook_deliveries delivery
  join webhook_endpoints endpoint
    on endpoint.id = delivery.endpoint_id and endpoint.workspace_id = delivery.workspace_id
  cross join lateral (
    select body from events
    where workspace_id = delivery.workspace_id and id = delivery.event_id limit 1 for share) event
  where delivery.workspace_id = $1 and delivery.id = $2 and endpoint.deleted_at is null
),
restarted as (
  update webhook_deliveries delivery set status = 'pending', step = 0, due_at = $3, lease = null, ended_at = null,
  scheduled_at = null, early_at = null, early_attempts = 0
  from chosen where delivery.workspace_id = $1 and delivery.id = chosen.id and chosen.status = 'enabled' and has_body
)
select status, endpoint_id as "endpointId", has_body as "hasBody" from chosen;

prepare resend_failed as
with chosen as (
    select delivery.id from (
      select delivery.* from webhook_endpoints endpoint
cross join lateral (
  select delivery.id, delivery.workspace_id, delivery.event_id from webhook_deliveries delivery
  where delivery.endpoint_id = endpoint.id and delivery.workspace_id = endpoint.workspace_id
    and delivery.created_at >= coalesce($3, '-infinity'::timestamptz)
    and delivery.created_at < coalesce($4, 'infinity'::timestamptz)
    and delivery.status = 'failed' and (delivery.ended_at is null or delivery.ended_at < $5)
    and (
    select body <> '' from events where id = delivery.event_id and workspace_id = delivery.workspace_id limit 1)
    and ($6::text is null or $6 = (
      select type from events where id = delivery.event_id and workspace_id = delivery.workspace_id))
  limit $7 for update skip locked
) delivery
where endpoint.workspace_id = $1 and endpoint.status = 'enabled' and endpoint.id = coalesce($2, endpoint.id)
      limit $7) delivery
    cross join lateral (
      select from events
      where workspace_id = delivery.workspace_id and id = delivery.event_id and body <> '' limit 1 for share) event)
  update webhook_deliveries set status = 'pending', step = 0, due_at = $8, lease = null, ended_at = null,
  scheduled_at = null, early_at = null, early_attempts = 0
  where workspace_id = $1 and id = any (array (select id from chosen))
  returning id;

prepare resend_held as
with chosen as (
    select delivery.id from (
      select delivery.* from webhook_endpoints endpoint
cross join lateral (
  select delivery.id, delivery.workspace_id, delivery.event_id from webhook_deliveries delivery
  where delivery.endpoint_id = endpoint.id and delivery.workspace_id = endpoint.workspace_id
    and delivery.created_at >= coalesce($3, '-infinity'::timestamptz)
    and delivery.created_at < coalesce($4, 'infinity'::timestamptz)
    and delivery.status = 'held' and (delivery.ended_at is null or delivery.ended_at < $5)
    and (
    select body <> '' from events where id = delivery.event_id and workspace_id = delivery.workspace_id limit 1)
    and ($6::text is null or $6 = (
      select type from events where id = delivery.event_id and workspace_id = delivery.workspace_id))
  limit $7 for update skip locked
) delivery
where endpoint.workspace_id = $1 and endpoint.status = 'enabled' and endpoint.id = coalesce($2, endpoint.id)
      limit $7) delivery
    cross join lateral (
      select from events
      where workspace_id = delivery.workspace_id and id = delivery.event_id and body <> '' limit 1 for share) event)
  update webhook_deliveries set status = 'pending', step = 0, due_at = $8, lease = null, ended_at = null,
  scheduled_at = null, early_at = null, early_attempts = 0
  where workspace_id = $1 and id = any (array (select id from chosen))
  returning id;

prepare resend_succeeded as
with chosen as (
    select delivery.id from (
      select delivery.* from webhook_endpoints endpoint
cross join lateral (
  select delivery.id, delivery.workspace_id, delivery.event_id from webhook_deliveries delivery
  where delivery.endpoint_id = endpoint.id and delivery.workspace_id = endpoint.workspace_id
    and delivery.created_at >= coalesce($3, '-infinity'::timestamptz)
    and delivery.created_at < coalesce($4, 'infinity'::timestamptz)
    and delivery.status = 'succeeded' and (delivery.ended_at is null or delivery.ended_at < $5)
    and (
    select body <> '' from events where id = delivery.event_id and workspace_id = delivery.workspace_id limit 1)
    and ($6::text is null or $6 = (
      select type from events where id = delivery.event_id and workspace_id = delivery.workspace_id))
  limit $7 for update skip locked
) delivery
where endpoint.workspace_id = $1 and endpoint.status = 'enabled' and endpoint.id = coalesce($2, endpoint.id)
      limit $7) delivery
    cross join lateral (
      select from events
      where workspace_id = delivery.workspace_id and id = delivery.event_id and body <> '' limit 1 for share) event)
  update webhook_deliveries set status = 'pending', step = 0, due_at = $8, lease = null, ended_at = null,
  scheduled_at = null, early_at = null, early_attempts = 0
  where workspace_id = $1 and id = any (array (select id from chosen))
  returning id;

-- src/webhooks/retry.ts

prepare begin_release_of_endpoint as
update webhook_endpoints set release_at = $3, release_failures = 0
where workspace_id = $1 and id = $2 and status = 'enabled' and deleted_at is null
returning id;

prepare count_waiting_deliveries as
select count(*) as waiting from webhook_deliveries where workspace_id = $1 and endpoint_id = $2 and lease is null and due_at > $3;

prepare end_pauses_of_deliveries as
with paused as (
  select id from webhook_deliveries where workspace_id = $1 and endpoint_id = $2 and lease is null and due_at > $3 and early_at > $3
  order by early_at limit $4
  for no key update skip locked
)
update webhook_deliveries set early_at = least(created_at, $3), early_attempts = 0
where workspace_id = $1 and id = any (array (select id from paused))
returning id;

prepare end_pauses_of_unattempted_deliveries as
with paused as (
  select id from webhook_deliveries where workspace_id = $1 and endpoint_id = $2 and lease is null and due_at > $3 and early_at is null
  order by due_at limit $4
  for no key update skip locked
)
update webhook_deliveries set early_at = least(created_at, $3), early_attempts = 0
where workspace_id = $1 and id = any (array (select id from paused))
returning id;

-- src/webhooks/test-receiver.ts

prepare list_secrets_of_test_receiver as
select id as "endpointId", secret, previous_secret as "previousSecret", previous_secret_until as "previousSecretUntil"
from webhook_endpoints where workspace_id = $1 and url = $2 and deleted_at is null;

-- src/webhooks/update.ts

prepare lock_endpoint_settings as
select url, description, event_types as "eventTypes" from webhook_endpoints
where workspace_id = $1 and id = $2 and deleted_at is null for no key update;

prepare update_endpoint_settings as
update webhook_endpoints set url = $3, description = $4, event_types = $5,
  event_types_changed_at = case when event_types is not distinct from $5 then event_types_changed_at else $6::timestamptz end,
  url_changed_at = case when url = $3 then url_changed_at else $6::timestamptz end,
  failing_since = case when url = $3 then failing_since end,
  release_at = case when url = $3 then release_at when status = 'enabled' then $6 end,
  release_failures = case when url = $3 then release_failures else 0 end
where workspace_id = $1 and id = $2;

-- src/workspaces/blocked.ts

prepare block_recipients as
insert into blocked_recipients (workspace_id, phone, created_at, reason, blocked_by)
select $1, r.phone, $2, r.reason, $3 from jsonb_to_recordset($4) as r (phone text, reason text) order by r.phone
on conflict do nothing returning phone;

prepare count_blocked_recipients as
select count(*) as count from blocked_recipients where workspace_id = $1 and ($3::text[] is null or phone like '%' || $2 || '%' or phone = any ($3));

prepare find_blocked_recipients as
select phone, created_at as "blockedAt", reason, blocked_by as "blockedBy" from blocked_recipients where workspace_id = $1 and phone = any ($2) order by phone;

prepare list_blocked_recipients_by_phone as
select phone, created_at as "blockedAt", reason, blocked_by as "blockedBy" from blocked_recipients where workspace_id = $1 and phone > coalesce($2::text, '')
  and ($4::text[] is null or phone like '%' || $3 || '%' or phone = any ($4))
order by phone limit 51;

prepare list_latest_blocked_recipients as
select phone, created_at as "blockedAt", reason, blocked_by as "blockedBy" from blocked_recipients
where workspace_id = $1 and phone <> '' and ($5::text[] is null or phone like '%' || $4 || '%' or phone = any ($5))
  and (created_at, phone) < (coalesce($2, 'infinity'::timestamptz), coalesce($3::text, ''))
order by created_at desc, phone desc limit 51;

prepare unblock_recipient as
delete from blocked_recipients where workspace_id = $1 and phone = $2 returning phone, created_at as "blockedAt", reason, blocked_by as "blockedBy";

-- src/workspaces/deletion.ts

prepare cancel_workspace_deletion as
update workspaces set deletion_requested_at = null, deletion_due_at = null where id = $1;

prepare request_workspace_deletion as
update workspaces set deletion_requested_at = clock_timestamp(), deletion_due_at = $2, deleted_at = $3 where id = $1;

-- src/workspaces/keys/keys.ts

prepare expire_api_key as
update api_keys set expires_at = least(expires_at, $3), expiry_changed_at = clock_timestamp()
where workspace_id = $1 and public_id = $2 and revoked_at is null
returning expires_at as "expiresAt";

prepare find_workspace_of_key as
select workspace_id as "workspaceId" from api_keys where public_id = $1;

prepare insert_api_key as
insert into api_keys (public_id, workspace_id, name, secret_hash, created_at, expires_at)
select $2, w.id, $3, $4, $5, $6 from workspaces w where w.id = $1 and w.deleted_at is null
returning public_id;

prepare list_recently_changed_api_keys as
select pg_postmaster_start_time()::text as server, array (
select public_id || ' ' || revoked_at from api_keys where revoked_at > clock_timestamp() - interval '1 hour'
union all
select public_id || ' ' || expiry_changed_at from api_keys where expiry_changed_at > clock_timestamp() - interval '1 hour'
union all
select k.public_id || ' ' || w.deletion_requested_at from workspaces w join api_keys k on k.workspace_id = w.id
where w.deletion_requested_at > clock_timestamp() - interval '1 hour') as changes;

prepare read_api_keys as
select k.public_id, k.workspace_id, k.secret_hash, k.expires_at
from api_keys k join workspaces w on w.id = k.workspace_id
where k.public_id = any($1) and k.revoked_at is null and w.deletion_requested_at is null;

prepare revoke_api_key as
update api_keys set revoked_at = clock_timestamp()
where workspace_id = $1 and public_id = $2 and revoked_at is null returning public_id;

prepare update_api_key_uses as
update api_keys set last_used_at = $2
where public_id = any($1) and (last_used_at is null or last_used_at < $2::timestamptz - interval '50 seconds');

-- src/workspaces/keys/manage-keys.ts

prepare find_api_key as
select public_id as "publicId", name, created_at as "createdAt", last_used_at as "lastUsedAt",
expires_at as "expiresAt", revoked_at as "revokedAt"
 from api_keys where workspace_id = $1 and public_id = $2;

prepare list_api_keys as
select public_id as "publicId", name, created_at as "createdAt", last_used_at as "lastUsedAt",
expires_at as "expiresAt", revoked_at as "revokedAt"
 from api_keys where workspace_id = $1 order by created_at desc, public_id limit 500;

prepare lock_api_key_to_rotate as
select name, expires_at as "expiresAt", revoked_at as "revokedAt"
from api_keys where workspace_id = $1 and public_id = $2 for update;

-- src/workspaces/quota.ts

prepare count_quotas_by_left as
select k.kind, (count(*) filter (where l.share = 0))::int as none,
  (count(*) filter (where l.share > 0 and l.share < $2))::int as low,
  (count(*) filter (where l.share >= $2))::int as enough, min(l.share)::float8 as "lowestLeft"
from unnest($3::text[]) with ordinality as k (kind, position)
left join lateral (
  select greatest(0, 1 - coalesce(
    (select used from quota_usage u where u.workspace_id = q.workspace_id and u.kind = q.kind and u.month = $1), 0)::float8
      / q.monthly_units) as share
  from workspaces w cross join lateral (
    select workspace_id, kind, monthly_units from quotas
    where workspace_id = w.id and kind = k.kind and monthly_units > 0 limit 1) q
  where w.deleted_at is null and not w.sandbox) l on true
group by k.kind, k.position order by k.position;

prepare delete_quota_usage as
delete from quota_usage where workspace_id = $1;

prepare find_workspace_of_quota_counter as
select workspace_id as "workspaceId" from quota_usage where ctid = $1::tid;

prepare list_quotas as
select kind, monthly_units from quotas where workspace_id = $1;

prepare list_used_up_quotas as
select a.kind, a.monthly_units as "monthlyUnits" from quotas a
cross join lateral (
  select used from quota_usage q where q.workspace_id = $1 and q.kind = a.kind and q.month = $2 limit 1) q
where a.workspace_id = $1 and a.monthly_units > 0 and q.used >= a.monthly_units order by a.kind;

prepare list_used_up_quotas_batch as
select batch.position as "workspacePosition", r.*
from unnest($1::uuid[]) with ordinality as batch (id, position)
cross join lateral (
select a.kind, a.monthly_units as "monthlyUnits" from quotas a
cross join lateral (
  select used from quota_usage q where q.workspace_id = batch.id and q.kind = a.kind and q.month = $2 limit 1) q
where a.workspace_id = batch.id and a.monthly_units > 0 and q.used >= a.monthly_units order by a.kind offset 0) r;

prepare lock_quota as
select monthly_units as "monthlyUnits" from quotas where workspace_id = $1 and kind = $2 for update;

prepare open_quota_months as
insert into quota_usage (workspace_id, kind, month, used)
select m.workspace_id, m.kind, m.month, 0
from jsonb_to_recordset($1) as m (workspace_id uuid, kind text, month date)
order by m.workspace_id
on conflict do nothing;

prepare set_quota as
insert into quotas (workspace_id, kind, monthly_units) values ($1, $2, $3)
on conflict (workspace_id, kind) do update set monthly_units = excluded.monthly_units;

-- src/workspaces/workspace-time.ts

prepare delete_clock_moves as
delete from clock_moves where workspace_id = $1;

prepare find_clock_behind as
select clock_back_ms as "backMs" from workspaces where id = $1;

prepare list_clock_moves as
select moved_at, by_ms from clock_moves where workspace_id = $1 order by moved_at;

prepare list_clock_moves_batch as
select batch.position as "workspacePosition", r.*
from unnest($1::uuid[]) with ordinality as batch (id, position)
cross join lateral (
select moved_at, by_ms from clock_moves where workspace_id = batch.id order by moved_at offset 0) r;

prepare move_workspace_clock as
update workspaces set clock_offset_ms = clock_offset_ms + $2, clock_back_ms = greatest(clock_back_ms, -$2::bigint)
where id = $1 returning id as workspace_id;

prepare record_clock_move as
insert into clock_moves as m (workspace_id, moved_at, by_ms) values ($1, $2, $3)
on conflict (workspace_id, moved_at) do update set by_ms = m.by_ms + excluded.by_ms;

prepare reset_workspace_clock as
update workspaces set clock_offset_ms = 0, clock_back_ms = 0 where id = $1 returning id as workspace_id;

-- src/workspaces/workspaces.ts

prepare get_workspace as
select id as "workspaceId", name, sandbox, created_at as "createdAt", deletion_due_at as "deletionDueAt" from workspaces where id = $1 and deleted_at is null;

prepare insert_workspace as
insert into workspaces (id, name, sandbox, created_at) values ($1, $2, $3, $4);

prepare list_workspaces as
select id as "workspaceId", name, sandbox, created_at as "createdAt", deletion_due_at as "deletionDueAt" from workspaces where deleted_at is null order by created_at, id limit 1000;

prepare list_workspaces_of_any_schema as
select id as "workspaceId", name, sandbox from workspaces where deleted_at is null order by id limit 1000;

prepare lock_workspace as
select id as "workspaceId", name, sandbox, deletion_due_at as "deletionDueAt", clock_offset_ms as "clockOffsetMs"
from workspaces where id = $1 and deleted_at is null for no key update;

prepare rename_workspace as
update workspaces set name = $2 where id = $1;
