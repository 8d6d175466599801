import assert from 'node:assert/strict'
import { COMMAND_LINE, audit } from '../../src/admin/audit/audit.ts'
import {
  type ErasureParts,
  type RecordErasure,
  beginErasure,
  eraseRecipient,
} from '../../src/operations/lifecycle/recipients/erase.ts'
import { exportRecipient } from '../../src/operations/lifecycle/recipients/export.ts'
import { waitFor } from './wait-for.ts'
import type { World } from './world.ts'

type Recipient = { to: string }

export const requestOf = ({ workspaceId }: World, { to }: Recipient) => ({ workspaceId, phone: to, keepBlock: false })

/** In the audit log, as the command does. */
export const recordIn =
  ({ workspaceId, clock }: World): RecordErasure =>
  (tx, { pseudonym }, held) =>
    audit(
      tx,
      { actor: COMMAND_LINE, at: clock.now() },
      { workspaceId, action: 'recipient.erased', target: pseudonym, after: held },
    )

type Choice = { keepBlock?: boolean; parts?: ErasureParts }

export async function erase(world: World, of: Recipient, { parts = world.parts, ...choice }: Choice = {}) {
  const how = { erasure: beginErasure(parts), record: recordIn(world), maxMs: Number.POSITIVE_INFINITY }
  const { erasure, erased } = await eraseRecipient(parts, { ...requestOf(world, of), ...choice }, how)
  const { pseudonym, finishesEarlier } = erasure
  return { pseudonym, finishesEarlier, erased }
}

export const waitForLock = (world: World, transactions = 1) =>
  waitFor('transactions wait for a lock', async () => {
    const waiting = await world.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return waiting.length >= transactions
  })

/** The forms of a number, including the one inside the provider's ids. */
export function formsOf(phone: string): string[] {
  const digits = phone.slice(1)
  return [digits, Buffer.from(digits).toString('base64').replace(/=+$/, '').slice(0, -1)]
}

/** The tables of all schemas in which a row contains one of the forms. */
export async function tablesWith(world: World, { forms }: { forms: readonly string[] }): Promise<string[]> {
  const tables = await world.query<{ name: string }>(
    `select format('%I.%I', relnamespace::regnamespace, relname) as name from pg_class
     where relkind in ('r', 'p') and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')`,
  )
  assert.ok(tables.length > 30)
  const found: string[] = []
  for (const { name } of tables) {
    const [row] = await world.query<{ any: boolean }>(
      `select exists (select from ${name} t, unnest($1::text[]) form where strpos(t::text, form) > 0) as any`,
      [forms],
    )
    if (row?.any) found.push(name.replace('public.', ''))
  }
  return found.toSorted()
}

/** A message of a customer, as it is stored. */
export async function storeMessage(
  world: World,
  message: object,
  { outcome = 'applied', confirmationId = null }: { outcome?: string; confirmationId?: string | null } = {},
): Promise<string> {
  const body = JSON.stringify({ phone_number_id: '1', message })
  const [row] = await world.query<{ id: string }>(
    `insert into provider_reports (id, workspace_id, account_id, kind, body, received_at, outcome, confirmation_id)
     values (gen_random_uuid(), $1, $2, 'message', $3, now() - interval '1 hour', $4, $5) returning id`,
    [world.workspaceId, world.account.accountId, body, outcome, confirmationId],
  )
  return row?.id ?? ''
}

export async function exported(world: World, phone: string): Promise<Record<string, unknown>> {
  let text = ''
  const { workspaceId, clock } = world
  for await (const piece of exportRecipient(world.parts, { workspaceId, phone, at: clock.now() })) text += piece
  return JSON.parse(text) as Record<string, unknown>
}
