// Written by `npm run locales` from locales/en/*.json.
import type { TextValue } from './text.ts'

/** The parameters of each text. */
export type Texts = {
  'accept.used_up': object
  'accounts.access_token': object
  'accounts.app_secret': object
  'accounts.blank': { at: TextValue }
  'accounts.blocked': object
  'accounts.body': object
  'accounts.body_missing': { expected: TextValue }
  'accounts.cod_parameters_no_body': object
  'accounts.cod_parameters_too_long': { at: TextValue; max: TextValue }
  'accounts.cod_usability_button': { expected: TextValue; position: TextValue; remedy: TextValue; type: TextValue }
  'accounts.cod_usability_category': { category: TextValue; needed: TextValue; remedy: TextValue }
  'accounts.cod_usability_gap': { count: number; missing: TextValue; remedy: TextValue }
  'accounts.cod_usability_header_format': { format: TextValue; remedy: TextValue }
  'accounts.cod_usability_no_body': { remedy: TextValue }
  'accounts.cod_usability_status': { approved: TextValue; status: TextValue }
  'accounts.credentials': object
  'accounts.deleted': object
  'accounts.draft_adjacent': object
  'accounts.draft_blank_lines': object
  'accounts.draft_button_count': { max: TextValue }
  'accounts.draft_control': object
  'accounts.draft_edge': object
  'accounts.draft_emoji': object
  'accounts.draft_expiry': { max: TextValue; min: TextValue }
  'accounts.draft_few_words': object
  'accounts.draft_filled_too_long': { max: TextValue }
  'accounts.draft_formatting': object
  'accounts.draft_gap': { numbered: TextValue }
  'accounts.draft_language': object
  'accounts.draft_missing': object
  'accounts.draft_mixed_variables': object
  'accounts.draft_name_form': object
  'accounts.draft_new_line': object
  'accounts.draft_no_variables': object
  'accounts.draft_one_variable': object
  'accounts.draft_same_button': object
  'accounts.draft_same_variable': object
  'accounts.draft_spaces': object
  'accounts.draft_too_long': { max: TextValue }
  'accounts.draft_too_many_emojis': { max: TextValue }
  'accounts.draft_variable_form': { named: TextValue; numbered: TextValue }
  'accounts.draft_variable_too_long': { max: TextValue }
  'accounts.expected_confirmation': object
  'accounts.expected_names': { names: TextValue }
  'accounts.expected_one': object
  'accounts.expected_refusal': object
  'accounts.expected_several': { count: number }
  'accounts.fault': object
  'accounts.footer': object
  'accounts.graph_scheme': object
  'accounts.graph_url': { example: TextValue }
  'accounts.header': object
  'accounts.header_missing': { parameter: TextValue }
  'accounts.header_parameter': { remedy: TextValue }
  'accounts.header_parameters': { count: number; remedy: TextValue }
  'accounts.known': object
  'accounts.labels': object
  'accounts.lacks': { name: TextValue }
  'accounts.more_bodies': { remedy: TextValue }
  'accounts.more_parameters': { count: number; remedy: TextValue }
  'accounts.new_account_missing': { secret: TextValue }
  'accounts.no_account': { accountId: TextValue }
  'accounts.no_header': object
  'accounts.no_list': { expected: TextValue }
  'accounts.no_object': { expected: TextValue }
  'accounts.no_parameter': { remedy: TextValue }
  'accounts.no_replies': { expected: TextValue; remedy: TextValue }
  'accounts.no_sender': object
  'accounts.no_template': object
  'accounts.obstacle_account': object
  'accounts.obstacle_gone': object
  'accounts.obstacle_paused': object
  'accounts.obstacle_removed': object
  'accounts.obstacle_status': { first: TextValue; second: TextValue; status: TextValue }
  'accounts.obstacle_unreadable': object
  'accounts.one_reply': { expected: TextValue; remedy: TextValue }
  'accounts.one_value': { expected: TextValue }
  'accounts.other_names': { expected: TextValue }
  'accounts.other_parameter': { needed: TextValue; parameter: TextValue; remedy: TextValue }
  'accounts.provider_refusal_remedy_other': { wabaId: TextValue }
  'accounts.provider_refusal_unreachable': { cause: TextValue; graphUrl: TextValue }
  'accounts.rate': object
  'accounts.refused_with': { errorCode: TextValue; title: TextValue }
  'accounts.remedy': object
  'accounts.remedy_create': object
  'accounts.remedy_fault': object
  'accounts.remedy_in_appeal': object
  'accounts.remedy_no_object': { wabaId: TextValue }
  'accounts.remedy_other': object
  'accounts.remedy_other_app': object
  'accounts.remedy_other_object': { wabaId: TextValue }
  'accounts.remedy_paused': object
  'accounts.remedy_pending': object
  'accounts.remedy_rate': object
  'accounts.remedy_rejected': object
  'accounts.remedy_token': { wabaId: TextValue }
  'accounts.repeated': { remedy: TextValue; type: TextValue }
  'accounts.replies': { count: number; expected: TextValue; remedy: TextValue }
  'accounts.secret': { secret: TextValue }
  'accounts.still_there': object
  'accounts.strange': { remedy: TextValue; type: TextValue }
  'accounts.taken': object
  'accounts.template_refused_edge': object
  'accounts.template_refused_few_words': object
  'accounts.template_refused_refused': object
  'accounts.template_refused_status': object
  'accounts.template_refused_too_long': object
  'accounts.template_refused_unreachable': { cause: TextValue }
  'accounts.token_unreadable': object
  'accounts.too_many': object
  'accounts.too_many_samples': { max: TextValue }
  'accounts.unreadable_secrets': object
  'accounts.unsendable': { at: TextValue }
  'accounts.usability_button': { position: TextValue; remedy: TextValue; type: TextValue }
  'accounts.usability_category': { category: TextValue; needed: TextValue; remedy: TextValue }
  'accounts.usability_header_format': { format: TextValue; remedy: TextValue }
  'accounts.usability_no_body': { remedy: TextValue }
  'accounts.usability_status': { approved: TextValue; remedy: TextValue; status: TextValue }
  'accounts.values': { count: number; expected: TextValue }
  'accounts.verify_token': object
  'accounts.waba_id': { max: TextValue; min: TextValue }
  'accounts.waba_id_differs': { wabaId: TextValue }
  'accounts.with_cause': { cause: TextValue; message: TextValue }
  'admin.account_id': object
  'admin.address': { detail: TextValue }
  'admin.audit_log_operators_only': object
  'admin.charts_backwards': object
  'admin.charts_too_long': { max: TextValue }
  'admin.day': { example: TextValue }
  'admin.delivery_id': object
  'admin.email': object
  'admin.endpoint_host': { host: TextValue }
  'admin.endpoint_id': object
  'admin.endpoint_is_deleted': object
  'admin.endpoint_is_disabled': object
  'admin.endpoint_is_enabled': object
  'admin.endpoint_is_paused': object
  'admin.endpoints_backwards': object
  'admin.fault_of_ours': { correlationId: TextValue }
  'admin.foreign_graph': { graphUrl: TextValue }
  'admin.form_faulty': object
  'admin.id': object
  'admin.instant': object
  'admin.is_here': object
  'admin.keys_too_long': { max: TextValue }
  'admin.kind': object
  'admin.last_owner': object
  'admin.link_over': object
  'admin.live': object
  'admin.messages_sender_id': object
  'admin.missing_account': object
  'admin.missing_blocked_recipient': object
  'admin.missing_confirmation': object
  'admin.missing_delivery': object
  'admin.missing_endpoint': object
  'admin.missing_key': object
  'admin.missing_message': object
  'admin.missing_number': object
  'admin.missing_open_invitation': object
  'admin.missing_person': object
  'admin.missing_sender': object
  'admin.missing_template': object
  'admin.missing_thing_due_any_more': object
  'admin.negative': object
  'admin.no_chat': object
  'admin.no_database': object
  'admin.no_message': object
  'admin.no_phone': object
  'admin.no_phones': object
  'admin.no_session': object
  'admin.no_url': { example: TextValue }
  'admin.no_workspace': object
  'admin.none_chosen': object
  'admin.not_kept': object
  'admin.not_known': object
  'admin.nothing_given': object
  'admin.number': object
  'admin.of_an_operator': { command: TextValue; email: TextValue }
  'admin.one_day': object
  'admin.one_line': object
  'admin.owners_only': object
  'admin.password_common': object
  'admin.people_operators_only': object
  'admin.people_too_many': { max: TextValue }
  'admin.phone_phone': object
  'admin.phone_too_long': object
  'admin.role': { required: TextValue; role: TextValue }
  'admin.role_admin': object
  'admin.role_member': object
  'admin.role_owner': object
  'admin.senders_sender_id': object
  'admin.signed_out': object
  'admin.silent': object
  'admin.taken': object
  'admin.too_much': object
  'admin.too_short': object
  'admin.type': object
  'admin.unable': object
  'admin.whole_days': object
  'admin.workspaces_too_many': { max: TextValue }
  'cod.accept_key_reused': object
  'cod.accept_refusal_key_reused': object
  'cod.accept_refusal_no_confirmation': object
  'cod.advance_no_confirmation': object
  'cod.armed_for_later': object
  'cod.changes_nothing': { status: TextValue; trigger: TextValue }
  'cod.earlier_follow_up': object
  'cod.earlier_list': object
  'cod.empty': object
  'cod.erased': object
  'cod.exists': object
  'cod.failed': object
  'cod.faulty': { faults: TextValue }
  'cod.foreign_button': object
  'cod.form': object
  'cod.kind_audio': object
  'cod.kind_contacts': object
  'cod.kind_document': object
  'cod.kind_image': object
  'cod.kind_location': object
  'cod.kind_reaction': object
  'cod.kind_sticker': object
  'cod.kind_video': object
  'cod.later_is_known': object
  'cod.no_open_question': object
  'cod.no_refusal_check': object
  'cod.no_such_choice': object
  'cod.no_texts': object
  'cod.not_armed': object
  'cod.not_configured': object
  'cod.not_sent': object
  'cod.nothing': object
  'cod.other_conversation': object
  'cod.other_kind': { kind: TextValue }
  'cod.other_release': object
  'cod.other_sender': object
  'cod.passed_over': object
  'cod.present_choice': object
  'cod.present_reason': object
  'cod.receive_no_confirmation': object
  'cod.recipient_erased': object
  'cod.settings_before_reminder': { minutes: TextValue; reminder: TextValue }
  'cod.settings_blank': object
  'cod.settings_control_characters': object
  'cod.settings_half_surrogate': object
  'cod.settings_list_length': { max: TextValue; min: TextValue }
  'cod.settings_many_lines': object
  'cod.settings_minutes': { max: TextValue; min: TextValue }
  'cod.settings_must_be_list': object
  'cod.settings_must_be_object': object
  'cod.settings_must_be_string': object
  'cod.settings_not_a_language': object
  'cod.settings_repeated': object
  'cod.settings_required': object
  'cod.settings_same_as_other': object
  'cod.settings_time_zone': object
  'cod.settings_too_long': { max: TextValue }
  'cod.settings_too_many_languages': { max: TextValue }
  'cod.settings_too_many_weekdays': { max: TextValue }
  'cod.settings_unknown': object
  'cod.settings_weekdays': { weekdays: TextValue }
  'cod.settings_whole_number': { max: TextValue; min: TextValue }
  'cod.status_accepted': object
  'cod.status_awaiting_answer': object
  'cod.status_awaiting_note': object
  'cod.status_awaiting_reason': object
  'cod.status_cancelled': object
  'cod.status_confirmed': object
  'cod.status_denied': object
  'cod.status_failed': object
  'cod.status_no_response': object
  'cod.status_refusal_confirmed': object
  'cod.status_rescheduled': object
  'cod.status_rescheduling': object
  'cod.superseded': object
  'cod.trigger_cancel': object
  'cod.trigger_change_time': object
  'cod.trigger_confirm': object
  'cod.trigger_day': object
  'cod.trigger_day_and_range': object
  'cod.trigger_deadline': object
  'cod.trigger_erasure': object
  'cod.trigger_expiry': object
  'cod.trigger_message': object
  'cod.trigger_no': object
  'cod.trigger_other': object
  'cod.trigger_other_before_text': object
  'cod.trigger_other_choice': object
  'cod.trigger_other_reason': object
  'cod.trigger_range': object
  'cod.trigger_reason': object
  'cod.trigger_reminder': object
  'cod.trigger_send_failed': object
  'cod.trigger_submitted': object
  'cod.trigger_text': object
  'cod.trigger_yes': object
  'cod.unreadable': object
  'doctor.account_refused': { wabaId: TextValue; workspace: TextValue }
  'doctor.account_refused_fix': object
  'doctor.account_sync_failed': { detail: TextValue; wabaId: TextValue; workspace: TextValue }
  'doctor.account_sync_failed_fix': object
  'doctor.account_unreadable': { wabaId: TextValue; workspace: TextValue }
  'doctor.account_unreadable_fix': object
  'doctor.accounts_left_out': { number: TextValue }
  'doctor.accounts_left_out_fix': object
  'doctor.autovacuum_off': object
  'doctor.autovacuum_off_fix': object
  'doctor.certificate_expires': { duration: TextValue; url: TextValue }
  'doctor.certificate_expires_fix': object
  'doctor.check_clock': object
  'doctor.check_database': object
  'doctor.check_disk': object
  'doctor.check_erasures': object
  'doctor.check_failed': { error: TextValue }
  'doctor.check_failed_fix': object
  'doctor.check_key': object
  'doctor.check_leases': object
  'doctor.check_nodes': object
  'doctor.check_pooler': object
  'doctor.check_provider': object
  'doctor.check_public_url': object
  'doctor.check_quarantine': object
  'doctor.check_replication': object
  'doctor.check_reports': object
  'doctor.check_retention': object
  'doctor.check_schema': object
  'doctor.check_settings': object
  'doctor.check_setup': object
  'doctor.check_slow': { duration: TextValue }
  'doctor.check_slow_fix': object
  'doctor.check_work': object
  'doctor.clock_differs': { duration: TextValue; machine: TextValue }
  'doctor.clock_differs_fix': object
  'doctor.clock_wrong': { duration: TextValue; machine: TextValue }
  'doctor.clock_wrong_fix': object
  'doctor.connections_short': { available: TextValue; needed: TextValue }
  'doctor.connections_short_fix': object
  'doctor.database_before_first_release': object
  'doctor.database_before_first_release_fix': object
  'doctor.database_contracted': { contracting: TextValue; known: TextValue; newest: TextValue }
  'doctor.database_contracted_fix': object
  'doctor.database_encoding': { encoding: TextValue }
  'doctor.database_encoding_fix': object
  'doctor.database_missing': { folder: TextValue }
  'doctor.database_missing_fix': object
  'doctor.database_newer': { known: TextValue; newest: TextValue }
  'doctor.database_newer_fix': object
  'doctor.database_old': { version: TextValue }
  'doctor.database_old_fix': object
  'doctor.database_read_only': object
  'doctor.database_read_only_fix': object
  'doctor.database_unreachable': { reason: TextValue }
  'doctor.database_unreachable_fix': object
  'doctor.days': { value: TextValue }
  'doctor.disk_full': { folder: TextValue; megabytes: TextValue }
  'doctor.disk_full_fix': object
  'doctor.disk_low': { folder: TextValue; megabytes: TextValue }
  'doctor.disk_low_fix': object
  'doctor.endpoint_disabled': { duration: TextValue; host: TextValue; workspace: TextValue }
  'doctor.endpoint_disabled_fix': { endpointId: TextValue }
  'doctor.endpoint_failing': { duration: TextValue; host: TextValue; workspace: TextValue }
  'doctor.endpoint_failing_fix': { endpointId: TextValue }
  'doctor.endpoint_secret_unreadable': { host: TextValue; workspace: TextValue }
  'doctor.endpoint_secret_unreadable_fix': { endpointId: TextValue }
  'doctor.erasure_unfinished': { number: TextValue; workspace: TextValue }
  'doctor.erasure_unfinished_fix': { workspaceId: TextValue }
  'doctor.former_key_missing': { keys: TextValue }
  'doctor.former_key_missing_fix': object
  'doctor.hours': { value: TextValue }
  'doctor.isolation': { isolation: TextValue }
  'doctor.isolation_fix': object
  'doctor.key_wrong': { reason: TextValue }
  'doctor.key_wrong_fix': object
  'doctor.leases_stuck': { number: TextValue }
  'doctor.leases_stuck_fix': object
  'doctor.machine_of_node': { nodeId: TextValue }
  'doctor.migrations_pending': { number: TextValue }
  'doctor.migrations_pending_fix': object
  'doctor.minutes': { value: TextValue }
  'doctor.missing_clock': object
  'doctor.missing_config': object
  'doctor.missing_db': object
  'doctor.missing_provider': object
  'doctor.missing_schema': object
  'doctor.missing_seal': object
  'doctor.no_answer': { duration: TextValue }
  'doctor.no_api': object
  'doctor.no_api_fix': object
  'doctor.no_dashboard': object
  'doctor.no_dashboard_fix': object
  'doctor.no_worker': object
  'doctor.no_worker_fix': object
  'doctor.node_silent': { duration: TextValue; nodeId: TextValue }
  'doctor.node_silent_fix': object
  'doctor.not_durable': { settings: TextValue }
  'doctor.not_durable_fix': object
  'doctor.not_migrated': object
  'doctor.not_migrated_fix': object
  'doctor.not_subscribed': { wabaId: TextValue; workspace: TextValue }
  'doctor.not_subscribed_fix': object
  'doctor.nothing_runs': object
  'doctor.nothing_runs_fix': object
  'doctor.ok': object
  'doctor.pooler_reuses_sessions': object
  'doctor.pooler_reuses_sessions_fix': object
  'doctor.pooler_shares_sessions': object
  'doctor.pooler_shares_sessions_fix': object
  'doctor.private_webhooks': object
  'doctor.private_webhooks_fix': object
  'doctor.provider_refuses': { detail: TextValue; wabaId: TextValue; workspace: TextValue }
  'doctor.provider_refuses_fix': object
  'doctor.provider_unreachable': { detail: TextValue; wabaId: TextValue; workspace: TextValue }
  'doctor.provider_unreachable_fix': object
  'doctor.proxies_missing': object
  'doctor.proxies_missing_fix': object
  'doctor.public_url_elsewhere': { url: TextValue }
  'doctor.public_url_elsewhere_fix': object
  'doctor.public_url_missing': object
  'doctor.public_url_missing_fix': object
  'doctor.public_url_plain': { url: TextValue }
  'doctor.public_url_plain_fix': object
  'doctor.public_url_status': { status: TextValue; url: TextValue }
  'doctor.public_url_status_fix': object
  'doctor.public_url_tls': { reason: TextValue; url: TextValue }
  'doctor.public_url_tls_fix': object
  'doctor.public_url_unknown_host': { url: TextValue }
  'doctor.public_url_unknown_host_fix': object
  'doctor.public_url_unreachable': { reason: TextValue; url: TextValue }
  'doctor.public_url_unreachable_fix': object
  'doctor.quarantined': { number: TextValue }
  'doctor.quarantined_fix': object
  'doctor.rate_limit_per_node': { nodes: TextValue }
  'doctor.rate_limit_per_node_fix': object
  'doctor.reports_missing': { number: TextValue; wabaId: TextValue; workspace: TextValue }
  'doctor.reports_missing_fix': { path: TextValue }
  'doctor.retention_behind': { duration: TextValue; setting: TextValue }
  'doctor.retention_behind_fix': object
  'doctor.retention_in_use': { id: TextValue; number: TextValue; setting: TextValue }
  'doctor.retention_in_use_fix': { id: TextValue }
  'doctor.seconds': { value: TextValue }
  'doctor.sender_quality': { phone: TextValue; workspace: TextValue }
  'doctor.sender_quality_fix': object
  'doctor.sender_unusable': { phone: TextValue; workspace: TextValue }
  'doctor.sender_unusable_fix': { reason: TextValue }
  'doctor.session_settings_lost': { settings: TextValue }
  'doctor.session_settings_lost_fix': object
  'doctor.setting_invalid': { mistake: TextValue }
  'doctor.setting_invalid_fix': object
  'doctor.settings_differ': { setting: TextValue }
  'doctor.settings_differ_fix': object
  'doctor.skipped': { missing: TextValue }
  'doctor.skipped_fix': object
  'doctor.standby_lags': { duration: TextValue; megabytes: TextValue; name: TextValue }
  'doctor.standby_lags_fix': object
  'doctor.standby_missing': object
  'doctor.standby_missing_fix': object
  'doctor.template_stopped': { language: TextValue; name: TextValue; status: TextValue; workspace: TextValue }
  'doctor.template_stopped_fix': object
  'doctor.this_machine': object
  'doctor.token_refused': { detail: TextValue; wabaId: TextValue; workspace: TextValue }
  'doctor.token_refused_fix': object
  'doctor.transaction_timeout': { duration: TextValue; needed: TextValue }
  'doctor.transaction_timeout_fix': object
  'doctor.versions_differ': { versions: TextValue }
  'doctor.versions_differ_fix': object
  'doctor.work_daily_figures': object
  'doctor.work_deletions': object
  'doctor.work_deliveries': object
  'doctor.work_late': { duration: TextValue; work: TextValue }
  'doctor.work_late_fix': object
  'doctor.work_messages': object
  'doctor.work_releases': object
  'doctor.work_reports': object
  'doctor.work_stuck': { duration: TextValue; work: TextValue }
  'doctor.work_stuck_fix': object
  'doctor.work_syncs': object
  'doctor.work_timers': object
  'doctor.workspaces_left_out': { number: TextValue }
  'doctor.workspaces_left_out_fix': object
  'events.form': object
  'explain.again': { times: TextValue }
  'explain.answer_by': { deadlineAt: TextValue }
  'explain.answer_cancelled': object
  'explain.answer_confirmed': object
  'explain.answer_day_chosen': object
  'explain.answer_denied': object
  'explain.answer_latest': { followUpAt: TextValue }
  'explain.answer_other_chosen': object
  'explain.answer_range_chosen': object
  'explain.answer_refusal_confirmed': object
  'explain.answer_refused': object
  'explain.answer_reschedule_started': object
  'explain.answer_rescheduled': object
  'explain.answered': { answer: TextValue; check: TextValue; given: TextValue; superseded: TextValue }
  'explain.armed': { check: TextValue; what: TextValue }
  'explain.at': { at: TextValue }
  'explain.attempt': { attempt: TextValue; because: TextValue; of: TextValue; outcome: TextValue }
  'explain.because': { causes: TextValue }
  'explain.breaker_and_remedy': { breakerOpenUntil: TextValue; remedy: TextValue }
  'explain.check_confirmation': object
  'explain.check_refusal': object
  'explain.code': { errorCode: TextValue }
  'explain.confirmation_cancelled': object
  'explain.confirmation_confirmed': object
  'explain.confirmation_no_response': object
  'explain.confirmation_request': { apiKeyId: TextValue; correlationId: TextValue; recipient: TextValue; reference: TextValue; senderPhone: TextValue; templateLanguage: TextValue; templateName: TextValue }
  'explain.confirmation_rescheduled': object
  'explain.deed_chooses': { label: TextValue; question: TextValue }
  'explain.deed_chooses_foreign': object
  'explain.deed_chooses_meaning': { label: TextValue; meaning: TextValue; question: TextValue }
  'explain.deed_quotes': { message: TextValue; text: TextValue }
  'explain.deed_removed': object
  'explain.deed_sends': { kind: TextValue }
  'explain.deed_taps': { answer: TextValue; question: TextValue }
  'explain.deed_taps_foreign': object
  'explain.deed_taps_other_confirmation': object
  'explain.deed_taps_other_release': object
  'explain.deed_unreadable': object
  'explain.deed_writes': { text: TextValue }
  'explain.delivery_held': { endpointStatus: TextValue; url: TextValue }
  'explain.dropped': { until: TextValue }
  'explain.failing': { dueAt: TextValue; fault: TextValue; url: TextValue }
  'explain.failing_in_turn': { url: TextValue }
  'explain.fate': { fate: TextValue }
  'explain.fate_because': { fate: TextValue; note: TextValue }
  'explain.fate_ignored': object
  'explain.fate_parked': object
  'explain.fate_quarantined': object
  'explain.fate_waiting': object
  'explain.fault_answered': { httpStatus: TextValue }
  'explain.fault_no_answer': { why: TextValue }
  'explain.fault_reported': { errorCode: TextValue; title: TextValue }
  'explain.fault_silent': object
  'explain.fault_till_the_end': { errorCode: TextValue; title: TextValue }
  'explain.fault_unknown': object
  'explain.for_none': { id: TextValue; type: TextValue }
  'explain.for_one': { id: TextValue; type: TextValue }
  'explain.for_several': { count: number; id: TextValue; type: TextValue }
  'explain.given': { values: TextValue }
  'explain.given_up': { fault: TextValue; resend: TextValue; url: TextValue }
  'explain.heard': { again: TextValue; deed: TextValue; fate: TextValue }
  'explain.held': { enable: TextValue; endpointStatus: TextValue; reason: TextValue; resend: TextValue; url: TextValue }
  'explain.just_taken': object
  'explain.known_code': { errorCode: TextValue; title: TextValue }
  'explain.look_up_known_code': { errorCode: TextValue; title: TextValue }
  'explain.look_up_unknown_code': { errorCode: TextValue }
  'explain.may_have_arrived': object
  'explain.message': { name: TextValue; superseded: TextValue; tappable: TextValue; text: TextValue }
  'explain.message_quarantined': { fault: TextValue; tries: TextValue }
  'explain.message_request': { apiKeyId: TextValue; correlationId: TextValue; recipient: TextValue; senderPhone: TextValue; templateLanguage: TextValue; templateName: TextValue }
  'explain.message_superseded': object
  'explain.must_answer': object
  'explain.name_confirmation_closing': object
  'explain.name_confirmation_question': object
  'explain.name_confirmation_reminder': object
  'explain.name_day_question': object
  'explain.name_note_prompt': object
  'explain.name_reasons_question': object
  'explain.name_refusal_closing': object
  'explain.name_refusal_question': object
  'explain.name_refusal_reminder': object
  'explain.name_time_question': object
  'explain.no_action': { why: TextValue }
  'explain.no_answer': object
  'explain.no_code': object
  'explain.no_reason': object
  'explain.no_worker': { dueAt: TextValue; role: TextValue }
  'explain.not_made': { why: TextValue }
  'explain.nothing_reported': object
  'explain.nothing_said': object
  'explain.of': { message: TextValue }
  'explain.offline': object
  'explain.offline_until': { until: TextValue }
  'explain.outcome_accepted': object
  'explain.outcome_no_answer': object
  'explain.outcome_not_made': object
  'explain.outcome_refused': object
  'explain.outcome_retry': object
  'explain.outcome_under_way': object
  'explain.outcome_unknown': object
  'explain.over_other': object
  'explain.posted': { answer: TextValue; attempt: TextValue; because: TextValue; durationMs: TextValue; url: TextValue }
  'explain.posting': { url: TextValue }
  'explain.reason': { reason: TextValue }
  'explain.refusal_denied': object
  'explain.refusal_no_response': object
  'explain.refusal_refusal_confirmed': object
  'explain.refusal_request': { apiKeyId: TextValue; correlationId: TextValue; templateLanguage: TextValue; templateName: TextValue }
  'explain.release': { release: TextValue; what: TextValue }
  'explain.reported': { again: TextValue; at: TextValue; fate: TextValue; of: TextValue; outcome: TextValue; why: TextValue }
  'explain.reported_delivered': object
  'explain.reported_failed': object
  'explain.reported_no_status': { again: TextValue; fate: TextValue; of: TextValue }
  'explain.reported_played': object
  'explain.reported_read': object
  'explain.reported_removed': { again: TextValue; fate: TextValue; of: TextValue }
  'explain.reported_sent': object
  'explain.reported_unknown_status': { again: TextValue; fate: TextValue; of: TextValue; word: TextValue }
  'explain.secret_lost': { resend: TextValue; rotate: TextValue; url: TextValue }
  'explain.secret_lost_held': { enable: TextValue; resend: TextValue; rotate: TextValue; url: TextValue }
  'explain.silent': { path: TextValue; since: TextValue }
  'explain.slow_in_turn': { url: TextValue }
  'explain.stands_for_code': object
  'explain.stands_for_removed': object
  'explain.stands_for_template': { name: TextValue }
  'explain.superseded': object
  'explain.tap_cancel': object
  'explain.tap_change_time': object
  'explain.tap_confirm': object
  'explain.tap_no': object
  'explain.tap_yes': object
  'explain.tappable': { choices: TextValue }
  'explain.thing_message': object
  'explain.thing_report': object
  'explain.thing_timer': object
  'explain.timer_deadline': object
  'explain.timer_follow_up': object
  'explain.timer_quarantined': { check: TextValue; fault: TextValue; tries: TextValue }
  'explain.timer_reminder': object
  'explain.to_post': { url: TextValue }
  'explain.tried_again': { retryAt: TextValue }
  'explain.unavailable': { remedy: TextValue; submitBy: TextValue }
  'explain.unit': { month: TextValue; unit: TextValue }
  'explain.unit_of': { month: TextValue; quota: TextValue; unit: TextValue }
  'explain.unknown_code': { errorCode: TextValue }
  'explain.was_held': { resend: TextValue; url: TextValue }
  'explain.why_about_to_go': object
  'explain.why_answer_lost': { dueAt: TextValue }
  'explain.why_arrived': object
  'explain.why_breaker_open': { breakerOpenUntil: TextValue }
  'explain.why_breaker_open_by_code': { breakerOpenUntil: TextValue; errorCode: TextValue; title: TextValue }
  'explain.why_catches_up': { url: TextValue }
  'explain.why_endpoint_deleted': { url: TextValue }
  'explain.why_on_its_way': { url: TextValue }
  'explain.why_reached_all': object
  'explain.why_tried_again': { dueAt: TextValue }
  'explain.why_under_way': object
  'export.column_account_id': object
  'export.column_action': object
  'export.column_after': object
  'export.column_answered': object
  'export.column_at': object
  'export.column_attempts': object
  'export.column_awaiting_answer': object
  'export.column_before': object
  'export.column_blocked': object
  'export.column_blocked_by': object
  'export.column_cancelled': object
  'export.column_category': object
  'export.column_confirmed': object
  'export.column_conversation': object
  'export.column_created': object
  'export.column_customer_note': object
  'export.column_day': object
  'export.column_description': object
  'export.column_duration_ms': object
  'export.column_email': object
  'export.column_ended': object
  'export.column_error': object
  'export.column_event_id': object
  'export.column_event_type': object
  'export.column_event_types': object
  'export.column_expires': object
  'export.column_failed': object
  'export.column_failing_since': object
  'export.column_failure_code': object
  'export.column_half_within_ms': object
  'export.column_http_status': object
  'export.column_id': object
  'export.column_kind': object
  'export.column_language': object
  'export.column_last_attempt': object
  'export.column_last_seen': object
  'export.column_last_used': object
  'export.column_member_since': object
  'export.column_message_id': object
  'export.column_most_within_ms': object
  'export.column_name': object
  'export.column_new_date': object
  'export.column_new_time_range': object
  'export.column_next_attempt': object
  'export.column_no_response': object
  'export.column_number': object
  'export.column_one_time_codes': object
  'export.column_operator': object
  'export.column_order_id': object
  'export.column_orders': object
  'export.column_paused': object
  'export.column_phone': object
  'export.column_purpose': object
  'export.column_quality': object
  'export.column_reason': object
  'export.column_recipient': object
  'export.column_reference': object
  'export.column_refusal_reason': object
  'export.column_refusal_status': object
  'export.column_rescheduled': object
  'export.column_revoked': object
  'export.column_role': object
  'export.column_sender': object
  'export.column_sent': object
  'export.column_share': object
  'export.column_status': object
  'export.column_status_since': object
  'export.column_target': object
  'export.column_template': object
  'export.column_text': object
  'export.column_two_factor': object
  'export.column_url': object
  'export.column_who': object
  'export.column_within_ms': object
  'export.cut': { max: TextValue }
  'export.too_many': object
  'failures.policy_violation': object
  'failures.policy_violation_remedy': object
  'failures.policy_violation_short': object
  'failures.provider_credentials_invalid': object
  'failures.provider_credentials_invalid_remedy': object
  'failures.provider_credentials_invalid_short': object
  'failures.provider_unavailable': object
  'failures.provider_unavailable_remedy': object
  'failures.provider_unavailable_short': object
  'failures.recipient_erased': object
  'failures.recipient_erased_remedy': object
  'failures.recipient_erased_short': object
  'failures.recipient_not_allowed': object
  'failures.recipient_not_allowed_remedy': object
  'failures.recipient_not_allowed_short': object
  'failures.recipient_rate_limited': object
  'failures.recipient_rate_limited_remedy': object
  'failures.recipient_rate_limited_short': object
  'failures.recipient_unreachable': object
  'failures.recipient_unreachable_remedy': object
  'failures.recipient_unreachable_short': object
  'failures.sender_rate_limited': object
  'failures.sender_rate_limited_remedy': object
  'failures.sender_rate_limited_short': object
  'failures.sender_unavailable': object
  'failures.sender_unavailable_remedy': object
  'failures.sender_unavailable_short': object
  'failures.submission_expired': object
  'failures.submission_expired_remedy': object
  'failures.submission_expired_short': object
  'failures.template_disabled': object
  'failures.template_disabled_remedy': object
  'failures.template_disabled_short': object
  'failures.template_not_found': object
  'failures.template_not_found_remedy': object
  'failures.template_not_found_short': object
  'failures.template_parameters_rejected': object
  'failures.template_parameters_rejected_remedy': object
  'failures.template_parameters_rejected_short': object
  'failures.template_paused': object
  'failures.template_paused_remedy': object
  'failures.template_paused_short': object
  'failures.unknown': object
  'failures.unknown_short': object
  'failures.window_closed': object
  'failures.window_closed_remedy': object
  'failures.window_closed_short': object
  'http.is_required': object
  'http.must_be_an_array': object
  'http.must_be_an_object': object
  'http.must_be_object': object
  'http.must_be_phone': object
  'http.must_be_text': object
  'http.must_be_uuid': object
  'http.must_be_whole': object
  'http.must_be_whole_within': { max: TextValue; min: TextValue }
  'http.must_have_at_least': { min: TextValue }
  'http.must_have_at_most': { max: TextValue }
  'http.must_have_within': { max: TextValue; min: TextValue }
  'http.must_not_be_empty': object
  'http.not_valid': object
  'http.unknown_field': object
  'http.unknown_query_parameter': object
  'http.unstorable': object
  'http.unstorable_name': object
  'jobs.row_locked': object
  'messages.already_known': { status: TextValue }
  'messages.code_missing': object
  'messages.erased': object
  'messages.failed_afterwards': object
  'messages.interrupted': object
  'messages.known_failure': object
  'messages.no_message': object
  'messages.seal_broken': object
  'messages.stale_failure': { status: TextValue }
  'messages.status_accepted': object
  'messages.status_delivered': object
  'messages.status_failed': object
  'messages.status_played': object
  'messages.status_queued': object
  'messages.status_read': object
  'messages.status_received': object
  'messages.status_sending': object
  'messages.status_sent': object
  'messages.unknown_kind': object
  'messages.unknown_message': object
  'messages.unknown_status': object
  'messages.unknown_update': object
  'otp.form': object
  'otp.key_reused': object
  'page_account.actions': object
  'page_account.backup_codes': object
  'page_account.backup_codes_about': object
  'page_account.change_password': object
  'page_account.code': object
  'page_account.confirm': object
  'page_account.current_password': object
  'page_account.device': object
  'page_account.events': object
  'page_account.events_about': object
  'page_account.everywhere': object
  'page_account.everywhere_about': object
  'page_account.is_off': object
  'page_account.is_on': object
  'page_account.kept': object
  'page_account.last_used': object
  'page_account.name': object
  'page_account.name_hint': object
  'page_account.new_codes': object
  'page_account.new_codes_about': object
  'page_account.new_password': object
  'page_account.next': object
  'page_account.no_events': object
  'page_account.or_type': object
  'page_account.password': object
  'page_account.password_about': object
  'page_account.password_changed': object
  'page_account.password_hint': object
  'page_account.qr_code': object
  'page_account.save': object
  'page_account.saved': object
  'page_account.scan': object
  'page_account.second_factor': object
  'page_account.second_factor_about': object
  'page_account.sessions': object
  'page_account.sessions_about': object
  'page_account.sign_out': object
  'page_account.signed_in_at': object
  'page_account.stay': object
  'page_account.this_one': object
  'page_account.title': object
  'page_account.turn_off': object
  'page_account.turn_off_about': object
  'page_account.turn_off_title': object
  'page_account.turn_on': object
  'page_account.turn_on_about': object
  'page_account.unknown_device': object
  'page_account.where': object
  'page_account.your_name': object
  'page_audit_log.about': object
  'page_audit_log.actions_account_connected': object
  'page_audit_log.actions_account_removed': object
  'page_audit_log.actions_account_renewed': object
  'page_audit_log.actions_account_subscribed': object
  'page_audit_log.actions_account_sync_failed': object
  'page_audit_log.actions_account_synced': object
  'page_audit_log.actions_clock_advanced': object
  'page_audit_log.actions_clock_stopped_early': object
  'page_audit_log.actions_cod_settings_changed': object
  'page_audit_log.actions_confirmation_sent': object
  'page_audit_log.actions_endpoint_added': object
  'page_audit_log.actions_endpoint_deleted': object
  'page_audit_log.actions_endpoint_enabled': object
  'page_audit_log.actions_endpoint_paused': object
  'page_audit_log.actions_endpoint_pinged': object
  'page_audit_log.actions_endpoint_resent': object
  'page_audit_log.actions_endpoint_resent_one': object
  'page_audit_log.actions_endpoint_resumed': object
  'page_audit_log.actions_endpoint_retried': object
  'page_audit_log.actions_endpoint_secret_rotated': object
  'page_audit_log.actions_endpoint_updated': object
  'page_audit_log.actions_instance_backup_started': object
  'page_audit_log.actions_instance_restored': object
  'page_audit_log.actions_invitation_created': object
  'page_audit_log.actions_invitation_revoked': object
  'page_audit_log.actions_key_created': object
  'page_audit_log.actions_key_revoked': object
  'page_audit_log.actions_key_rotated': object
  'page_audit_log.actions_list_exported': object
  'page_audit_log.actions_member_left': object
  'page_audit_log.actions_member_removed': object
  'page_audit_log.actions_member_role_changed': object
  'page_audit_log.actions_otp_sent': object
  'page_audit_log.actions_person_backup_codes_renewed': object
  'page_audit_log.actions_person_joined': object
  'page_audit_log.actions_person_password_changed': object
  'page_audit_log.actions_person_password_link_made': object
  'page_audit_log.actions_person_password_set_by_link': object
  'page_audit_log.actions_person_renamed': object
  'page_audit_log.actions_person_second_factor_off': object
  'page_audit_log.actions_person_second_factor_on': object
  'page_audit_log.actions_person_session_ended': object
  'page_audit_log.actions_person_sign_in_paused': object
  'page_audit_log.actions_person_signed_in': object
  'page_audit_log.actions_person_signed_out_everywhere': object
  'page_audit_log.actions_quarantine_released': object
  'page_audit_log.actions_quota_changed': object
  'page_audit_log.actions_recipient_blocked': object
  'page_audit_log.actions_recipient_erased': object
  'page_audit_log.actions_recipient_exported': object
  'page_audit_log.actions_recipient_unblocked': object
  'page_audit_log.actions_recipients_imported': object
  'page_audit_log.actions_refusal_check_sent': object
  'page_audit_log.actions_secrets_key_added': object
  'page_audit_log.actions_secrets_resealed': object
  'page_audit_log.actions_secrets_rotated': object
  'page_audit_log.actions_secrets_sessions_ended': object
  'page_audit_log.actions_sender_paused': object
  'page_audit_log.actions_sender_resumed': object
  'page_audit_log.actions_template_deleted': object
  'page_audit_log.actions_template_submitted': object
  'page_audit_log.actions_workspace_created': object
  'page_audit_log.actions_workspace_deletion_asked': object
  'page_audit_log.actions_workspace_deletion_cancelled': object
  'page_audit_log.actions_workspace_renamed': object
  'page_audit_log.after': object
  'page_audit_log.all': object
  'page_audit_log.and_more': { count: number }
  'page_audit_log.arrow': object
  'page_audit_log.before': object
  'page_audit_log.changed': object
  'page_audit_log.cod_settings_name': object
  'page_audit_log.command_line': object
  'page_audit_log.deleted': object
  'page_audit_log.deliveries_name': object
  'page_audit_log.details': object
  'page_audit_log.did_account_connected': { target: TextValue; who: TextValue }
  'page_audit_log.did_account_removed': { target: TextValue; who: TextValue }
  'page_audit_log.did_account_renewed': { target: TextValue; who: TextValue }
  'page_audit_log.did_account_subscribed': { target: TextValue; who: TextValue }
  'page_audit_log.did_account_sync_failed': { target: TextValue; who: TextValue }
  'page_audit_log.did_account_synced': { target: TextValue; who: TextValue }
  'page_audit_log.did_clock_advanced': { who: TextValue }
  'page_audit_log.did_clock_stopped_early': { who: TextValue }
  'page_audit_log.did_cod_settings_changed': { target: TextValue; who: TextValue }
  'page_audit_log.did_confirmation_sent': { target: TextValue; who: TextValue }
  'page_audit_log.did_endpoint_added': { target: TextValue; who: TextValue }
  'page_audit_log.did_endpoint_deleted': { target: TextValue; who: TextValue }
  'page_audit_log.did_endpoint_enabled': { target: TextValue; who: TextValue }
  'page_audit_log.did_endpoint_paused': { target: TextValue; who: TextValue }
  'page_audit_log.did_endpoint_pinged': { target: TextValue; who: TextValue }
  'page_audit_log.did_endpoint_resent': { target: TextValue; who: TextValue }
  'page_audit_log.did_endpoint_resent_one': { target: TextValue; who: TextValue }
  'page_audit_log.did_endpoint_resumed': { target: TextValue; who: TextValue }
  'page_audit_log.did_endpoint_retried': { target: TextValue; who: TextValue }
  'page_audit_log.did_endpoint_secret_rotated': { target: TextValue; who: TextValue }
  'page_audit_log.did_endpoint_updated': { target: TextValue; who: TextValue }
  'page_audit_log.did_instance_backup_started': { target: TextValue; who: TextValue }
  'page_audit_log.did_instance_restored': { target: TextValue; who: TextValue }
  'page_audit_log.did_invitation_created': { target: TextValue; who: TextValue }
  'page_audit_log.did_invitation_revoked': { target: TextValue; who: TextValue }
  'page_audit_log.did_key_created': { target: TextValue; who: TextValue }
  'page_audit_log.did_key_revoked': { target: TextValue; who: TextValue }
  'page_audit_log.did_key_rotated': { target: TextValue; who: TextValue }
  'page_audit_log.did_list_exported': { target: TextValue; who: TextValue }
  'page_audit_log.did_member_left': { who: TextValue }
  'page_audit_log.did_member_removed': { target: TextValue; who: TextValue }
  'page_audit_log.did_member_role_changed': { target: TextValue; who: TextValue }
  'page_audit_log.did_otp_sent': { target: TextValue; who: TextValue }
  'page_audit_log.did_person_backup_codes_renewed': { who: TextValue }
  'page_audit_log.did_person_joined': { who: TextValue }
  'page_audit_log.did_person_password_changed': { who: TextValue }
  'page_audit_log.did_person_password_link_made': { target: TextValue; who: TextValue }
  'page_audit_log.did_person_password_set_by_link': { who: TextValue }
  'page_audit_log.did_person_renamed': { who: TextValue }
  'page_audit_log.did_person_second_factor_off': { who: TextValue }
  'page_audit_log.did_person_second_factor_on': { who: TextValue }
  'page_audit_log.did_person_session_ended': { who: TextValue }
  'page_audit_log.did_person_sign_in_paused': { who: TextValue }
  'page_audit_log.did_person_signed_in': { who: TextValue }
  'page_audit_log.did_person_signed_out_everywhere': { who: TextValue }
  'page_audit_log.did_quarantine_released': { target: TextValue; who: TextValue }
  'page_audit_log.did_quota_changed': { target: TextValue; who: TextValue }
  'page_audit_log.did_recipient_blocked': { target: TextValue; who: TextValue }
  'page_audit_log.did_recipient_erased': { who: TextValue }
  'page_audit_log.did_recipient_exported': { who: TextValue }
  'page_audit_log.did_recipient_unblocked': { target: TextValue; who: TextValue }
  'page_audit_log.did_recipients_imported': { who: TextValue }
  'page_audit_log.did_refusal_check_sent': { target: TextValue; who: TextValue }
  'page_audit_log.did_secrets_key_added': { target: TextValue; who: TextValue }
  'page_audit_log.did_secrets_resealed': { target: TextValue; who: TextValue }
  'page_audit_log.did_secrets_rotated': { target: TextValue; who: TextValue }
  'page_audit_log.did_secrets_sessions_ended': { who: TextValue }
  'page_audit_log.did_sender_paused': { target: TextValue; who: TextValue }
  'page_audit_log.did_sender_resumed': { target: TextValue; who: TextValue }
  'page_audit_log.did_template_deleted': { target: TextValue; who: TextValue }
  'page_audit_log.did_template_submitted': { target: TextValue; who: TextValue }
  'page_audit_log.did_workspace_created': { target: TextValue; who: TextValue }
  'page_audit_log.did_workspace_deletion_asked': { who: TextValue }
  'page_audit_log.did_workspace_deletion_cancelled': { who: TextValue }
  'page_audit_log.did_workspace_renamed': { target: TextValue; who: TextValue }
  'page_audit_log.empty': object
  'page_audit_log.event': object
  'page_audit_log.fields_about': object
  'page_audit_log.fields_action': object
  'page_audit_log.fields_address': object
  'page_audit_log.fields_backup_made_at': object
  'page_audit_log.fields_blocked_at': object
  'page_audit_log.fields_blocked_by': object
  'page_audit_log.fields_body': object
  'page_audit_log.fields_buttons': object
  'page_audit_log.fields_by_ms': object
  'page_audit_log.fields_confirmations': object
  'page_audit_log.fields_contains_key': object
  'page_audit_log.fields_copy_label': object
  'page_audit_log.fields_deletion_due_at': object
  'page_audit_log.fields_delivery_days': object
  'page_audit_log.fields_description': object
  'page_audit_log.fields_device': object
  'page_audit_log.fields_encrypted': object
  'page_audit_log.fields_endpoint_id': object
  'page_audit_log.fields_ends_second_factor': object
  'page_audit_log.fields_event_id': object
  'page_audit_log.fields_event_types': object
  'page_audit_log.fields_expires_at': object
  'page_audit_log.fields_expiry_minutes': object
  'page_audit_log.fields_failing_since': object
  'page_audit_log.fields_failure': object
  'page_audit_log.fields_footer': object
  'page_audit_log.fields_from': object
  'page_audit_log.fields_graph_url': object
  'page_audit_log.fields_header': object
  'page_audit_log.fields_header_sample': object
  'page_audit_log.fields_is_blocked': object
  'page_audit_log.fields_key': object
  'page_audit_log.fields_kind': object
  'page_audit_log.fields_language': object
  'page_audit_log.fields_last_used_at': object
  'page_audit_log.fields_monthly_units': object
  'page_audit_log.fields_name': object
  'page_audit_log.fields_now': object
  'page_audit_log.fields_numbers': object
  'page_audit_log.fields_of': object
  'page_audit_log.fields_one_time_codes': object
  'page_audit_log.fields_order': object
  'page_audit_log.fields_outcome': object
  'page_audit_log.fields_phones': object
  'page_audit_log.fields_previous_secret_until': object
  'page_audit_log.fields_reason': object
  'page_audit_log.fields_recipient': object
  'page_audit_log.fields_reference': object
  'page_audit_log.fields_refusal': object
  'page_audit_log.fields_renewed': object
  'page_audit_log.fields_replaced_by': object
  'page_audit_log.fields_resealed': object
  'page_audit_log.fields_resent': object
  'page_audit_log.fields_resource': object
  'page_audit_log.fields_role': object
  'page_audit_log.fields_runs_the_instance': object
  'page_audit_log.fields_samples': object
  'page_audit_log.fields_sandbox': object
  'page_audit_log.fields_search': object
  'page_audit_log.fields_second_factor_ended': object
  'page_audit_log.fields_security_advice': object
  'page_audit_log.fields_sender_id': object
  'page_audit_log.fields_sessions': object
  'page_audit_log.fields_status': object
  'page_audit_log.fields_statuses': object
  'page_audit_log.fields_template': object
  'page_audit_log.fields_templates': object
  'page_audit_log.fields_text': object
  'page_audit_log.fields_to': object
  'page_audit_log.fields_type': object
  'page_audit_log.fields_url': object
  'page_audit_log.fields_use': object
  'page_audit_log.fields_waba_id': object
  'page_audit_log.fields_waiting': object
  'page_audit_log.fields_who': object
  'page_audit_log.fields_with_second_factor': object
  'page_audit_log.fields_working': object
  'page_audit_log.filters': object
  'page_audit_log.no': object
  'page_audit_log.no_changes': object
  'page_audit_log.none': object
  'page_audit_log.not_yours': object
  'page_audit_log.nothing_fits': object
  'page_audit_log.of': object
  'page_audit_log.of_instance': object
  'page_audit_log.of_workspace': object
  'page_audit_log.resource': object
  'page_audit_log.resources_account': object
  'page_audit_log.resources_cod_settings': object
  'page_audit_log.resources_endpoint': object
  'page_audit_log.resources_instance': object
  'page_audit_log.resources_key': object
  'page_audit_log.resources_list': object
  'page_audit_log.resources_message': object
  'page_audit_log.resources_order': object
  'page_audit_log.resources_person': object
  'page_audit_log.resources_recipient': object
  'page_audit_log.resources_sender': object
  'page_audit_log.resources_template': object
  'page_audit_log.resources_workspace': object
  'page_audit_log.setting': object
  'page_audit_log.target_id': object
  'page_audit_log.title': object
  'page_audit_log.value': object
  'page_audit_log.values_failure_credentials_invalid': object
  'page_audit_log.values_failure_rate': object
  'page_audit_log.values_failure_refused': object
  'page_audit_log.values_failure_unreachable': object
  'page_audit_log.values_outcome_submitted': object
  'page_audit_log.values_outcome_unknown': object
  'page_audit_log.values_renewed_access_token': object
  'page_audit_log.values_renewed_app_secret': object
  'page_audit_log.values_renewed_verify_token': object
  'page_audit_log.values_role_admin': object
  'page_audit_log.values_role_member': object
  'page_audit_log.values_role_owner': object
  'page_audit_log.values_status_disabled': object
  'page_audit_log.values_status_enabled': object
  'page_audit_log.values_status_paused': object
  'page_audit_log.values_use_confirmation': object
  'page_audit_log.values_use_otp': object
  'page_audit_log.values_use_refusal': object
  'page_audit_log.what': object
  'page_audit_log.when': object
  'page_audit_log.who': object
  'page_audit_log.yes': object
  'page_blocked.about': object
  'page_blocked.actions': object
  'page_blocked.add': object
  'page_blocked.add_good': { count: number }
  'page_blocked.added': { count: number }
  'page_blocked.already': { count: number }
  'page_blocked.bad': { count: number }
  'page_blocked.block_it': object
  'page_blocked.blocked_already': { phone: TextValue }
  'page_blocked.blocked_now': { phone: TextValue }
  'page_blocked.by': object
  'page_blocked.by_unknown': object
  'page_blocked.check': object
  'page_blocked.checking': object
  'page_blocked.close': object
  'page_blocked.done': { all: TextValue; part: TextValue }
  'page_blocked.empty': object
  'page_blocked.empty_reader': object
  'page_blocked.faults_no_phone': object
  'page_blocked.faults_reason_too_long': object
  'page_blocked.file': object
  'page_blocked.fix_first': object
  'page_blocked.good': { count: number }
  'page_blocked.import': object
  'page_blocked.import_about': object
  'page_blocked.import_placeholder': object
  'page_blocked.import_text': object
  'page_blocked.importing': object
  'page_blocked.is_meant': object
  'page_blocked.keep': object
  'page_blocked.keep_open': object
  'page_blocked.leave': object
  'page_blocked.leave_text': object
  'page_blocked.leave_title': object
  'page_blocked.left_behind': { count: number }
  'page_blocked.line': object
  'page_blocked.more': object
  'page_blocked.more_bad': { count: number }
  'page_blocked.no_reason': object
  'page_blocked.none_found': object
  'page_blocked.not_blocked': object
  'page_blocked.not_international': object
  'page_blocked.nothing': object
  'page_blocked.order': object
  'page_blocked.orders_latest': object
  'page_blocked.orders_phone': object
  'page_blocked.phone': object
  'page_blocked.phone_hint': object
  'page_blocked.reason': object
  'page_blocked.reason_hint': object
  'page_blocked.remove': object
  'page_blocked.remove_about': object
  'page_blocked.remove_it': object
  'page_blocked.remove_no_reason': object
  'page_blocked.remove_title': { phone: TextValue }
  'page_blocked.removed': { phone: TextValue }
  'page_blocked.search': object
  'page_blocked.since': object
  'page_blocked.stay': object
  'page_blocked.stop': object
  'page_blocked.stopped': { count: number }
  'page_blocked.stopped_checking': object
  'page_blocked.stopping': object
  'page_blocked.title': object
  'page_blocked.too_large': object
  'page_blocked.too_many': { max: TextValue }
  'page_blocked.wrong': object
  'page_charts.about': object
  'page_charts.accepted': object
  'page_charts.after': object
  'page_charts.answer_times': object
  'page_charts.answer_times_about': object
  'page_charts.answered_after': object
  'page_charts.answered_within': { span: TextValue }
  'page_charts.answers': object
  'page_charts.answers_about': object
  'page_charts.as_table': object
  'page_charts.before': object
  'page_charts.cancelled': object
  'page_charts.cause': object
  'page_charts.cod': object
  'page_charts.codes_delivered': object
  'page_charts.confirmed': object
  'page_charts.count': object
  'page_charts.customers_refused': object
  'page_charts.day': object
  'page_charts.delivered': object
  'page_charts.denied': object
  'page_charts.down': object
  'page_charts.earliest': { day: TextValue }
  'page_charts.failed': object
  'page_charts.failures': object
  'page_charts.failures_about': object
  'page_charts.filters': object
  'page_charts.funnel': object
  'page_charts.funnel_about': object
  'page_charts.half': object
  'page_charts.in_total': object
  'page_charts.language': object
  'page_charts.longer': object
  'page_charts.messages': object
  'page_charts.messages_about': object
  'page_charts.messages_failed': object
  'page_charts.most': object
  'page_charts.no_reason': object
  'page_charts.no_response': object
  'page_charts.nothing': object
  'page_charts.nothing_sent': object
  'page_charts.open': object
  'page_charts.orders_confirmed': object
  'page_charts.orders_open': object
  'page_charts.otp': object
  'page_charts.points': { number: TextValue }
  'page_charts.read': object
  'page_charts.reason': object
  'page_charts.reasons': object
  'page_charts.reasons_about': object
  'page_charts.refusals': object
  'page_charts.refusals_about': object
  'page_charts.refused': object
  'page_charts.reminded_of': { after: TextValue; reminded: TextValue }
  'page_charts.reminder': object
  'page_charts.reminder_about': object
  'page_charts.rescheduled': object
  'page_charts.sender': object
  'page_charts.sent': object
  'page_charts.settled': object
  'page_charts.share': object
  'page_charts.span': object
  'page_charts.spans_d30': object
  'page_charts.spans_d7': object
  'page_charts.spans_d90': object
  'page_charts.step': object
  'page_charts.template': object
  'page_charts.title': object
  'page_charts.to_overview': object
  'page_charts.took': object
  'page_charts.uncounted': { count: number }
  'page_charts.under_a_second': object
  'page_charts.unknown': object
  'page_charts.until': { span: TextValue; time: TextValue }
  'page_charts.up': object
  'page_charts.up_to': { span: TextValue }
  'page_charts.within': object
  'page_chats.back': object
  'page_chats.block': object
  'page_chats.blocked_banner': object
  'page_chats.business': object
  'page_chats.chat_with': { name: TextValue }
  'page_chats.choose_chat': object
  'page_chats.close': object
  'page_chats.connecting': object
  'page_chats.copied': { value: TextValue }
  'page_chats.customers_0701': object
  'page_chats.customers_0702': object
  'page_chats.customers_0703': object
  'page_chats.customers_0704': object
  'page_chats.customers_0705': object
  'page_chats.customers_0706': object
  'page_chats.customers_0707': object
  'page_chats.customers_0708': object
  'page_chats.customers_0709': object
  'page_chats.customers_0710': object
  'page_chats.customers_0711': object
  'page_chats.customers_0712': object
  'page_chats.customers_about': object
  'page_chats.customers_title': object
  'page_chats.did_not_work': object
  'page_chats.empty_chat': object
  'page_chats.failures_0408': object
  'page_chats.failures_0429': object
  'page_chats.failures_0440': object
  'page_chats.failures_0441': object
  'page_chats.failures_0500': object
  'page_chats.failures_0502': object
  'page_chats.failures_0600': object
  'page_chats.failures_0601': object
  'page_chats.failures_0602': object
  'page_chats.failures_0603': object
  'page_chats.failures_0604': object
  'page_chats.failures_0605': object
  'page_chats.failures_1026': object
  'page_chats.failures_1049': object
  'page_chats.failures_1056': object
  'page_chats.failures_title': object
  'page_chats.goes_nowhere': object
  'page_chats.hide_read': object
  'page_chats.is_blocking': object
  'page_chats.is_off': object
  'page_chats.latest': object
  'page_chats.lost_blocked': object
  'page_chats.lost_connection': object
  'page_chats.lost_expired': object
  'page_chats.lost_failed': object
  'page_chats.menu': object
  'page_chats.new_customer': object
  'page_chats.new_customer_about': object
  'page_chats.new_message': { message: TextValue }
  'page_chats.no_chats': object
  'page_chats.no_chats_short': object
  'page_chats.no_emulator': object
  'page_chats.no_phone_number': object
  'page_chats.no_reply': object
  'page_chats.not_copied': { value: TextValue }
  'page_chats.not_in_use': object
  'page_chats.nothing_found': object
  'page_chats.nothing_yet': object
  'page_chats.off': object
  'page_chats.off_banner': object
  'page_chats.online': object
  'page_chats.open_phone': object
  'page_chats.phone_number': object
  'page_chats.phone_number_hint': object
  'page_chats.phone_of': { phone: TextValue }
  'page_chats.phones': object
  'page_chats.quoted': object
  'page_chats.read_hidden': object
  'page_chats.reply': object
  'page_chats.replying_to': object
  'page_chats.search': object
  'page_chats.send': object
  'page_chats.send_choice': object
  'page_chats.show_read': object
  'page_chats.ticks_accepted': object
  'page_chats.ticks_delivered': object
  'page_chats.ticks_failed': object
  'page_chats.ticks_read': object
  'page_chats.ticks_sent': object
  'page_chats.today': object
  'page_chats.turn_off': object
  'page_chats.turn_on': object
  'page_chats.type': object
  'page_chats.unblock': object
  'page_chats.unread': { count: number }
  'page_chats.waiting': object
  'page_chats.you': object
  'page_cod_settings.about': object
  'page_cod_settings.add': object
  'page_cod_settings.add_language': object
  'page_cod_settings.add_language_hint': object
  'page_cod_settings.add_ready': object
  'page_cod_settings.add_reason': object
  'page_cod_settings.add_time_range': object
  'page_cod_settings.added': object
  'page_cod_settings.already_there': { name: TextValue }
  'page_cod_settings.at_most': { max: TextValue }
  'page_cod_settings.before_reminder': object
  'page_cod_settings.cancel': object
  'page_cod_settings.closing': object
  'page_cod_settings.closing_confirmation': object
  'page_cod_settings.closing_refusal': object
  'page_cod_settings.confirmation': object
  'page_cod_settings.confirmation_hint': object
  'page_cod_settings.conflict': object
  'page_cod_settings.conflict_both': object
  'page_cod_settings.conflict_title': object
  'page_cod_settings.day_question': object
  'page_cod_settings.deliveries': object
  'page_cod_settings.delivery_days': object
  'page_cod_settings.delivery_days_hint': object
  'page_cod_settings.discard': object
  'page_cod_settings.discard_text': object
  'page_cod_settings.friday': object
  'page_cod_settings.hours': object
  'page_cod_settings.languages_about': object
  'page_cod_settings.leave': object
  'page_cod_settings.leave_text': object
  'page_cod_settings.leave_title': object
  'page_cod_settings.merge_mine': object
  'page_cod_settings.minutes': object
  'page_cod_settings.monday': object
  'page_cod_settings.move_down': object
  'page_cod_settings.move_up': object
  'page_cod_settings.no_languages': object
  'page_cod_settings.no_response': object
  'page_cod_settings.no_response_range': { max: TextValue; min: TextValue }
  'page_cod_settings.no_zone': object
  'page_cod_settings.none': object
  'page_cod_settings.note_prompt': object
  'page_cod_settings.nothing': object
  'page_cod_settings.nothing_title': object
  'page_cod_settings.of_your_templates': object
  'page_cod_settings.offered': object
  'page_cod_settings.offered_hint': object
  'page_cod_settings.one_day': object
  'page_cod_settings.other_label': object
  'page_cod_settings.preview': object
  'page_cod_settings.preview_about': object
  'page_cod_settings.preview_closing_confirmation': object
  'page_cod_settings.preview_closing_refusal': object
  'page_cod_settings.preview_day': object
  'page_cod_settings.preview_faulty': object
  'page_cod_settings.preview_list': object
  'page_cod_settings.preview_missing': object
  'page_cod_settings.preview_not_sent': object
  'page_cod_settings.preview_note': object
  'page_cod_settings.preview_reasons': object
  'page_cod_settings.preview_time': object
  'page_cod_settings.read_only': object
  'page_cod_settings.reasons_list_button': object
  'page_cod_settings.refusal': object
  'page_cod_settings.refusal_hint': object
  'page_cod_settings.refusal_reason': object
  'page_cod_settings.refusal_reason_question': object
  'page_cod_settings.refusal_reasons': object
  'page_cod_settings.refusing': object
  'page_cod_settings.reminder_range': { max: TextValue; min: TextValue }
  'page_cod_settings.reminders': object
  'page_cod_settings.reminds': object
  'page_cod_settings.reminds_after': object
  'page_cod_settings.remove': object
  'page_cod_settings.remove_language': object
  'page_cod_settings.remove_text': object
  'page_cod_settings.remove_title': object
  'page_cod_settings.removed': object
  'page_cod_settings.reschedule': object
  'page_cod_settings.saturday': object
  'page_cod_settings.save': object
  'page_cod_settings.saved_nothing': object
  'page_cod_settings.saved_title': object
  'page_cod_settings.sends_closing_confirmation': object
  'page_cod_settings.sends_closing_refusal': object
  'page_cod_settings.start_in': object
  'page_cod_settings.start_with': object
  'page_cod_settings.stay': object
  'page_cod_settings.sunday': object
  'page_cod_settings.take_theirs': object
  'page_cod_settings.texts': object
  'page_cod_settings.thursday': object
  'page_cod_settings.time_question': object
  'page_cod_settings.time_range': object
  'page_cod_settings.time_ranges': object
  'page_cod_settings.time_zone': object
  'page_cod_settings.time_zone_hint': object
  'page_cod_settings.time_zone_now': { time: TextValue }
  'page_cod_settings.title': object
  'page_cod_settings.tuesday': object
  'page_cod_settings.unsaved': object
  'page_cod_settings.used_by': object
  'page_cod_settings.was': object
  'page_cod_settings.wednesday': object
  'page_confirmations.about': object
  'page_confirmations.answer': object
  'page_confirmations.answered_at': object
  'page_confirmations.any_day': object
  'page_confirmations.any_time': object
  'page_confirmations.back': object
  'page_confirmations.changed_nothing': object
  'page_confirmations.clear': object
  'page_confirmations.confirmation': object
  'page_confirmations.correlation': object
  'page_confirmations.created': object
  'page_confirmations.customer': object
  'page_confirmations.deadline_fires': object
  'page_confirmations.due': object
  'page_confirmations.empty': object
  'page_confirmations.facts': object
  'page_confirmations.failure': object
  'page_confirmations.filters': object
  'page_confirmations.follow_up_fires': object
  'page_confirmations.id': object
  'page_confirmations.in_time': object
  'page_confirmations.key': object
  'page_confirmations.kind_audio': object
  'page_confirmations.kind_contacts': object
  'page_confirmations.kind_document': object
  'page_confirmations.kind_image': object
  'page_confirmations.kind_location': object
  'page_confirmations.kind_reaction': object
  'page_confirmations.kind_received': object
  'page_confirmations.kind_removed': object
  'page_confirmations.kind_sticker': object
  'page_confirmations.kind_tap': object
  'page_confirmations.kind_unknown': object
  'page_confirmations.kind_video': object
  'page_confirmations.list': object
  'page_confirmations.new_time': object
  'page_confirmations.none': object
  'page_confirmations.not_answered': object
  'page_confirmations.not_sent_any_more': object
  'page_confirmations.note': object
  'page_confirmations.nothing': object
  'page_confirmations.order': object
  'page_confirmations.page_title': object
  'page_confirmations.reason': object
  'page_confirmations.refusal': object
  'page_confirmations.reminder_fires': object
  'page_confirmations.search_for': object
  'page_confirmations.sender': object
  'page_confirmations.status': object
  'page_confirmations.template': object
  'page_confirmations.title': object
  'page_confirmations.to_message': object
  'page_confirmations.to_settings': object
  'page_confirmations.transcript': object
  'page_confirmations.transcript_about': object
  'page_emulator.body_gone': object
  'page_emulator.choose_first': object
  'page_emulator.copy': object
  'page_emulator.due_answer': object
  'page_emulator.due_arrival': object
  'page_emulator.due_elsewhere': object
  'page_emulator.due_expiry': object
  'page_emulator.due_in_chat': object
  'page_emulator.due_review': object
  'page_emulator.due_webhook': object
  'page_emulator.due_window': object
  'page_emulator.emulator_about': object
  'page_emulator.emulator_title': object
  'page_emulator.happened_answers': { count: number }
  'page_emulator.happened_expiries': { count: number }
  'page_emulator.happened_reviews': { count: number }
  'page_emulator.happened_statuses': { count: number }
  'page_emulator.happened_webhooks': { count: number }
  'page_emulator.happened_windows': { count: number }
  'page_emulator.language': object
  'page_emulator.moved_elsewhere': object
  'page_emulator.no_posts': object
  'page_emulator.nothing_elsewhere': object
  'page_emulator.nothing_in_chat': object
  'page_emulator.now': object
  'page_emulator.played': object
  'page_emulator.post_state_answered': object
  'page_emulator.post_state_lost': object
  'page_emulator.post_state_waiting': object
  'page_emulator.posts': object
  'page_emulator.posts_about': object
  'page_emulator.status': { status: TextValue }
  'page_emulator.stopped': { span: TextValue }
  'page_emulator.to_time_machine': object
  'page_emulator.tries': { number: TextValue }
  'page_emulator.try_it': object
  'page_emulator.try_it_about': object
  'page_endpoints.about': object
  'page_endpoints.add': object
  'page_endpoints.all': object
  'page_endpoints.all_sent': { count: number }
  'page_endpoints.any_type': object
  'page_endpoints.attempt_title': { number: TextValue }
  'page_endpoints.attempts': object
  'page_endpoints.attempts_limit': { max: TextValue }
  'page_endpoints.attempts_made': { count: number }
  'page_endpoints.body': object
  'page_endpoints.body_removed': object
  'page_endpoints.cancel': object
  'page_endpoints.choose_one': object
  'page_endpoints.clear_time': object
  'page_endpoints.close': object
  'page_endpoints.confirmation': object
  'page_endpoints.copied': object
  'page_endpoints.count': object
  'page_endpoints.counted': { count: number }
  'page_endpoints.delete': object
  'page_endpoints.delete_ask': object
  'page_endpoints.delete_title': object
  'page_endpoints.deleted': object
  'page_endpoints.deleted_about': object
  'page_endpoints.deleted_title': object
  'page_endpoints.delivery': object
  'page_endpoints.delivery_missing': object
  'page_endpoints.description': object
  'page_endpoints.description_hint': object
  'page_endpoints.disabled_failing': object
  'page_endpoints.disabled_gone': object
  'page_endpoints.disabled_title': object
  'page_endpoints.earlier_url': object
  'page_endpoints.edit': object
  'page_endpoints.edit_about': object
  'page_endpoints.edit_title': object
  'page_endpoints.empty': object
  'page_endpoints.enable': object
  'page_endpoints.enable_and_send': { count: number }
  'page_endpoints.enable_plain': object
  'page_endpoints.endpoint': object
  'page_endpoints.event': object
  'page_endpoints.events': object
  'page_endpoints.events_all': object
  'page_endpoints.events_chosen': object
  'page_endpoints.events_count': { count: number }
  'page_endpoints.failing_now': object
  'page_endpoints.failing_since': object
  'page_endpoints.failing_title': object
  'page_endpoints.from': object
  'page_endpoints.full': { max: TextValue }
  'page_endpoints.given_up': object
  'page_endpoints.happened': object
  'page_endpoints.held': object
  'page_endpoints.held_meanwhile': object
  'page_endpoints.hours': object
  'page_endpoints.in_log': object
  'page_endpoints.in_turn': object
  'page_endpoints.in_zone': { zone: TextValue }
  'page_endpoints.keep_open': object
  'page_endpoints.last_answer': object
  'page_endpoints.last_error': object
  'page_endpoints.last_success': object
  'page_endpoints.lately': object
  'page_endpoints.lately_of': { attempted: TextValue; percent: TextValue }
  'page_endpoints.leave': object
  'page_endpoints.leave_text': object
  'page_endpoints.leave_title': object
  'page_endpoints.log': object
  'page_endpoints.log_empty': object
  'page_endpoints.log_none': object
  'page_endpoints.log_none_yet': object
  'page_endpoints.many': object
  'page_endpoints.many_about': object
  'page_endpoints.many_failed': object
  'page_endpoints.many_held': object
  'page_endpoints.many_succeeded': object
  'page_endpoints.many_which': object
  'page_endpoints.message': object
  'page_endpoints.minutes': object
  'page_endpoints.missed': { count: number; failed: TextValue; held: TextValue }
  'page_endpoints.missed_nothing': object
  'page_endpoints.more_than': { max: TextValue }
  'page_endpoints.ms': { ms: TextValue }
  'page_endpoints.next': object
  'page_endpoints.next_of': { number: TextValue; of: TextValue }
  'page_endpoints.next_short': { number: TextValue; of: TextValue }
  'page_endpoints.no_answer': object
  'page_endpoints.no_attempts': object
  'page_endpoints.no_success': object
  'page_endpoints.nothing_yet': object
  'page_endpoints.oldest': object
  'page_endpoints.on_its_way': object
  'page_endpoints.only_failures_since': object
  'page_endpoints.overlap': object
  'page_endpoints.pause': object
  'page_endpoints.pause_ask': object
  'page_endpoints.pause_title': object
  'page_endpoints.paused_since': object
  'page_endpoints.paused_title': object
  'page_endpoints.ping': object
  'page_endpoints.ping_late': object
  'page_endpoints.ping_refused': { ms: TextValue }
  'page_endpoints.ping_title': object
  'page_endpoints.ping_took': { ms: TextValue; status: TextValue }
  'page_endpoints.ping_waiting': object
  'page_endpoints.pretty': object
  'page_endpoints.progress': { resent: TextValue; total: TextValue }
  'page_endpoints.range_backwards': object
  'page_endpoints.raw': object
  'page_endpoints.real_timestamp': object
  'page_endpoints.recipient': object
  'page_endpoints.recorded': object
  'page_endpoints.reference': object
  'page_endpoints.request': object
  'page_endpoints.response': object
  'page_endpoints.response_empty': object
  'page_endpoints.response_first': object
  'page_endpoints.response_none': object
  'page_endpoints.resume': object
  'page_endpoints.resume_and_send': { count: number }
  'page_endpoints.resume_plain': object
  'page_endpoints.retry_now': { count: number }
  'page_endpoints.retrying': { count: number }
  'page_endpoints.rotate': object
  'page_endpoints.rotate_ask': object
  'page_endpoints.rotate_done': object
  'page_endpoints.rotate_title': object
  'page_endpoints.save': object
  'page_endpoints.search': object
  'page_endpoints.secret_once': object
  'page_endpoints.secret_title': object
  'page_endpoints.send_again': object
  'page_endpoints.send_again_arrived': object
  'page_endpoints.send_again_ask': object
  'page_endpoints.send_again_title': object
  'page_endpoints.send_counted': { count: number }
  'page_endpoints.send_missed': { count: number }
  'page_endpoints.sending': object
  'page_endpoints.set_time': object
  'page_endpoints.shown_limit': { shown: TextValue }
  'page_endpoints.signature_not_kept': object
  'page_endpoints.started': object
  'page_endpoints.state': object
  'page_endpoints.status': object
  'page_endpoints.stay': object
  'page_endpoints.stop': object
  'page_endpoints.stopped': { count: number }
  'page_endpoints.stopping': object
  'page_endpoints.subject': object
  'page_endpoints.title': object
  'page_endpoints.to': object
  'page_endpoints.took': object
  'page_endpoints.try_now': object
  'page_endpoints.type': object
  'page_endpoints.url': object
  'page_endpoints.url_hint': object
  'page_endpoints.url_hint_http': object
  'page_endpoints.verify': object
  'page_endpoints.verify_title': object
  'page_endpoints.waiting': object
  'page_endpoints.webhook_id': object
  'page_keys.about': object
  'page_keys.actions': object
  'page_keys.actions_for': { name: TextValue }
  'page_keys.after_days': { count: number }
  'page_keys.by_hand': object
  'page_keys.create': object
  'page_keys.created': object
  'page_keys.done': object
  'page_keys.empty': object
  'page_keys.empty_reader': object
  'page_keys.expiry': object
  'page_keys.expiry_hint': object
  'page_keys.fix_account': object
  'page_keys.fix_sender': object
  'page_keys.fix_template': object
  'page_keys.hide_old': object
  'page_keys.keep': object
  'page_keys.key': object
  'page_keys.last_used': object
  'page_keys.last_used_at': object
  'page_keys.missing_account': object
  'page_keys.missing_sender': object
  'page_keys.missing_template': object
  'page_keys.name': object
  'page_keys.name_hint': object
  'page_keys.needs_phone': object
  'page_keys.never': object
  'page_keys.never_used': object
  'page_keys.new_expiry': object
  'page_keys.no_expiry': object
  'page_keys.once': object
  'page_keys.once_title': object
  'page_keys.only_old': object
  'page_keys.overlap': object
  'page_keys.overlaps_day': object
  'page_keys.overlaps_hour': object
  'page_keys.overlaps_none': object
  'page_keys.overlaps_week': object
  'page_keys.revoke': object
  'page_keys.revoke_about': object
  'page_keys.revoke_it': object
  'page_keys.revoke_title': { name: TextValue }
  'page_keys.revoked': object
  'page_keys.rotate': object
  'page_keys.rotate_about': object
  'page_keys.rotate_title': { name: TextValue }
  'page_keys.rotated': object
  'page_keys.send_to': object
  'page_keys.send_to_live': object
  'page_keys.send_to_sandbox': object
  'page_keys.show_old': { count: number }
  'page_keys.state': object
  'page_keys.stopped': object
  'page_keys.title': object
  'page_keys.try_it': object
  'page_keys.unknown_key': object
  'page_keys.use_recorded': object
  'page_list.export': object
  'page_list.export_hint': object
  'page_list.kept_since': { day: TextValue }
  'page_messages.about': object
  'page_messages.back': object
  'page_messages.clear': object
  'page_messages.cod': object
  'page_messages.confirmation': object
  'page_messages.content': object
  'page_messages.correlation': object
  'page_messages.created': object
  'page_messages.empty': object
  'page_messages.facts': object
  'page_messages.filters': object
  'page_messages.id': object
  'page_messages.key': object
  'page_messages.kind': object
  'page_messages.never_sent': object
  'page_messages.none': object
  'page_messages.not_sent': object
  'page_messages.nothing': object
  'page_messages.of_confirmation': object
  'page_messages.of_refusal': object
  'page_messages.otp': object
  'page_messages.page_title': object
  'page_messages.provider_id': object
  'page_messages.purpose_closing': object
  'page_messages.purpose_day': object
  'page_messages.purpose_note': object
  'page_messages.purpose_reasons': object
  'page_messages.purpose_reminder': object
  'page_messages.purpose_template': object
  'page_messages.purpose_time': object
  'page_messages.reference': object
  'page_messages.search_for': object
  'page_messages.sender': object
  'page_messages.sent': object
  'page_messages.status': object
  'page_messages.template': object
  'page_messages.title': object
  'page_messages.to': object
  'page_messages.to_confirmation': object
  'page_messages.to_keys': object
  'page_overview.about': object
  'page_overview.account': object
  'page_overview.account_title': { waba: TextValue }
  'page_overview.all_charts': object
  'page_overview.attention': object
  'page_overview.by_now': { number: TextValue }
  'page_overview.confirmed': { share: TextValue }
  'page_overview.delivered': { share: TextValue }
  'page_overview.disabled_about': object
  'page_overview.done': object
  'page_overview.endpoint_disabled': { url: TextValue }
  'page_overview.endpoint_failing': { url: TextValue }
  'page_overview.failing_about': object
  'page_overview.fine': object
  'page_overview.fix_account': object
  'page_overview.fix_endpoint': object
  'page_overview.fix_key': object
  'page_overview.fix_quota': object
  'page_overview.fix_sender': object
  'page_overview.fix_template': object
  'page_overview.key_about': object
  'page_overview.key_title': { name: TextValue }
  'page_overview.last_days': object
  'page_overview.list': object
  'page_overview.moved': object
  'page_overview.nothing_today': object
  'page_overview.obstacles_gone': object
  'page_overview.obstacles_paused': object
  'page_overview.obstacles_status': object
  'page_overview.out': object
  'page_overview.out_title': { kind: TextValue }
  'page_overview.phone': object
  'page_overview.quarantine': object
  'page_overview.quarantine_title': { number: TextValue }
  'page_overview.runs_out': object
  'page_overview.runs_out_title': { kind: TextValue }
  'page_overview.sender_title': { phone: TextValue }
  'page_overview.step_account': object
  'page_overview.step_endpoint': object
  'page_overview.step_example': object
  'page_overview.step_hint_account': object
  'page_overview.step_hint_endpoint': object
  'page_overview.step_hint_key': object
  'page_overview.step_hint_message': object
  'page_overview.step_hint_template': object
  'page_overview.step_key': object
  'page_overview.step_message': object
  'page_overview.step_template': object
  'page_overview.steps': object
  'page_overview.steps_about': object
  'page_overview.template_states_disabled': object
  'page_overview.template_states_paused': object
  'page_overview.template_states_rejected': object
  'page_overview.template_title': { language: TextValue; name: TextValue }
  'page_overview.title': object
  'page_overview.to_do': object
  'page_overview.to_phone': object
  'page_overview.today': object
  'page_overview.unreadable': object
  'page_overview.unreadable_title': { waba: TextValue }
  'page_overview.urgencies_now': object
  'page_overview.urgencies_soon': object
  'page_overview.yesterday': { day: TextValue }
  'page_people.about': object
  'page_people.about_reader': object
  'page_people.actions': object
  'page_people.actions_for': { name: TextValue }
  'page_people.cancel': object
  'page_people.change_role': object
  'page_people.copied_it': object
  'page_people.email': object
  'page_people.email_hint': object
  'page_people.ends_second_factor': object
  'page_people.ends_second_factor_hint': object
  'page_people.expires': object
  'page_people.invitations': object
  'page_people.invite': object
  'page_people.invite_once': { email: TextValue }
  'page_people.invited_by': object
  'page_people.last_seen': object
  'page_people.leave': object
  'page_people.leave_about': object
  'page_people.make_link': object
  'page_people.may_admin': object
  'page_people.may_member': object
  'page_people.may_owner': object
  'page_people.name': object
  'page_people.never_seen': object
  'page_people.new_link': object
  'page_people.new_link_about': object
  'page_people.new_link_title': { email: TextValue }
  'page_people.off': object
  'page_people.on': object
  'page_people.operator': object
  'page_people.password_about': object
  'page_people.password_link': object
  'page_people.password_once': { email: TextValue }
  'page_people.password_title': { name: TextValue }
  'page_people.remove': object
  'page_people.remove_about': object
  'page_people.remove_title': { name: TextValue }
  'page_people.removed': object
  'page_people.revoke': object
  'page_people.revoke_about': object
  'page_people.revoke_title': { email: TextValue }
  'page_people.role': object
  'page_people.role_changed': object
  'page_people.role_of': { name: TextValue }
  'page_people.roles_admin': object
  'page_people.roles_member': object
  'page_people.roles_owner': object
  'page_people.second_factor': object
  'page_people.since': object
  'page_people.state': object
  'page_people.title': object
  'page_people.valid_until': object
  'page_people.you': object
  'page_phone.about': object
  'page_phone.add_endpoint': object
  'page_phone.all_webhooks': object
  'page_phone.as_code': object
  'page_phone.body_value': { variable: TextValue }
  'page_phone.choose_first': object
  'page_phone.clock': object
  'page_phone.code': object
  'page_phone.due_confirmation_deadline': object
  'page_phone.due_confirmation_expiry': object
  'page_phone.due_confirmation_reminder': object
  'page_phone.due_of_customer': object
  'page_phone.due_refusal_deadline': object
  'page_phone.due_refusal_expiry': object
  'page_phone.due_refusal_reminder': object
  'page_phone.fired_deadlines': { count: number }
  'page_phone.fired_events': { count: number }
  'page_phone.fired_follow_up_expiries': { count: number }
  'page_phone.fired_messages': { count: number }
  'page_phone.fired_reminders': { count: number }
  'page_phone.fired_webhook_attempts': { count: number }
  'page_phone.header_value': object
  'page_phone.jump_name': { order: TextValue; what: TextValue }
  'page_phone.kind': object
  'page_phone.kinds_deadline': object
  'page_phone.kinds_expiry': object
  'page_phone.kinds_message': object
  'page_phone.kinds_reminder': object
  'page_phone.kinds_report': object
  'page_phone.kinds_webhook': object
  'page_phone.live': object
  'page_phone.make_sandbox': object
  'page_phone.meanings_customer': object
  'page_phone.meanings_total': object
  'page_phone.next_of_all': object
  'page_phone.no_answer': object
  'page_phone.no_emulator': object
  'page_phone.no_emulator_how': object
  'page_phone.no_order': object
  'page_phone.no_template_confirmation': object
  'page_phone.no_template_otp': object
  'page_phone.no_template_refusal': object
  'page_phone.no_webhooks': object
  'page_phone.not_tried': object
  'page_phone.nothing_due': object
  'page_phone.nothing_next': object
  'page_phone.now': object
  'page_phone.only_admins': object
  'page_phone.only_admins_send': object
  'page_phone.open_delivery': object
  'page_phone.order': object
  'page_phone.reference': object
  'page_phone.send': object
  'page_phone.send_about': object
  'page_phone.send_it': object
  'page_phone.send_kinds_confirmation': object
  'page_phone.send_kinds_otp': object
  'page_phone.send_kinds_refusal': object
  'page_phone.sent': object
  'page_phone.stopped': { span: TextValue }
  'page_phone.template': object
  'page_phone.title': object
  'page_phone.to_senders': object
  'page_phone.to_templates': object
  'page_phone.webhooks': object
  'page_recipients.blocked': object
  'page_recipients.codes': { count: number }
  'page_recipients.download': object
  'page_recipients.earlier_finished': { pseudonym: TextValue }
  'page_recipients.erase': object
  'page_recipients.erase_title': { phone: TextValue }
  'page_recipients.erase_yes': object
  'page_recipients.erased': { count: number }
  'page_recipients.erasing': object
  'page_recipients.find': object
  'page_recipients.keep_block': object
  'page_recipients.keep_block_hint': object
  'page_recipients.loses': object
  'page_recipients.means': object
  'page_recipients.nothing': { phone: TextValue }
  'page_recipients.nothing_erased': { phone: TextValue }
  'page_recipients.orders': { count: number }
  'page_recipients.phone': object
  'page_recipients.phone_hint': object
  'page_recipients.stays': object
  'page_recipients.step_audit_log': object
  'page_recipients.step_reports': object
  'page_recipients.step_rows': object
  'page_recipients.title': object
  'page_senders.about': object
  'page_senders.accounts': object
  'page_senders.actions': object
  'page_senders.added': { names: TextValue; number: TextValue }
  'page_senders.advanced': object
  'page_senders.app_secret': object
  'page_senders.app_secret_hint': object
  'page_senders.breaker_open_until': object
  'page_senders.callback': object
  'page_senders.can_send': object
  'page_senders.cancel': object
  'page_senders.changed': { names: TextValue; number: TextValue }
  'page_senders.connect': object
  'page_senders.connect_about': object
  'page_senders.connect_about_emulator': object
  'page_senders.connect_now': object
  'page_senders.connecting': object
  'page_senders.copy_command': object
  'page_senders.delete': object
  'page_senders.delete_loses': object
  'page_senders.delete_stays': object
  'page_senders.delete_title': object
  'page_senders.delete_waiting': object
  'page_senders.deleted': object
  'page_senders.done': object
  'page_senders.done_found': { numbers: TextValue; templates: TextValue }
  'page_senders.done_known': object
  'page_senders.done_title': object
  'page_senders.empty': object
  'page_senders.empty_member': object
  'page_senders.emulator_accounts': object
  'page_senders.flagged': object
  'page_senders.found': { numbers: TextValue; templates: TextValue }
  'page_senders.gone': { names: TextValue; number: TextValue }
  'page_senders.graph_hint': { url: TextValue }
  'page_senders.graph_hint_emulator': object
  'page_senders.graph_url': object
  'page_senders.health': object
  'page_senders.holds': object
  'page_senders.invalid_hint': object
  'page_senders.last_failed': object
  'page_senders.last_step': object
  'page_senders.last_step_emulator': object
  'page_senders.last_sync': object
  'page_senders.local_callback': object
  'page_senders.make': object
  'page_senders.never_synced': object
  'page_senders.next_sync': object
  'page_senders.no_numbers': object
  'page_senders.nothing_new': object
  'page_senders.number': object
  'page_senders.numbers': object
  'page_senders.numbers_found': { count: number }
  'page_senders.pace_unknown': object
  'page_senders.paces_high': object
  'page_senders.paces_standard': object
  'page_senders.pause': object
  'page_senders.pause_ask': object
  'page_senders.pause_title': { phone: TextValue }
  'page_senders.paused_since': object
  'page_senders.qualities_green': object
  'page_senders.qualities_na': object
  'page_senders.qualities_red': object
  'page_senders.qualities_unknown': object
  'page_senders.qualities_yellow': object
  'page_senders.quality': object
  'page_senders.quality_hints_red': object
  'page_senders.quality_hints_yellow': object
  'page_senders.read_so_far': { found: TextValue }
  'page_senders.renew': object
  'page_senders.renew_about': object
  'page_senders.renew_title': object
  'page_senders.renewed': object
  'page_senders.resume': object
  'page_senders.sender_id': object
  'page_senders.sent_today': { count: number }
  'page_senders.sent_today_failed': { count: number; failed: TextValue }
  'page_senders.statuses_banned': object
  'page_senders.statuses_connected': object
  'page_senders.statuses_deleted': object
  'page_senders.statuses_disconnected': object
  'page_senders.statuses_flagged': object
  'page_senders.statuses_migrated': object
  'page_senders.statuses_pending': object
  'page_senders.statuses_rate_limited': object
  'page_senders.statuses_restricted': object
  'page_senders.statuses_unverified': object
  'page_senders.steps_1': object
  'page_senders.steps_2': object
  'page_senders.steps_3': object
  'page_senders.steps_4': object
  'page_senders.sync': object
  'page_senders.sync_kept': { found: TextValue }
  'page_senders.sync_step': { step: TextValue; steps: TextValue; what: TextValue }
  'page_senders.sync_steps_numbers': object
  'page_senders.sync_steps_storing': object
  'page_senders.sync_steps_templates': object
  'page_senders.synced': object
  'page_senders.syncing': object
  'page_senders.templates_found': { count: number }
  'page_senders.throughput': object
  'page_senders.title': object
  'page_senders.today': object
  'page_senders.today_at_least': { messages: TextValue }
  'page_senders.token': object
  'page_senders.token_hint': object
  'page_senders.unreadable_hint': object
  'page_senders.verify_once': object
  'page_senders.verify_token': object
  'page_senders.verify_token_hint': object
  'page_senders.waba': object
  'page_senders.waba_hint': object
  'page_senders.webhooks': object
  'page_senders.webhooks_off': object
  'page_senders.webhooks_off_means': object
  'page_senders.webhooks_on': object
  'page_senders.webhooks_on_means': { apps: TextValue }
  'page_senders.webhooks_turn_on': object
  'page_senders.webhooks_unreachable': object
  'page_senders.why_account': object
  'page_senders.why_gone': object
  'page_senders.why_paused': object
  'page_senders.why_status': object
  'page_senders.why_unreadable': object
  'page_session.backup': object
  'page_session.backup_about': object
  'page_session.begin': object
  'page_session.begin_again': object
  'page_session.email': object
  'page_session.forgotten': object
  'page_session.invited': { email: TextValue; workspace: TextValue }
  'page_session.join': object
  'page_session.name': object
  'page_session.new_password': object
  'page_session.new_password_title': object
  'page_session.no_account': object
  'page_session.no_token': object
  'page_session.password': object
  'page_session.password_hint': object
  'page_session.refusals_signed_out': object
  'page_session.refusals_too_common': object
  'page_session.refusals_too_late': object
  'page_session.refusals_too_long': object
  'page_session.refusals_too_short': object
  'page_session.refusals_unknown': object
  'page_session.refusals_unreachable': object
  'page_session.refusals_used_code': object
  'page_session.refusals_wait': { count: number }
  'page_session.refusals_wrong': object
  'page_session.refusals_wrong_code': object
  'page_session.refusals_wrong_password': object
  'page_session.roles_admin': object
  'page_session.roles_member': object
  'page_session.roles_owner': object
  'page_session.set_password': object
  'page_session.setup': object
  'page_session.show_password': object
  'page_session.sign_in': object
  'page_session.sign_in_to_join': object
  'page_session.sign_out_here': object
  'page_session.signed_in_as': { invited: TextValue; now: TextValue }
  'page_session.to_sign_in': object
  'page_session.totp': object
  'page_session.totp_about': object
  'page_session.use_backup': object
  'page_session.use_totp': object
  'page_session.welcome': object
  'page_shell.account': object
  'page_shell.again': object
  'page_shell.all_values': object
  'page_shell.audit': object
  'page_shell.backend': object
  'page_shell.blocked': object
  'page_shell.cancel': object
  'page_shell.charts': object
  'page_shell.choose_workspace': object
  'page_shell.clear_filters': object
  'page_shell.clock_ahead': { ahead: TextValue }
  'page_shell.clock_hint': object
  'page_shell.close': object
  'page_shell.cod_settings': object
  'page_shell.collapse_sidebar': object
  'page_shell.colon': object
  'page_shell.colours': object
  'page_shell.confirmations': object
  'page_shell.copied': object
  'page_shell.copy': object
  'page_shell.dark': object
  'page_shell.dates': object
  'page_shell.dates_from': { day: TextValue }
  'page_shell.dates_to': { day: TextValue }
  'page_shell.endpoints': object
  'page_shell.erased_recipient': object
  'page_shell.errors': { count: number }
  'page_shell.expand_sidebar': object
  'page_shell.failed_title': object
  'page_shell.fault': { fault: TextValue; field: TextValue }
  'page_shell.filter_add': { name: TextValue }
  'page_shell.filter_remove': { name: TextValue }
  'page_shell.keys': object
  'page_shell.language': object
  'page_shell.leave': object
  'page_shell.leave_text': object
  'page_shell.leave_title': object
  'page_shell.light': object
  'page_shell.like_system': object
  'page_shell.live_hint': object
  'page_shell.menu': object
  'page_shell.messages': object
  'page_shell.newest': object
  'page_shell.next_month': object
  'page_shell.next_year': object
  'page_shell.not_found': object
  'page_shell.not_found_title': object
  'page_shell.not_live_hint': object
  'page_shell.older': object
  'page_shell.overview': object
  'page_shell.pages': object
  'page_shell.palette_hint': object
  'page_shell.palette_nothing': object
  'page_shell.palette_pages': object
  'page_shell.palette_scope': object
  'page_shell.palette_searching': object
  'page_shell.palette_settings': object
  'page_shell.palette_workspaces': object
  'page_shell.people': object
  'page_shell.phone': object
  'page_shell.previous_month': object
  'page_shell.previous_year': object
  'page_shell.real_time': { time: TextValue }
  'page_shell.rows': { from: TextValue; to: TextValue; total: TextValue }
  'page_shell.rows_more': { from: TextValue; to: TextValue; total: TextValue }
  'page_shell.sandbox': object
  'page_shell.search': object
  'page_shell.search_further': object
  'page_shell.searched_back': object
  'page_shell.searched_back_hint': object
  'page_shell.senders': object
  'page_shell.settings': object
  'page_shell.sign_out': object
  'page_shell.skip': object
  'page_shell.stay': object
  'page_shell.system': object
  'page_shell.templates': object
  'page_shell.to_start': object
  'page_shell.traffic': object
  'page_shell.type_to_confirm': { name: TextValue }
  'page_shell.unreachable': object
  'page_shell.used_of': { max: TextValue; used: TextValue }
  'page_shell.whats_app': object
  'page_shell.workspace': object
  'page_shell.zone_hint': object
  'page_system.about': object
  'page_system.alive': object
  'page_system.check_now': object
  'page_system.connections': object
  'page_system.connections_of': { all: TextValue; used: TextValue }
  'page_system.database': object
  'page_system.differing': { settings: TextValue }
  'page_system.documentation': object
  'page_system.due_since': object
  'page_system.examined': object
  'page_system.findings': object
  'page_system.fine': object
  'page_system.fine_inside': object
  'page_system.kind': object
  'page_system.level_failure': object
  'page_system.level_warning': object
  'page_system.never': object
  'page_system.no_work': object
  'page_system.node': object
  'page_system.nodes': object
  'page_system.outside': object
  'page_system.pool': object
  'page_system.public_url': object
  'page_system.roles': object
  'page_system.running_since': object
  'page_system.seen': object
  'page_system.server': object
  'page_system.silent': object
  'page_system.size': object
  'page_system.started': object
  'page_system.state': object
  'page_system.title': object
  'page_system.version': object
  'page_system.work': object
  'page_templates.about': object
  'page_templates.account': object
  'page_templates.advice': object
  'page_templates.advice_hint': object
  'page_templates.all': object
  'page_templates.appeared': object
  'page_templates.body': object
  'page_templates.body_hint': { named: TextValue; numbered: TextValue }
  'page_templates.buttons': object
  'page_templates.buttons_about': object
  'page_templates.cancel': object
  'page_templates.categories_authentication': object
  'page_templates.categories_marketing': object
  'page_templates.categories_utility': object
  'page_templates.category': object
  'page_templates.changed': object
  'page_templates.check_now': object
  'page_templates.cod_language_missing': object
  'page_templates.copy_label': object
  'page_templates.copy_label_hint': object
  'page_templates.create': object
  'page_templates.empty': object
  'page_templates.empty_no_account': object
  'page_templates.expiry': object
  'page_templates.expiry_hint': { max: TextValue; min: TextValue }
  'page_templates.facts': object
  'page_templates.fields_category': object
  'page_templates.fields_quality': object
  'page_templates.fields_rejected_reason': object
  'page_templates.fields_status': object
  'page_templates.fields_text': object
  'page_templates.filters': object
  'page_templates.footer': object
  'page_templates.footer_hint': object
  'page_templates.for_nothing': object
  'page_templates.for_what': object
  'page_templates.from_to': object
  'page_templates.gone': object
  'page_templates.gone_title': object
  'page_templates.header': object
  'page_templates.header_hint': object
  'page_templates.header_parameter': object
  'page_templates.header_sample': object
  'page_templates.history': object
  'page_templates.language': object
  'page_templates.language_hint': object
  'page_templates.languages': object
  'page_templates.later': { use: TextValue }
  'page_templates.meanings_cancel': object
  'page_templates.meanings_change_time': object
  'page_templates.meanings_confirm': object
  'page_templates.meanings_not_refused': object
  'page_templates.meanings_refused': object
  'page_templates.more': object
  'page_templates.name': object
  'page_templates.name_hint': object
  'page_templates.new_about': object
  'page_templates.new_title': object
  'page_templates.no_account': object
  'page_templates.no_history': object
  'page_templates.no_parameters': object
  'page_templates.no_start': object
  'page_templates.none': object
  'page_templates.not_rated': object
  'page_templates.not_shown': object
  'page_templates.not_shown_title': object
  'page_templates.not_usable': object
  'page_templates.nothing': object
  'page_templates.other_languages': object
  'page_templates.parameters': object
  'page_templates.paused': object
  'page_templates.paused_title': object
  'page_templates.preview': object
  'page_templates.preview_code': object
  'page_templates.preview_draft': object
  'page_templates.preview_english': object
  'page_templates.preview_hint': object
  'page_templates.qualities_green': object
  'page_templates.qualities_red': object
  'page_templates.qualities_unknown': object
  'page_templates.qualities_yellow': object
  'page_templates.quality': object
  'page_templates.readers_only': object
  'page_templates.reason': object
  'page_templates.rejected_next': object
  'page_templates.rejected_title': object
  'page_templates.rejected_unknown': object
  'page_templates.rejections_abusive_content': object
  'page_templates.rejections_category_not_available': object
  'page_templates.rejections_incorrect_category': object
  'page_templates.rejections_invalid_format': object
  'page_templates.rejections_promotional': object
  'page_templates.rejections_scam': object
  'page_templates.rejections_tag_content_mismatch': object
  'page_templates.remove': object
  'page_templates.remove_ask': object
  'page_templates.remove_disabled': object
  'page_templates.remove_now': object
  'page_templates.remove_title': object
  'page_templates.remove_type': object
  'page_templates.request': object
  'page_templates.request_for': object
  'page_templates.review': object
  'page_templates.review_member': object
  'page_templates.review_title': object
  'page_templates.samples': object
  'page_templates.samples_about': object
  'page_templates.search': object
  'page_templates.senders': object
  'page_templates.status': object
  'page_templates.subject_button': { position: TextValue }
  'page_templates.subject_expiry': object
  'page_templates.subject_footer': object
  'page_templates.subject_header': object
  'page_templates.submit': object
  'page_templates.template': object
  'page_templates.title': object
  'page_templates.to_cod_settings': object
  'page_templates.to_list': object
  'page_templates.to_senders': object
  'page_templates.ttl': object
  'page_templates.ttl_default': object
  'page_templates.ttl_seconds': { seconds: TextValue }
  'page_templates.unknown': object
  'page_templates.unknown_title': object
  'page_templates.usable_for': object
  'page_templates.use': object
  'page_templates.use_about_confirmation': object
  'page_templates.use_about_otp': object
  'page_templates.use_about_refusal': object
  'page_templates.uses_confirmation': object
  'page_templates.uses_otp': object
  'page_templates.uses_refusal': object
  'page_templates.vanished': object
  'page_templates.when': object
  'page_time_machine.ahead': { span: TextValue }
  'page_time_machine.day': object
  'page_time_machine.due_now': object
  'page_time_machine.go_on': object
  'page_time_machine.has_come': object
  'page_time_machine.hour': object
  'page_time_machine.in': { span: TextValue }
  'page_time_machine.jump': object
  'page_time_machine.jump_to': { what: TextValue }
  'page_time_machine.move': object
  'page_time_machine.move_by': object
  'page_time_machine.moved': { span: TextValue }
  'page_time_machine.moving': object
  'page_time_machine.not_ahead': object
  'page_time_machine.nothing_happened': object
  'page_time_machine.on_the_way': { happened: TextValue }
  'page_time_machine.other': object
  'page_time_machine.others': { count: number }
  'page_time_machine.quarter': object
  'page_time_machine.time_machine': object
  'page_time_machine.unit': object
  'page_time_machine.units_d': object
  'page_time_machine.units_h': object
  'page_time_machine.units_m': object
  'page_timeline.accepted': object
  'page_timeline.after': { span: TextValue }
  'page_timeline.answer': object
  'page_timeline.armed': object
  'page_timeline.attempt': object
  'page_timeline.caller': object
  'page_timeline.copy_curl': object
  'page_timeline.customer': object
  'page_timeline.customer_acts': object
  'page_timeline.empty': object
  'page_timeline.event': object
  'page_timeline.held': object
  'page_timeline.ignored': object
  'page_timeline.in_line': object
  'page_timeline.later': object
  'page_timeline.message': object
  'page_timeline.next_given_up': { fault: TextValue; url: TextValue }
  'page_timeline.next_held': { endpointStatus: TextValue; reason: TextValue; url: TextValue }
  'page_timeline.next_title': object
  'page_timeline.next_was_held': { url: TextValue }
  'page_timeline.no_action': object
  'page_timeline.no_answer': object
  'page_timeline.none': object
  'page_timeline.not_made': object
  'page_timeline.open': object
  'page_timeline.open_endpoint': object
  'page_timeline.open_phone': object
  'page_timeline.open_senders': object
  'page_timeline.open_templates': object
  'page_timeline.operator': object
  'page_timeline.parked': object
  'page_timeline.provider': object
  'page_timeline.quarantined': object
  'page_timeline.quota': object
  'page_timeline.refused': object
  'page_timeline.report': object
  'page_timeline.request': object
  'page_timeline.retry': object
  'page_timeline.taken': object
  'page_timeline.timer': object
  'page_timeline.title': object
  'page_timeline.to_come': object
  'page_timeline.unknown': object
  'page_timeline.webhook': object
  'page_workspaces.about': object
  'page_workspaces.another': object
  'page_workspaces.back': object
  'page_workspaces.below_used': object
  'page_workspaces.cancel_deletion': object
  'page_workspaces.change': object
  'page_workspaces.change_title': { kind: TextValue }
  'page_workspaces.closed': object
  'page_workspaces.create': object
  'page_workspaces.created': object
  'page_workspaces.delete': object
  'page_workspaces.delete_live_means': object
  'page_workspaces.delete_loses': object
  'page_workspaces.delete_sandbox_means': object
  'page_workspaces.delete_title': { name: TextValue }
  'page_workspaces.deleted': { name: TextValue }
  'page_workspaces.deletion_asked_by': { who: TextValue }
  'page_workspaces.deletion_asked_by_command': object
  'page_workspaces.deletion_cancelled': object
  'page_workspaces.deletion_due': object
  'page_workspaces.deletion_means': object
  'page_workspaces.deletion_owners_cancel': object
  'page_workspaces.forecasts_is_out': object
  'page_workspaces.forecasts_is_too_early': object
  'page_workspaces.forecasts_is_unused': object
  'page_workspaces.forecasts_lasts': object
  'page_workspaces.id': object
  'page_workspaces.kind': object
  'page_workspaces.kind_stays': object
  'page_workspaces.kinds_cod_confirmation': object
  'page_workspaces.kinds_cod_refusal': object
  'page_workspaces.kinds_otp': object
  'page_workspaces.left': { left: TextValue }
  'page_workspaces.live': object
  'page_workspaces.live_means': object
  'page_workspaces.may_not': object
  'page_workspaces.month_of': object
  'page_workspaces.name': object
  'page_workspaces.name_hint': object
  'page_workspaces.new_about': object
  'page_workspaces.new_title': object
  'page_workspaces.owners_only': object
  'page_workspaces.quotas': object
  'page_workspaces.quotas_about': object
  'page_workspaces.rename': object
  'page_workspaces.renamed': object
  'page_workspaces.runs_out': object
  'page_workspaces.sandbox': object
  'page_workspaces.sandbox_means': object
  'page_workspaces.save': object
  'page_workspaces.saved': object
  'page_workspaces.title': object
  'page_workspaces.units': object
  'page_workspaces.units_hint': object
  'page_workspaces.used_of': { units: TextValue; used: TextValue }
  'providers.call_not_from_graph': { httpStatus: TextValue }
  'providers.error_0': object
  'providers.error_1': object
  'providers.error_10': object
  'providers.error_100': object
  'providers.error_102': object
  'providers.error_104': object
  'providers.error_130403': object
  'providers.error_130429': object
  'providers.error_130472': object
  'providers.error_130497': object
  'providers.error_131000': object
  'providers.error_131005': object
  'providers.error_131008': object
  'providers.error_131009': object
  'providers.error_131016': object
  'providers.error_131021': object
  'providers.error_131026': object
  'providers.error_131030': object
  'providers.error_131031': object
  'providers.error_131037': object
  'providers.error_131042': object
  'providers.error_131045': object
  'providers.error_131047': object
  'providers.error_131048': object
  'providers.error_131049': object
  'providers.error_131050': object
  'providers.error_131051': object
  'providers.error_131052': object
  'providers.error_131053': object
  'providers.error_131055': object
  'providers.error_131056': object
  'providers.error_131057': object
  'providers.error_131059': object
  'providers.error_131062': object
  'providers.error_131063': object
  'providers.error_131064': object
  'providers.error_132000': object
  'providers.error_132001': object
  'providers.error_132005': object
  'providers.error_132007': object
  'providers.error_132008': object
  'providers.error_132012': object
  'providers.error_132015': object
  'providers.error_132016': object
  'providers.error_132018': object
  'providers.error_132068': object
  'providers.error_132069': object
  'providers.error_133000': object
  'providers.error_133004': object
  'providers.error_133005': object
  'providers.error_133006': object
  'providers.error_133008': object
  'providers.error_133009': object
  'providers.error_133010': object
  'providers.error_133015': object
  'providers.error_133016': object
  'providers.error_134011': object
  'providers.error_135000': object
  'providers.error_137000': object
  'providers.error_141002': object
  'providers.error_17': object
  'providers.error_190': object
  'providers.error_2': object
  'providers.error_2388019': object
  'providers.error_2388039': object
  'providers.error_2388040': object
  'providers.error_2388047': object
  'providers.error_2388072': object
  'providers.error_2388073': object
  'providers.error_2388293': object
  'providers.error_2388299': object
  'providers.error_2494100': object
  'providers.error_3': object
  'providers.error_33': object
  'providers.error_341': object
  'providers.error_368': object
  'providers.error_4': object
  'providers.error_80007': object
  'providers.error_object_missing': object
  'providers.error_permission': object
  'providers.error_unknown': object
  'providers.no_answer': { timeoutMs: TextValue }
  'providers.no_code': object
  'providers.no_list': object
  'providers.no_message_id': object
  'providers.operation_create_template': object
  'providers.operation_delete_template': object
  'providers.operation_find_template': object
  'providers.operation_list_numbers': object
  'providers.operation_list_subscribers': object
  'providers.operation_list_templates': object
  'providers.operation_subscribe': object
  'providers.refused': { errorCode: TextValue; operation: TextValue; title: TextValue }
  'providers.refused_with_detail': { detail: TextValue; errorCode: TextValue; operation: TextValue; title: TextValue }
  'providers.remedy_1': object
  'providers.remedy_130403': object
  'providers.remedy_130472': object
  'providers.remedy_130497': object
  'providers.remedy_131000': object
  'providers.remedy_131021': object
  'providers.remedy_131030': object
  'providers.remedy_131037': object
  'providers.remedy_131042': object
  'providers.remedy_131045': object
  'providers.remedy_131048': object
  'providers.remedy_131049': object
  'providers.remedy_131050': object
  'providers.remedy_131064': object
  'providers.remedy_133006': object
  'providers.remedy_133010': object
  'providers.remedy_134011': object
  'providers.remedy_137000': object
  'providers.remedy_141002': object
  'providers.send_not_from_graph': object
  'providers.titled': { detail: TextValue; title: TextValue }
  'providers.too_long': { bytes: TextValue }
  'providers.too_many': { items: TextValue; pages: TextValue }
  'providers.unreachable': { detail: TextValue; operation: TextValue }
  'recipients.being_sent': object
  'recipients.export_too_large': { command: TextValue }
  'recipients.too_many_steps': object
  'sandbox.live': { workspaceId: TextValue }
  'sandbox.not_done': { left: TextValue; seconds: TextValue }
  'sandbox.some': { busy: TextValue; what: TextValue }
  'sandbox.stuck': { command: TextValue; role: TextValue; seconds: TextValue; why: TextValue }
  'sandbox.thing_deadline': object
  'sandbox.thing_expiry': object
  'sandbox.thing_message': object
  'sandbox.thing_reminder': object
  'sandbox.thing_report': object
  'sandbox.thing_webhook': object
  'sandbox.too_far': object
  'sandbox.too_much': { max: TextValue }
  'secrets.interrupted': { key: TextValue; resealed: TextValue }
  'secrets.key_changed': object
  'secrets.key_not_in_use': { key: TextValue }
  'secrets.node_behind': { nodeId: TextValue }
  'secrets.node_lacks_key': { key: TextValue; nodeId: TextValue; roles: TextValue; version: TextValue }
  'secrets.not_rotated': { key: TextValue; unused: TextValue }
  'secrets.rotated_meanwhile': object
  'secrets.rows_left': { count: number }
  'secrets.too_many_keys': { count: number }
  'server_pages.after_repair': object
  'server_pages.disk_full': object
  'server_pages.incomplete': object
  'server_pages.install': { command: TextValue }
  'server_pages.locked': object
  'server_pages.look_in_log': { logged: TextValue }
  'server_pages.make_room': object
  'server_pages.other_fault': object
  'server_pages.page_title': object
  'server_pages.unknown_host': { header: TextValue; host: TextValue; publicUrl: TextValue; setting: TextValue }
  'server_pages.unlock': { folder: TextValue }
  'server_pages.when_built': object
  'statuses.account_connected': object
  'statuses.account_credentials_invalid': object
  'statuses.account_credentials_unreadable': object
  'statuses.delivery_failed': object
  'statuses.delivery_held': object
  'statuses.delivery_in_progress': object
  'statuses.delivery_pending': object
  'statuses.delivery_retrying': object
  'statuses.delivery_succeeded': object
  'statuses.endpoint_disabled': object
  'statuses.endpoint_enabled': object
  'statuses.endpoint_failing': object
  'statuses.endpoint_paused': object
  'statuses.invitation_expired': object
  'statuses.invitation_pending': object
  'statuses.key_active': object
  'statuses.key_expired': object
  'statuses.key_expires_soon': object
  'statuses.key_revoked': object
  'statuses.message_accepted': object
  'statuses.message_delivered': object
  'statuses.message_failed': object
  'statuses.message_played': object
  'statuses.message_queued': object
  'statuses.message_read': object
  'statuses.message_received': object
  'statuses.message_sending': object
  'statuses.message_sent': object
  'statuses.order_accepted': object
  'statuses.order_awaiting_answer': object
  'statuses.order_cancelled': object
  'statuses.order_confirmed': object
  'statuses.order_failed': object
  'statuses.order_no_response': object
  'statuses.order_rescheduled': object
  'statuses.order_rescheduling': object
  'statuses.refusal_accepted': object
  'statuses.refusal_awaiting_answer': object
  'statuses.refusal_awaiting_note': object
  'statuses.refusal_awaiting_reason': object
  'statuses.refusal_denied': object
  'statuses.refusal_failed': object
  'statuses.refusal_no_response': object
  'statuses.refusal_refusal_confirmed': object
  'statuses.sender_can_send': object
  'statuses.sender_cannot_send': object
  'statuses.template_approved': object
  'statuses.template_archived': object
  'statuses.template_deleted': object
  'statuses.template_disabled': object
  'statuses.template_in_appeal': object
  'statuses.template_limit_exceeded': object
  'statuses.template_paused': object
  'statuses.template_pending': object
  'statuses.template_pending_deletion': object
  'statuses.template_rejected': object
  'verify.answer': { derived: TextValue; stored: TextValue }
  'verify.answer_missing': { confirmationId: TextValue }
  'verify.answer_time': { derived: TextValue; stored: TextValue }
  'verify.answer_without_message': { answer: TextValue }
  'verify.check_answered_at': { check: TextValue; derived: TextValue; stored: TextValue }
  'verify.check_chosen': { check: TextValue; derived: TextValue; stored: TextValue }
  'verify.check_closing_sent': { check: TextValue; derived: TextValue; stored: TextValue }
  'verify.check_failure': { check: TextValue; derived: TextValue; stored: TextValue }
  'verify.check_round': { check: TextValue; derived: TextValue; stored: TextValue }
  'verify.check_status': { check: TextValue; derived: TextValue; stored: TextValue }
  'verify.code_kept': { status: TextValue }
  'verify.daily_figures': { day: TextValue; derived: TextValue; figure: TextValue; stored: TextValue }
  'verify.delivery_attempts': { derived: TextValue; stored: TextValue }
  'verify.delivery_missing': { endpointId: TextValue }
  'verify.delivery_status': { stored: TextValue }
  'verify.delivery_without_cause': { endpointId: TextValue }
  'verify.event_body': { member: TextValue; type: TextValue }
  'verify.event_missing': { type: TextValue }
  'verify.event_time': { derived: TextValue; stored: TextValue }
  'verify.event_time_of_message': { derived: TextValue; stored: TextValue; type: TextValue }
  'verify.event_time_twice': { at: TextValue }
  'verify.event_without_cause': { type: TextValue }
  'verify.failed_at': { derived: TextValue; stored: TextValue }
  'verify.last_event_at': { derived: TextValue; stored: TextValue }
  'verify.lease_without_end': { lease: TextValue }
  'verify.message_attempts': { derived: TextValue; stored: TextValue }
  'verify.message_failure': { derived: TextValue; stored: TextValue }
  'verify.message_status': { derived: TextValue; stored: TextValue }
  'verify.message_still_due': { status: TextValue }
  'verify.message_stuck': { status: TextValue }
  'verify.question_without_cause': { purpose: TextValue }
  'verify.report_parked': { messageId: TextValue }
  'verify.report_result': { derived: TextValue; stored: TextValue }
  'verify.sent_at': { derived: TextValue; stored: TextValue }
  'verify.timer': { check: TextValue; status: TextValue; timer: TextValue }
  'verify.unexplained': { what: TextValue }
  'verify.units': { derived: TextValue; kind: TextValue; month: TextValue; stored: TextValue }
  'verify.unknown_outcomes': { derived: TextValue; stored: TextValue }
  'webhooks.already': { status: TextValue }
  'webhooks.bad_description': { max: TextValue }
  'webhooks.body_removed': object
  'webhooks.credentials': object
  'webhooks.encoded_too_long': { max: TextValue }
  'webhooks.endpoint_deleted': object
  'webhooks.endpoint_failed_too_long': { days: TextValue }
  'webhooks.endpoint_gone': object
  'webhooks.endpoints_not_public': { address: TextValue }
  'webhooks.erased': object
  'webhooks.failed': object
  'webhooks.fault': object
  'webhooks.fragment': object
  'webhooks.incomplete': { example: TextValue }
  'webhooks.is_not': { command: TextValue; from: TextValue; status: TextValue }
  'webhooks.missing': { endpointId: TextValue }
  'webhooks.network_cert_has_expired': object
  'webhooks.network_depth_zero_self_signed_cert': object
  'webhooks.network_econnrefused': object
  'webhooks.network_econnreset': object
  'webhooks.network_ehostunreach': object
  'webhooks.network_enodata': object
  'webhooks.network_enotfound': object
  'webhooks.network_err_tls_cert_altname_invalid': object
  'webhooks.network_etimeout': object
  'webhooks.network_unable_to_verify_leaf_signature': object
  'webhooks.network_und_err_connect_timeout': object
  'webhooks.network_und_err_headers_overflow': object
  'webhooks.no_delivery': { deliveryId: TextValue }
  'webhooks.no_delivery_of_event': { endpointId: TextValue; eventId: TextValue }
  'webhooks.no_types': object
  'webhooks.not_enabled': { command: TextValue; status: TextValue }
  'webhooks.not_found': { hostname: TextValue }
  'webhooks.not_https': object
  'webhooks.not_pinged': { command: TextValue; status: TextValue }
  'webhooks.not_retried': { command: TextValue; status: TextValue }
  'webhooks.post_not_public': { address: TextValue }
  'webhooks.redirect': object
  'webhooks.scheme': { scheme: TextValue }
  'webhooks.scheme_or_http': { insecure: TextValue; scheme: TextValue }
  'webhooks.secret_lost': object
  'webhooks.status_deleted': object
  'webhooks.status_disabled': object
  'webhooks.status_enabled': object
  'webhooks.status_paused': object
  'webhooks.stopped': object
  'webhooks.too_many': { count: number }
  'webhooks.took_too_long': { seconds: TextValue }
  'webhooks.url_too_long': { max: TextValue }
  'words.bar': { first: TextValue; second: TextValue }
  'words.quoted': { words: TextValue }
  'words.semicolon': { first: TextValue; second: TextValue }
  'words.space': { first: TextValue; second: TextValue }
  'workspaces.name_differs': { name: TextValue }
  'workspaces.over': { state: TextValue }
  'workspaces.phone_invalid': { example: TextValue; text: TextValue }
  'workspaces.phone_without_plus': { phone: TextValue; text: TextValue }
  'workspaces.state_expired': object
  'workspaces.state_revoked': object
  'workspaces.unknown': { workspaceId: TextValue }
}
