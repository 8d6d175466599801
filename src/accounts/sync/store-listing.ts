import { type Sql, batch, statement } from '../../lib/db/pool.ts'
import { newId } from '../../lib/ids.ts'
import type { ProviderListing, ProviderTemplate, TemplateId } from '../../providers/provider.ts'
import { type AccountRef, recordDifferences, recordRemovals } from '../templates/changes.ts'

const selectForUpdate = statement<{ status: string; synced_at: Date | null }>(
  'lock_account_to_sync',
  `select status, synced_at from provider_accounts
   where workspace_id = $1 and id = $2 and status <> 'removed' for no key update`,
)

/** Call it before changing senders or templates, so that each change is recorded once. Returns undefined if the account does not exist or was removed. */
export const lockAccount = (tx: Sql, { workspaceId, accountId }: AccountRef) =>
  tx.row(selectForUpdate, [workspaceId, accountId])

/** Makes the account's senders and templates match its listing. A number that returns keeps its sender id. */
export async function storeListing(
  tx: Sql,
  { workspaceId, accountId }: AccountRef,
  { listing, now }: { listing: ProviderListing; now: Date },
): Promise<void> {
  const numbers = latestByKey(listing.numbers, ({ phoneNumberId }) => phoneNumberId)
  const templates = latestByKey(listing.templates, ({ name, language }) => `${name} ${language}`)
  await tx.rows(upsertSenders, [workspaceId, accountId, batch(numbers.map((number) => ({ id: newId(), ...number })))])
  await tx.rows(markGoneSenders, [workspaceId, accountId, batch(numbers), now])
  await tx.rows(addSenderPaces, [workspaceId, accountId])
  const present = templates.map(({ name, language }) => ({ name, language }))
  const gone = await tx.rows(deleteGoneTemplates, [workspaceId, accountId, batch(present)])
  await recordRemovals(tx, { workspaceId, accountId }, { gone, at: now })
  await storeTemplates(tx, { workspaceId, accountId }, { templates, now })
}

/** Stores templates as the provider has them now. */
export async function storeTemplates(
  tx: Sql,
  account: AccountRef,
  { templates, now }: { templates: readonly ProviderTemplate[]; now: Date },
): Promise<void> {
  const rows = batch(templates)
  await recordDifferences(tx, account, { rows, at: now })
  await tx.rows(upsertTemplates, [account.workspaceId, account.accountId, rows])
}

/** An item that changes during paging can be on two pages, and one statement cannot write a row twice. */
function latestByKey<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()]
}

const upsertSenders = statement(
  'upsert_senders',
  `insert into senders (id, workspace_id, account_id, phone_number_id, phone, verified_name, status, throughput, quality)
   select n.id, $1, $2, n."phoneNumberId", n.phone, n."verifiedName", n.status, n.throughput, n.quality
   from jsonb_to_recordset($3) as n (
     id uuid, "phoneNumberId" text, phone text, "verifiedName" text, status text, throughput text, quality text)
   order by n."phoneNumberId"
   on conflict (account_id, phone_number_id) do update
   set phone = excluded.phone, verified_name = excluded.verified_name, status = excluded.status,
       throughput = excluded.throughput, quality = excluded.quality, gone_at = null`,
)

const markGoneSenders = statement(
  'mark_gone_senders',
  `update senders set gone_at = $4
   where workspace_id = $1 and account_id = $2 and gone_at is null
     and phone_number_id not in (select n."phoneNumberId" from jsonb_to_recordset($3) as n ("phoneNumberId" text))`,
)

const addSenderPaces = statement(
  'add_sender_paces',
  `insert into sender_pace (sender_id) select id from senders where workspace_id = $1 and account_id = $2
   on conflict do nothing`,
)

const deleteGoneTemplates = statement<TemplateId & { status: string }>(
  'delete_gone_templates',
  `delete from templates
   where workspace_id = $1 and account_id = $2
     and (name, language) not in (select t.name, t.language from jsonb_to_recordset($3) as t (name text, language text))
   returning name, language, status`,
)

const upsertTemplates = statement(
  'upsert_templates',
  `insert into templates (workspace_id, account_id, name, language, provider_template_id, status, category,
     parameter_format, components, quality, rejected_reason, send_ttl_seconds)
   select $1, $2, t.name, t.language, t."providerTemplateId", t.status, t.category,
     t."parameterFormat", t.components, t.quality, t."rejectedReason", t."sendTtlSeconds"
   from jsonb_to_recordset($3) as t (
     name text, language text, "providerTemplateId" text, status text, category text, "parameterFormat" text,
     components jsonb, quality text, "rejectedReason" text, "sendTtlSeconds" integer)
   order by t.name, t.language
   on conflict (account_id, name, language) do update
   set provider_template_id = excluded.provider_template_id, status = excluded.status, category = excluded.category,
       parameter_format = excluded.parameter_format, components = excluded.components, quality = excluded.quality,
       rejected_reason = excluded.rejected_reason, send_ttl_seconds = excluded.send_ttl_seconds`,
)
