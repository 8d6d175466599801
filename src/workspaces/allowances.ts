import { type Sql, statement } from '../db.ts'
import type { QuotaKind } from './quota.ts'

/** What the column holds; nobody sends that much in a month. */
export const MONTHLY_UNITS_MOST = 2_147_483_647

const upsertAllowance = statement(
  'set_allowance',
  `insert into allowances (workspace_id, kind, monthly_units) values ($1, $2, $3)
   on conflict (workspace_id, kind) do update set monthly_units = excluded.monthly_units`,
)

export type Allowance = { workspaceId: string; kind: QuotaKind; monthlyUnits: number }

/** Holds from the next request on. */
export async function setAllowance(sql: Sql, { workspaceId, kind, monthlyUnits }: Allowance): Promise<void> {
  await sql.rows(upsertAllowance, [workspaceId, kind, monthlyUnits])
}

const selectAllowances = statement<{ kind: QuotaKind; monthly_units: number }>(
  'list_allowances',
  'select kind, monthly_units from allowances where workspace_id = $1',
)

export async function listAllowances(sql: Sql, workspaceId: string): Promise<Record<QuotaKind, number>> {
  const rows = await sql.rows(selectAllowances, [workspaceId])
  const units = (kind: QuotaKind): number => rows.find((row) => row.kind === kind)?.monthly_units ?? 0
  return { otp: units('otp'), cod_confirmation: units('cod_confirmation'), cod_refusal: units('cod_refusal') }
}

const lockUnits = statement<{ monthlyUnits: number }>(
  'lock_allowance',
  'select monthly_units as "monthlyUnits" from allowances where workspace_id = $1 and kind = $2 for update',
)

/** As setAllowance, and returns what it was before, which nobody changes meanwhile. */
export async function changeAllowance(tx: Sql, allowance: Allowance): Promise<number> {
  const before = await tx.row(lockUnits, [allowance.workspaceId, allowance.kind])
  await setAllowance(tx, allowance)
  return before?.monthlyUnits ?? 0
}
