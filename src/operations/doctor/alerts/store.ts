import { SECOND_MS, MINUTE_MS, HOUR_MS, later } from '../../../lib/clock.ts'
import { type Db, type Sql, type Statement, batch, statement } from '../../../lib/db/pool.ts'
import { newId } from '../../../lib/ids.ts'
import type { Finding } from '../finding.ts'
import { OUTSIDE_CHECKS } from '../checks.ts'
import { type NextFinding, RAISE_AFTER_MS, type StoredFinding, decideFindings } from './decide.ts'

/** From the end of one examination to the next. */
export const EXAMINE_EVERY_MS = MINUTE_MS
/** WhatsApp and the public URL are asked less often, unless they have just failed. */
export const OUTSIDE_EVERY_MS = 15 * MINUTE_MS
/** Longer than an examination in which every check takes too long. */
export const MAX_EXAMINATION_MS = 5 * MINUTE_MS
/** Longer than an attempt to send may take. */
export const SEND_LEASE_MS = 30 * SECOND_MS
const FIRST_RETRY_MS = 10 * SECOND_MS
const MAX_RETRY_MS = HOUR_MS
/** With these pauses about 15 hours. */
export const MAX_TRIES = 24
/** Each turn. */
const MAX_ALERTS = 20

type Run = { lease: string; outside: boolean }

/**
 * Returns undefined unless an examination is due and no other node makes it. The first call only says when the first is due. One that is due
 * later than any should be was planned while the database's clock was ahead.
 */
export async function claimRun(db: Db, now: Date): Promise<Run | undefined> {
  const lease = newId()
  const row = await db.row(takeRun, [
    now,
    later(now, MAX_EXAMINATION_MS),
    lease,
    later(now, MAX_EXAMINATION_MS + MINUTE_MS),
    later(now, OUTSIDE_EVERY_MS + MINUTE_MS),
  ])
  if (row) return { lease, outside: row.outside }
  await db.row(openRuns, [later(now, EXAMINE_EVERY_MS)])
  return undefined
}

const takeRun = statement<{ outside: boolean }>(
  'take_doctor_run',
  `update doctor_runs set due_at = $2, lease = $3 where only_row and due_at not between $1 and $4
   returning outside_due_at not between $1 and $5 as outside`,
)

const openRuns = statement(
  'open_doctor_runs',
  'insert into doctor_runs (due_at, outside_due_at) values ($1, $1) on conflict do nothing',
)

/** Stores what the run found, and the alerts that follow from it. Does nothing if the run took so long that another node began one. */
export async function endRun(
  db: Db,
  { lease, outside }: Run,
  { findings, now, sends }: { findings: readonly Finding[]; now: Date; sends: boolean },
): Promise<void> {
  await db.transaction(async (tx) => {
    const next = [later(now, EXAMINE_EVERY_MS), outside ? later(now, OUTSIDE_EVERY_MS) : null]
    if (!(await tx.row(finishRun, [lease, now, ...next]))) return
    if (!sends) await tx.rows(dropAlerts)
    const { rows, over } = decideFindings(await tx.rows(selectFindings), findings, { now, sends })
    if (over.length > 0) await tx.rows(removeOver, [batch(over)])
    if (rows.length > 0)
      await tx.rows(writeFindings, [
        batch(rows.map(({ alerts, ...row }) => ({ ...row, alert_id: alerts ? newId() : null }))),
        now,
      ])
    const isNew = ({ check, found, since }: NextFinding): boolean =>
      found && OUTSIDE_CHECKS.has(check) && now.getTime() - since.getTime() < RAISE_AFTER_MS
    if (outside && rows.some(isNew)) await tx.rows(askOutsideAgain)
  })
}

const finishRun = statement<{ lease: string }>(
  'finish_doctor_run',
  `update doctor_runs set lease = null, examined_at = $2, due_at = $3, outside_due_at = coalesce($4, outside_due_at)
   where only_row and lease = $1 returning $1::uuid as lease`,
)

