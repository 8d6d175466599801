-- Messages of a conversation: the template and its reminder, questions, prompts and closing messages.
alter table messages
  drop constraint message_kind,
  -- Each statement that inserts a message inserts the confirmation as well or holds it locked, and none is ever deleted: a
  -- foreign key would lock each new confirmation once more, a twentieth of what it costs.
  add column confirmation_id uuid,
  add column check_kind text,
  add column purpose text,
  -- what is sent; of an OTP the template and the sealed code say it
  add column content jsonb,
  -- of a question: what each choice means, and which follow-up or list it belongs to
  add column offered jsonb,
  add column round smallint,
  alter column template_name drop not null,
  alter column template_language drop not null,
  alter column correlation_id drop not null,
  alter column api_key_id drop not null,
  alter column quota_unit drop not null,
  add constraint message_kind check (kind in ('otp', 'cod')),
  add constraint otp_is_whole check (kind <> 'otp' or (template_name is not null and template_language is not null
    and correlation_id is not null and api_key_id is not null and quota_unit is not null)),
  add constraint cod_is_whole check (kind <> 'cod' or (confirmation_id is not null and check_kind is not null
    and purpose is not null and content is not null)),
  add constraint message_check check (check_kind in ('confirmation', 'refusal')),
  add constraint message_purpose check (purpose in
    ('template', 'reminder', 'day_question', 'time_question', 'reasons_question', 'note_prompt', 'closing'));

create index messages_confirmation on messages (confirmation_id) where confirmation_id is not null;

alter table events
  add column confirmation_id uuid,
  add foreign key (workspace_id, confirmation_id) references confirmations (workspace_id, id);

create index events_confirmation on events (confirmation_id) where confirmation_id is not null;

-- Which conversation a customer's message was found to belong to.
alter table provider_reports add column confirmation_id uuid;

create index provider_reports_confirmation on provider_reports (confirmation_id) where confirmation_id is not null;

-- How far the clock of a sandbox workspace was moved forward.
alter table workspaces
  add column clock_offset_ms bigint not null default 0,
  add constraint only_sandbox_clocks_move check (sandbox or clock_offset_ms = 0);
