import { MINUTE_MS, later } from '../clock.ts'
import { type Statement, batch, bytea, isBatchFault, statement } from '../db.ts'
import { Refusal } from '../errors.ts'
import { grouped } from '../group.ts'
import { newId } from '../ids.ts'
import type { Parts } from '../parts.ts'
import type { TemplateComponent } from '../providers/provider.ts'
import { senderUnavailableReason } from '../senders/availability.ts'
import { otpUnusableReason } from '../templates/usability.ts'
import { openQuotaMonths, quotaMonth } from '../workspaces/quota.ts'

export type OtpRequest = {
  workspaceId: string
  apiKeyId: string
  correlationId: string
  idempotencyKey: string | null
  /** E.164 */
  recipient: string
  senderId: string
  template: { name: string; language: string }
  code: string
  reference: string | null
}

/** spec §2.2 */
export type OtpAcceptance = { messageId: string; status: 'queued'; reference: string | null }

/** An OTP that could not be submitted for this long is of no use to anybody (contract §7). */
export const OTP_SUBMISSION_WINDOW_MS = 10 * MINUTE_MS
const OTP_PRIORITY = 0

const GROUP_MOST = 256
/** While one group waits for the disk, the next one is read and checked. */
const GROUP_LANES = 2
/** Each round settles at least one request of each key in the group. */
const ROUNDS_MOST = GROUP_MOST + 2

export const otpCodeSeal = (messageId: string): string => `otp:${messageId}`

/**
 * Accepts an OTP: the key, the unit, the message and its first work commit together, with whatever else arrived in the
 * same turn. Throws the first Refusal in the contract's order (§2); a refused request leaves nothing behind.
 */
export function otpAccepting(parts: Pick<Parts, 'db' | 'clock' | 'seal' | 'wake' | 'metrics'>) {
  const accept = grouped((requests: OtpRequest[]) => acceptTogether(parts, requests), {
    most: GROUP_MOST,
    lanes: GROUP_LANES,
    mayRunAlone: isBatchFault,
  })
  return async (request: OtpRequest): Promise<OtpAcceptance> => {
    const outcome = await accept(request)
    if (outcome instanceof Refusal) throw outcome
    return outcome
  }
}

type Outcome = OtpAcceptance | Refusal

async function acceptTogether(
  parts: Pick<Parts, 'db' | 'clock' | 'seal' | 'wake' | 'metrics'>,
  requests: OtpRequest[],
): Promise<Outcome[]> {
  const outcomes = requests.map((): Outcome | undefined => undefined)
  let open = requests.map((request, place) => ({ request, place }))
  for (let round = 0; open.length > 0 && round < ROUNDS_MOST; round += 1) {
    const found = await parts.db.rows(lookUp, [batch(open.map(asLookUp))])
    const candidates: Candidate[] = []
    const keys = new Set<string>()
    for (const row of found) {
      const each = open[row.n]
      if (!each) continue
      const decided = decide(each.request, row)
      if (decided) outcomes[each.place] = decided
      else if (claimsKey(keys, each.request)) candidates.push(candidate(parts, each))
    }
    if (candidates.length > 0) await commit(parts, candidates, outcomes)
    open = open.filter(({ place }) => !outcomes[place])
  }
  if (open.length > 0) throw new Error(`${open.length} requests of a group found no outcome in ${ROUNDS_MOST} rounds`)
  return outcomes as Outcome[]
}

/** Of requests with one key in one group the first goes on; the others meet its outcome in the next round. */
function claimsKey(keys: Set<string>, { workspaceId, idempotencyKey }: OtpRequest): boolean {
  if (idempotencyKey === null) return true
  const key = `${workspaceId} ${idempotencyKey}`
  if (keys.has(key)) return false
  keys.add(key)
  return true
}

const asLookUp = ({ request }: { request: OtpRequest }, n: number) => ({
  n,
  workspace_id: request.workspaceId,
  key: request.idempotencyKey,
  sender_id: request.senderId,
  name: request.template.name,
  language: request.template.language,
  recipient: request.recipient,
})

type Found = {
  n: number
  earlier_id: string | null
  earlier_recipient: string | null
  earlier_sender_id: string | null
  earlier_name: string | null
  earlier_language: string | null
  earlier_reference: string | null
  sender_found: boolean
  sender_status: string
  sender_paused: boolean
  sender_gone: boolean
  account_status: string
  template_status: string | null
  template_category: string
  template_components: TemplateComponent[]
  blocked: boolean
}