/** One failed call to another system proves nothing yet: the next examination calls it again. */
const askOutsideAgain = statement('ask_outside_again', 'update doctor_runs set outside_due_at = due_at where only_row')

/** Discards the alerts that waited when the setting was removed. When it is set again, whatever is wrong at that time is sent. */
const dropAlerts = statement(
  'drop_doctor_alerts',
  `update doctor_findings set raised = false, alert_id = null, alert_at = null, alert_due_at = null, alert_tries = 0
   where alert_id is not null`,
)

const selectFindings: Statement<StoredFinding> = statement(
  'lock_doctor_findings',
  `select check_name as "check", code, severity, found, since, text, fix, raised, alert_id is not null as "hasAlert"
   from doctor_findings order by check_name, code for update`,
)

const removeOver = statement(
  'remove_doctor_findings',
  `delete from doctor_findings f
   where exists (select from jsonb_to_recordset($1) as o ("check" text, code text)
     where o."check" = f.check_name and o.code = f.code) and f.alert_id is null`,
)

/** A new alert waits until the attempt with the former one has ended: the receiver gets them in order. */
const writeFindings = statement(
  'write_doctor_findings',
  `insert into doctor_findings as f
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
         then greatest($2, least(f.alert_due_at, $2::timestamptz + ${SEND_LEASE_MS} * interval '1 millisecond'))
       else excluded.alert_due_at end,
     alert_tries = case when excluded.alert_id is null then f.alert_tries else 0 end`,
)

/** An alert that is due. `tries` counts this attempt. */
export type Alert = Pick<StoredFinding, 'check' | 'code' | 'severity' | 'text' | 'fix' | 'raised'> & {
  id: string
  at: Date
  tries: number
}

/** Takes the alerts that are due, under a lease. */
export const claimAlerts = (sql: Sql, now: Date): Promise<Alert[]> =>
  sql.rows(takeAlerts, [now, later(now, SEND_LEASE_MS), later(now, MAX_RETRY_MS + MINUTE_MS)])

const takeAlerts: Statement<Alert> = statement(
  'take_doctor_alerts',
  `update doctor_findings set alert_due_at = $2, alert_tries = alert_tries + 1
   where alert_id = any (array (
     select alert_id from doctor_findings where alert_due_at not between $1 and $3
     order by alert_due_at limit ${MAX_ALERTS} for update skip locked))
   returning check_name as "check", code, severity, text, fix, raised, alert_id as id, alert_at as at, alert_tries as tries`,
)

/** Returns false if it was the last attempt. Changes nothing if a later change has replaced the alert. */
export async function retryAlert(sql: Sql, { id, tries }: Alert, now: Date): Promise<boolean> {
  if (tries >= MAX_TRIES) {
    await endAlert(sql, id)
    return false
  }
  await sql.rows(postponeAlert, [id, later(now, Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (tries - 1)))])
  return true
}

const postponeAlert = statement(
  'retry_doctor_alert',
  'update doctor_findings set alert_due_at = $2 where alert_id = $1',
)

export const endAlert = async (sql: Sql, id: string): Promise<void> => void (await sql.rows(finishAlert, [id]))

const finishAlert = statement(
  'end_doctor_alert',
  `update doctor_findings set alert_id = null, alert_at = null, alert_due_at = null, alert_tries = 0 where alert_id = $1`,
)

/** What `/metrics` shows. `examinedAgoMs` is null before the first examination. */
export type FoundNow = { examinedAgoMs: number | null; found: { code: string; severity: string }[] }

export async function findFoundNow(sql: Sql, now: Date): Promise<FoundNow> {
  const row = await sql.row(selectFound)
  return {
    examinedAgoMs: row?.examinedAt ? now.getTime() - row.examinedAt.getTime() : null,
    found: row?.found ?? [],
  }
}

const selectFound: Statement<{ examinedAt: Date | null; found: FoundNow['found'] }> = statement(
  'find_doctor_findings',
  `select (select examined_at from doctor_runs) as "examinedAt",
     coalesce((select jsonb_agg(jsonb_build_object('code', code, 'severity', severity)) from doctor_findings where found), '[]')
       as found`,
)
