import type { Client } from 'pg'

/** Where to insert old rows, whose work is all done. */
export type OldRows = { client: Client; workspaceId: string; senderId: string; accountId: string; endpointId: string }

type Amount = { rows: number; ageDays: number }

/** In one statement, so that its snapshot of new rows stays small. */
const MAX_ROWS = 10_000

/** One-time codes, each with an attempt, three reports, an event, its delivery and the attempt of that. */
export const insertOldCodes = (old: OldRows, amount: Amount): Promise<void> => insertInSteps(old, amount, CODES)

/** Orders with three messages, an answer with a note, and per message what a code has. */
export const insertOldOrders = (old: OldRows, amount: Amount): Promise<void> => insertInSteps(old, amount, ORDERS)

/** Only the messages of such codes. */
export const insertStoredCodes = (
  old: Pick<OldRows, 'client' | 'workspaceId' | 'senderId'>,
  amount: Amount,
): Promise<void> => insertInSteps({ ...old, accountId: '', endpointId: '' }, amount, STORED_CODES)

async function insertInSteps(old: OldRows, { rows, ageDays }: Amount, statement: string): Promise<void> {
  const { client, workspaceId, senderId, accountId, endpointId } = old
  for (let done = 0; done < rows; done += MAX_ROWS) {
    const amount = Math.min(MAX_ROWS, rows - done)
    await client.query(statement, [workspaceId, senderId, accountId, endpointId, amount, `${ageDays} days`])
  }
}

/** What every message has. `message`: the rows of new messages, with the confirmation of each or null. */
const FOLLOWING = `
  attempt as (
    insert into message_attempts (workspace_id, message_id, attempt, started_at, ended_at, outcome, http_status)
    select $1, id, 1, at, at, 'accepted', 200 from message
  ), report as (
    insert into provider_reports (id, workspace_id, account_id, kind, body, provider_message_id, message_id, occurred_at,
      received_at, outcome)
    select gen_random_uuid(), $1, $3, 'status',
      '{"id":"wamid.' || id || '","status":"' || status || '","timestamp":"1700000000","recipient_id":"212600000000","conversation":{"id":"c","origin":{"type":"authentication"}},"pricing":{"billable":true,"pricing_model":"PMP","category":"authentication"}}',
      'wamid.' || id, id, at, at, 'applied'
    from message cross join unnest(array['sent', 'delivered', 'read']) as status
  ), event as (
    insert into events (id, workspace_id, type, message_id, confirmation_id, occurred_at, recorded_at, body)
    select uuidv7(-$6::interval), $1, 'message.sent', case when confirmation_id is null then id end, confirmation_id, at, at,
      '{"type":"message.sent","timestamp":"2026-01-01T00:00:00.000Z","data":{"messageId":"' || id || '","status":"sent","reference":"login-1","to":"+212600000000","createdAt":"2026-01-01T00:00:00.000Z","sentAt":"2026-01-01T00:00:00.000Z","failure":null}}'
    from message returning id, recorded_at
  ), delivery as (
    insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, status, created_at, ended_at, attempts)
    select uuidv7(-$6::interval), $1, id, $4, 'succeeded', recorded_at, recorded_at, 1 from event returning id, created_at
  )
  insert into webhook_attempts (workspace_id, delivery_id, attempt, started_at, duration_ms, http_status, response)
  select $1, id, 1, created_at, 12, 200, '{"ok":true}' from delivery`

const MESSAGE_COLUMNS = `workspace_id, kind, sender_id, recipient, template_name, template_language, created_at, status,
      provider_message_id, accepted_at, sent_at, priority, submit_by, attempts`

const INSERT_CODES = `
    insert into messages (id, ${MESSAGE_COLUMNS}, reference, idempotency_key, correlation_id, api_key_id, quota_unit)
    select id, $1, 'otp', $2, '+2126' || lpad((n % 100000000)::text, 8, '0'), 'login_code', 'en_US', at, 'read',
      'wamid.' || id, at, at, 0, at, 1, 'login-' || n, 'key-' || id, gen_random_uuid(), 'bench', n
    from (select n, uuidv7(-$6::interval) as id, now() - $6::interval + n * interval '1 ms' as at from generate_series(1, $5::int) n) row`

/** `$3` and `$4` are of what the others insert too. */
const STORED_CODES = `with unused as (select $3::text, $4::text) ${INSERT_CODES}`

const CODES = `
  with message as (${INSERT_CODES}
    returning id, created_at as at, null::uuid as confirmation_id
  ), ${FOLLOWING}`

const ORDERS = `
  with confirmation as (
    insert into confirmations (id, workspace_id, sender_id, recipient, template_name, template_language, parameters, reference,
      idempotency_key, correlation_id, api_key_id, quota_unit, created_at, status, answered_at, reschedule)
    select id, $1, $2, '+2127' || lpad(n::text, 8, '0'), 'order_confirmation', 'en', '{"body":["Ana","A-1001","25 EUR"]}', 'A-' || n,
      'order-' || id, gen_random_uuid(), 'bench', n, at, 'rescheduled', at,
      '{"date":"2026-01-02","timeRange":null,"note":"after noon"}'
    from (select n, uuidv7(-$6::interval) as id, now() - $6::interval + n * interval '1 ms' as at from generate_series(1, $5::int) n) row
    returning id, recipient, created_at as at
  ), answer as (
    insert into cod_answers (id, workspace_id, confirmation_id, check_kind, answer, detail, answered_at)
    select uuidv7(-$6::interval), $1, id, 'confirmation', 'rescheduled',
      '{"reschedule":{"date":"2026-01-02","timeRange":null,"note":"after noon"}}', at from confirmation
  ), message as (
    insert into messages (id, ${MESSAGE_COLUMNS}, confirmation_id, check_kind, purpose, content)
    select uuidv7(-$6::interval), $1, 'cod', $2, recipient, 'order_confirmation', 'en', at, 'read', 'wamid.' || gen_random_uuid(), at,
      at, 1, at, 1, id, 'confirmation', purpose, '{"type":"template","name":"order_confirmation","language":"en","header":null,"body":[{"name":null,"text":"Ana"},{"name":null,"text":"A-1001"}],"payloads":["a","b","c"]}'
    from confirmation cross join unnest(array['template', 'day_question', 'closing']) as purpose
    returning id, created_at as at, confirmation_id
  ), ${FOLLOWING}`