/** Lateral, each part limited to one row: a look-up by key per request whatever the planner thinks of the tables. */
const lookUp: Statement<Found> = statement(
  'look_up_otp_requests',
  `select r.n,
          m.id as earlier_id, m.recipient as earlier_recipient, m.sender_id as earlier_sender_id,
          m.template_name as earlier_name, m.template_language as earlier_language, m.reference as earlier_reference,
          s.id is not null as sender_found, s.status as sender_status, s.paused_at is not null as sender_paused,
          s.gone_at is not null as sender_gone, s.account_status,
          t.status as template_status, t.category as template_category, t.components as template_components,
          b.phone is not null as blocked
   from jsonb_to_recordset($1) as r (n int, workspace_id uuid, key text, sender_id uuid, name text, language text, recipient text)
   left join lateral (
     select * from messages m
     where m.workspace_id = r.workspace_id and m.kind = 'otp' and m.idempotency_key = r.key limit 1) m on true
   left join lateral (
     select s.*, a.status as account_status from senders s
     join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
     where s.workspace_id = r.workspace_id and s.id = r.sender_id limit 1) s on true
   left join lateral (
     select * from templates t
     where t.workspace_id = r.workspace_id and t.account_id = s.account_id and t.name = r.name and t.language = r.language limit 1) t on true
   left join lateral (
     select b.phone from blocked_recipients b
     where b.workspace_id = r.workspace_id and b.phone = r.recipient limit 1) b on true`,
)

/** The contract's order: replay, existence, state, content (§2). Undefined: only the quota is left to ask. */
function decide(request: OtpRequest, found: Found): Outcome | undefined {
  if (found.earlier_id !== null) return repeat(request, found, found.earlier_id)
  if (!found.sender_found) return new Refusal('OTP_SENDER_NOT_FOUND', 'No sender of this workspace has this senderId.')
  if (found.template_status === null) {
    return new Refusal(
      'OTP_TEMPLATE_NOT_FOUND',
      'The sender’s account has no template of exactly this name and language.',
    )
  }
  const unavailable = senderUnavailableReason({
    status: found.sender_status,
    paused: found.sender_paused,
    gone: found.sender_gone,
    accountStatus: found.account_status,
  })
  if (unavailable) return new Refusal('OTP_SENDER_UNAVAILABLE', unavailable)
  const unusable = otpUnusableReason({
    status: found.template_status,
    category: found.template_category,
    components: found.template_components,
  })
  if (unusable) return new Refusal('OTP_TEMPLATE_NOT_USABLE', unusable)
  if (found.blocked)
    return new Refusal('RECIPIENT_BLOCKED', 'The recipient is on this workspace’s list of blocked recipients.')
  return undefined
}

/** The code is not compared: another code under the same key does not replace the message (spec §4.2). */
function repeat(request: OtpRequest, found: Found, messageId: string): Outcome {
  const same =
    found.earlier_recipient === request.recipient &&
    found.earlier_sender_id === request.senderId &&
    found.earlier_name === request.template.name &&
    found.earlier_language === request.template.language &&
    found.earlier_reference === request.reference
  if (same) return { messageId, status: 'queued', reference: request.reference }
  return new Refusal(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for a request with another recipient, sender, template or reference.',
  )
}

type Candidate = { place: number; request: OtpRequest; messageId: string; row: ReturnType<typeof messageRow> }

function candidate(
  parts: Pick<Parts, 'clock' | 'seal'>,
  { request, place }: { request: OtpRequest; place: number },
): Candidate {
  const messageId = newId()
  const code = parts.seal.close(request.code, otpCodeSeal(messageId))
  return { place, request, messageId, row: messageRow(request, messageId, code, parts.clock.now()) }
}

const messageRow = (request: OtpRequest, id: string, code: Buffer, now: Date) => ({
  id,
  workspace_id: request.workspaceId,
  sender_id: request.senderId,
  recipient: request.recipient,
  name: request.template.name,
  language: request.template.language,
  reference: request.reference,
  key: request.idempotencyKey,
  code: bytea(code),
  correlation_id: request.correlationId,
  api_key_id: request.apiKeyId,
  created_at: now,
  submit_by: later(now, OTP_SUBMISSION_WINDOW_MS),
  month: quotaMonth(now),
})

type Committed = { accepted: string[] | null; admitted: string[] | null; open_workspaces: string[] | null }

/**
 * One statement is one transaction. The counters come, and are locked, in one order, so that groups of several nodes wait
 * for each other and never in a circle; a unit is counted for each row that was really inserted.
 */
