import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileDatabase } from '../database/database.ts'
import { withConnection } from '../database/postgres.ts'

/** Columns that can hold a recipient's data: an erasure empties or replaces them (docs/recipients.md#erase). */
const ERASED: Readonly<Record<string, string>> = {
  messages: 'recipient content provider_message_id reference idempotency_key',
  message_attempts: 'detail',
  provider_reports: 'body provider_message_id',
  confirmations: 'recipient customer_user_id parameters reschedule choices reference idempotency_key',
  refusal_checks: 'parameters note idempotency_key',
  cod_answers: 'detail',
  events: 'body',
  webhook_attempts: 'response',
  pair_pace: 'recipient',
  blocked_recipients: 'phone reason',
  unfinished_erasures: 'recipient user_ids',
  audit_log: 'target before after',
}

/** Other texts of the same tables: codes, and names that Doorcode or the shop chose. */
const NOT_PERSONAL: Readonly<Record<string, string>> = {
  messages:
    'kind template_name template_language api_key_id check_kind purpose offered status failure_code last_failure_code finish_error',
  message_attempts: 'outcome',
  provider_reports: 'kind outcome note',
  confirmations: 'template_name template_language api_key_id status answer_times failure_code timer_error',
  refusal_checks: 'template_name template_language api_key_id status answer_times reason failure_code timer_error',
  cod_answers: 'check_kind answer',
  events: 'type',
  webhook_attempts: 'error',
  blocked_recipients: 'blocked_by',
  unfinished_erasures: 'pseudonym',
  audit_log: 'user_id who action',
}

/** Setup, figures and work: no text of these tables comes from a recipient or names one. */
const TABLES_WITHOUT_RECIPIENTS =
  `access_links api_keys clock_moves cod_settings daily_figures instance leases members nodes operators provider_accounts
   quota_usage quotas rate_limits removal_guard retention retention_postponed sender_pace senders sign_in_attempts template_changes templates used_sign_in_codes
   webhook_deliveries webhook_endpoints workspaces migrations`.split(/\s+/)

test('every text column is either erased with a recipient or known to contain no personal data', async () => {
  await withConnection(await fileDatabase(), async (connection) => {
    const { rows } = await connection.query<{ table: string; column: string }>(
      `select table_name as table, column_name as column from information_schema.columns
       where table_schema = 'public' and data_type in ('text', 'jsonb', 'json', 'character varying', 'ARRAY')`,
    )
    const unknown = rows.filter(
      ({ table, column }) =>
        !TABLES_WITHOUT_RECIPIENTS.includes(table) &&
        !`${ERASED[table] ?? ''} ${NOT_PERSONAL[table] ?? ''}`.split(' ').includes(column),
    )
    assert.deepEqual(
      unknown.map(({ table, column }) => `${table}.${column}`),
      [],
    )
  })
})
