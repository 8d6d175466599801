-- From 000024_use_codes_once.sql, a migration before 0.1.0, to 000009_create_nodes.sql.

-- Texts become coded texts, which each language words for itself. Stored texts stay as they were written.
create function text_as_written(written text) returns jsonb language sql immutable
  return case when written is not null then jsonb_build_object('code', 'text', 'text', written) end;

alter table provider_accounts alter column status_detail type jsonb using text_as_written(nullif(status_detail, ''));
alter table message_attempts alter column detail type jsonb using text_as_written(detail);
alter table provider_reports alter column note type jsonb using text_as_written(note);
alter table webhook_endpoints alter column status_reason type jsonb using text_as_written(status_reason);
alter table webhook_attempts alter column error type jsonb using text_as_written(error);
alter table messages alter column end_fault type jsonb using text_as_written(end_fault);
alter table confirmations alter column timer_fault type jsonb using text_as_written(timer_fault);
alter table refusal_checks alter column timer_fault type jsonb using text_as_written(timer_fault);

drop function text_as_written(text);

drop table account_syncs;
alter table provider_accounts
  add column sync_started_at timestamptz,
  add column sync_noted_at timestamptz,
  add column sync_step text,
  add column sync_numbers integer,
  add column sync_templates integer,
  add constraint account_sync_step check (sync_step in ('numbers', 'templates', 'storing'));

drop index confirmations_customer;
create index confirmations_customer on confirmations (recipient, sender_id, id);
drop index confirmations_customer_user;
create index confirmations_customer_user on confirmations (customer_user_id, sender_id, id) where customer_user_id is not null;

alter table allowances rename to quotas;
alter index allowances_pkey rename to quotas_pkey;
alter table quotas rename constraint allowances_workspace_id_fkey to quotas_workspace_id_fkey;
alter table quotas rename constraint allowance_kind to quota_kind;
alter table quotas rename constraint allowance_not_negative to quota_not_negative;
update audit_log set action = 'quota.changed' where action = 'allowance.changed';

alter table sender_pace rename held_until to breaker_open_until;
alter table sender_pace rename hold_step to breaker_step;
alter table sender_pace rename held_by_code to breaker_code;

alter table messages rename end_tries to finish_tries;
alter table messages rename end_fault to finish_error;
alter table messages rename constraint message_quarantine_has_fault to message_quarantine_has_error;

alter table confirmations rename follow_up to round;
alter table confirmations rename timer_fault to timer_error;
alter table confirmations rename constraint confirmation_quarantine_has_fault to confirmation_quarantine_has_error;

alter table refusal_checks rename list to round;
alter table refusal_checks rename timer_fault to timer_error;
alter table refusal_checks rename constraint refusal_quarantine_has_fault to refusal_quarantine_has_error;