const insertWithinQuota: Statement<Committed> = statement(
  'insert_otp_messages_within_quota',
  `with counters as materialized (
     select g.workspace_id, g.month, g.candidates, q.used, q.monthly_units
     from jsonb_to_recordset($1) as g (workspace_id uuid, month date, candidates jsonb)
     cross join lateral (
       select q.used, (
         select a.monthly_units from allowances a where a.workspace_id = q.workspace_id and a.kind = q.kind) as monthly_units
       from quota_usage q
       where q.workspace_id = g.workspace_id and q.kind = 'otp' and q.month = g.month
       limit 1 for update) q
   ), admitted as materialized (
     select c.*, u.workspace_id, u.month, u.used + c.place as unit
     from counters u
     cross join lateral jsonb_to_recordset(u.candidates) as c (
       place int, id uuid, sender_id uuid, recipient text, name text, language text, reference text, key text, code bytea,
       correlation_id uuid, api_key_id text, created_at timestamptz, submit_by timestamptz)
     where u.used + c.place <= u.monthly_units
   ), inserted as (
     insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference,
       idempotency_key, code, correlation_id, api_key_id, quota_unit, created_at, status, priority, submit_by, due_at)
     select id, workspace_id, 'otp', sender_id, recipient, name, language, reference,
       key, code, correlation_id, api_key_id, unit, created_at, 'queued', ${OTP_PRIORITY}, submit_by, created_at
     from admitted
     on conflict do nothing
     returning id, workspace_id, created_at
   ), counts as materialized (
     select coalesce(jsonb_object_agg(workspace_id || ' ' || month, units), '{}') as units,
            array_agg(workspace_id) as workspaces, array_agg(month) as months
     from (
       select workspace_id, date_trunc('month', created_at at time zone 'UTC')::date as month, count(*) as units
       from inserted group by 1, 2) c
   ), counted as (
     update quota_usage q
     set used = q.used + ((select units from counts) ->> (q.workspace_id || ' ' || q.month))::int
     where q.workspace_id = any ((select workspaces from counts)::uuid[]) and q.kind = 'otp'
       and q.month = any ((select months from counts)::date[])
       and (select units from counts) ? (q.workspace_id || ' ' || q.month)
   )
   select (select array_agg(id) from inserted) as accepted,
          (select array_agg(id) from admitted) as admitted,
          (select array_agg(workspace_id) from counters) as open_workspaces`,
)

/** Writes the outcomes that are certain; what another node was quicker with stays open for the next round. */
async function commit(
  { db, wake, metrics }: Pick<Parts, 'db' | 'wake' | 'metrics'>,
  candidates: Candidate[],
  outcomes: (Outcome | undefined)[],
): Promise<void> {
  const row = await db.row(insertWithinQuota, [batch(byWorkspace(candidates))])
  const inserted = new Set(row?.accepted)
  const admitted = new Set(row?.admitted)
  const openWorkspaces = new Set(row?.open_workspaces)
  const crowded = new Set(
    candidates
      .filter(({ messageId }) => admitted.has(messageId) && !inserted.has(messageId))
      .map(({ request }) => request.workspaceId),
  )
  for (const { place, request, messageId } of candidates) {
    if (inserted.has(messageId)) {
      outcomes[place] = { messageId, status: 'queued', reference: request.reference }
    } else if (openWorkspaces.has(request.workspaceId) && !crowded.has(request.workspaceId)) {
      // In a crowded workspace a row that met its key elsewhere may have held the last unit: there is another round.
      outcomes[place] = new Refusal(
        'OTP_QUOTA_EXCEEDED',
        'The workspace’s allowance of one-time codes of this calendar month (UTC) is used up.',
      )
    }
  }
  const closed = candidates.filter(({ request }) => !openWorkspaces.has(request.workspaceId))
  if (closed.length > 0) {
    await openQuotaMonths(
      db,
      closed.map(({ row }) => ({ workspace_id: row.workspace_id, kind: 'otp', month: row.month })),
    )
  }
  if (inserted.size > 0) {
    metrics.otpAccepted.inc(inserted.size)
    wake('submit')
  }
}

/** Each workspace's candidates in the order they came, numbered from 1; the workspaces in one order. */
function byWorkspace(candidates: Candidate[]) {
  const groups = new Map<string, { workspace_id: string; month: string; candidates: object[] }>()
  for (const { row } of candidates) {
    const { workspace_id, month } = row
    const key = `${workspace_id} ${month}`
    const group = groups.get(key) ?? { workspace_id, month, candidates: [] }
    group.candidates.push({ ...row, place: group.candidates.length + 1 })
    groups.set(key, group)
  }
  return [...groups.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group)
}
