import { newId } from '../../src/lib/ids.ts'
import { withConnection } from './postgres.ts'
import type { World } from '../world/world.ts'

/** The owner of the rows. */
export type Owner = { workspaceId: string; accountId: string; senderId: string; endpointId: string }

/** Rare enough that a filter skips most rows. */
const RARE_EVERY = 50_000
const SPREAD_DAYS = 90

/** The n-th row of `rows`, oldest first, is as old as its place among them; its id is of that time, as ours are. */
const AT = `now() - make_interval(secs => ($2::int - n)::float8 * ${SPREAD_DAYS * 86_400} / $2::float8)`
const ID = (kind: string): string =>
  `(lpad(to_hex((extract(epoch from ${AT}) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8${kind}'
    || lpad(to_hex(n), 14, '0'))::uuid`

const MESSAGES = `
  insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference,
    correlation_id, api_key_id, quota_unit, created_at, status, sent_at, failure_code, failed_at, priority, submit_by,
    attempts, provider_message_id, accepted_at)
  select ${ID('1')}, $1, 'otp', $3, '+2126' || lpad((n % ($2::int / 5))::text, 8, '0'),
    case when n % ${RARE_EVERY} = 7 then 'rare' else 'login_code' end, 'en_US', 'login-' || n, gen_random_uuid(), 'key',
    n, ${AT}, s.status, ${AT}, case when s.status = 'failed' then 'UNKNOWN' end,
    case when s.status = 'failed' then ${AT} end, 0, ${AT}, 1, 'wamid.' || n, ${AT}
  from generate_series(1, $2::int) n
  cross join lateral (select case when n % ${RARE_EVERY} = 3 then 'played' when n % 40 = 1 then 'failed'
    when n % 10 = 2 then 'sent' when n % 10 < 5 then 'delivered' else 'read' end as status) s`

const CONFIRMATIONS = `
  insert into confirmations (id, workspace_id, sender_id, recipient, template_name, template_language, parameters,
    reference, correlation_id, api_key_id, quota_unit, created_at, status, answered_at, failure_code, failed_at)
  select ${ID('2')}, $1, $3, '+2127' || lpad((n % ($2::int / 3))::text, 8, '0'),
    case when n % ${RARE_EVERY} = 7 then 'rare' else 'order_confirmation' end, 'en', '{}', 'order-' || n,
    gen_random_uuid(), 'key', n, ${AT}, s.status, ${AT}, case when s.status = 'failed' then 'UNKNOWN' end,
    case when s.status = 'failed' then ${AT} end
  from generate_series(1, $2::int) n
  cross join lateral (select case when n % ${RARE_EVERY} = 3 then 'failed' when n % 10 < 6 then 'confirmed'
    when n % 10 < 8 then 'cancelled' else 'no_response' end as status) s`

const EVENTS = `
  insert into events (id, workspace_id, type, message_id, occurred_at, recorded_at, body)
  select ${ID('3')}, $1, case when n % ${RARE_EVERY} = 7 then 'message.failed' else 'message.sent' end, ${ID('1')},
    ${AT}, ${AT}, '{}' from generate_series(1, $2::int) n where $3::uuid is not null`

const DELIVERIES = `
  insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, status, attempts, created_at, ended_at)
  select ${ID('4')}, $1, ${ID('3')}, $3, case when n % ${RARE_EVERY} = 3 then 'failed' else 'succeeded' end, 1, ${AT},
    ${AT} from generate_series(1, $2::int) n`

const ATTEMPTS = `
  insert into webhook_attempts (workspace_id, delivery_id, attempt, started_at, duration_ms, http_status)
  select $1, ${ID('4')}, 1, ${AT}, 80, 204 from generate_series(1, $2::int) n where $3::uuid is not null`

const AUDIT = `
  insert into audit_log (id, workspace_id, at, who, action, target)
  select ${ID('5')}, $1, ${AT}, 'person-' || n % 20 || '@shop.example',
    case when n % ${RARE_EVERY} = 7 then 'key.revoked' else 'recipient.blocked' end, '+212600000000'
  from generate_series(1, $2::int) n where $3::uuid is not null`

/** Fills one workspace with this many messages, confirmations, deliveries and changes of the last three months. */
export async function fillWorkspace(
  databaseUrl: string,
  { workspaceId, senderId, endpointId }: Owner,
  rows: number,
): Promise<void> {
  await withConnection(databaseUrl, async (connection) => {
    await connection.query('set session_replication_role = replica') // foreign keys hold by construction
    await connection.query('begin') // one now() for all rows: the ids of related rows are made from it
    for (const text of [MESSAGES, CONFIRMATIONS]) await connection.query(text, [workspaceId, rows, senderId])
    for (const text of [EVENTS, DELIVERIES, ATTEMPTS, AUDIT])
      await connection.query(text, [workspaceId, rows, endpointId])
    await connection.query('commit')
    await connection.query('vacuum analyze')
  })
}

/** Codes that were sent just now. */
export const addMessages = (world: World, rows: number) =>
  world.query(
    `insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, correlation_id,
       api_key_id, quota_unit, created_at, status, priority, submit_by)
     select id, $1, 'otp', $2, '+212600000001', 'login_code', 'en_US', gen_random_uuid(), 'key', n, now(), 'sent', 0, now()
     from unnest($3::uuid[]) with ordinality as made (id, n)`,
    [world.workspaceId, world.senderId, Array.from({ length: rows }, newId)],
  )

type Filling = { count: number; from?: string; reference?: string; status?: string }

/** Confirmations one second apart, oldest first, with ids of the same times. */
export async function addConfirmations(
  world: World,
  { count, from = `now() - interval '30 days'`, reference = 'r', status = 'awaiting_answer' }: Filling,
): Promise<void> {
  await world.query(
    `insert into confirmations (id, workspace_id, sender_id, recipient, template_name, template_language, parameters,
       reference, correlation_id, api_key_id, quota_unit, created_at, status)
     select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5($3 || n), 1, 3) || '8' ||
         substr(md5($3 || n), 4, 15))::uuid,
       $1, $2, '+212600' || lpad(n::text, 6, '0'), 'order_confirmation', 'en', '{}', $3 || '-' || n,
       gen_random_uuid(), 'key', n, at, $4
     from generate_series(1, $5::int) n, lateral (select ${from} + n * interval '1 second' - interval '1 second' as at) t`,
    [world.workspaceId, world.senderId, reference, status, count],
  )
}
