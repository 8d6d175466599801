import { type Sql, batch, statement } from '../db.ts'
import { newId } from '../ids.ts'
import type { ProviderNumber, ProviderTemplate } from '../providers/provider.ts'
import { noteChanges, noteGone } from '../templates/changes.ts'

export type Listing = { numbers: ProviderNumber[]; templates: ProviderTemplate[] }

type Account = { workspaceId: string; accountId: string }

/** Makes an account's senders and templates those of its list. A number keeps its sender id, also when it was away. */
export async function storeListing(
  tx: Sql,
  { workspaceId, accountId }: Account,
  { listing, now }: { listing: Listing; now: Date },
): Promise<void> {
  const numbers = lastOfEach(listing.numbers, ({ phoneNumberId }) => phoneNumberId).map(numberRow)
  const templates = lastOfEach(listing.templates, ({ name, language }) => `${name} ${language}`).map(templateRow)
  await tx.rows(upsertSenders, [workspaceId, accountId, batch(numbers)])
  await tx.rows(markGoneSenders, [workspaceId, accountId, batch(numbers), now])
  await tx.rows(addSenderPaces, [workspaceId, accountId])
  const noted = { rows: batch(templates), at: now }
  await noteGone(tx, { workspaceId, accountId }, noted)
  await noteChanges(tx, { workspaceId, accountId }, noted)
  await tx.rows(deleteGoneTemplates, [workspaceId, accountId, batch(templates)])
  await tx.rows(upsertTemplates, [workspaceId, accountId, batch(templates)])
}

/** Stores one template as the provider has it now. */
export async function storeTemplate(
  tx: Sql,
  { workspaceId, accountId }: Account,
  { template, now }: { template: ProviderTemplate; now: Date },
): Promise<void> {
  const rows = batch([templateRow(template)])
  await noteChanges(tx, { workspaceId, accountId }, { rows, at: now })
  await tx.rows(upsertTemplates, [workspaceId, accountId, rows])
}

/** What changes while pages are read can be on two of them, and one statement cannot write a row twice. */
function lastOfEach<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()]
}

const numberRow = (number: ProviderNumber) => ({
  id: newId(),
  phone_number_id: number.phoneNumberId,
  phone: number.phone,
  verified_name: number.verifiedName,
  status: number.status,
  throughput: number.throughput,
  quality: number.quality,
})

const upsertSenders = statement(
  'upsert_senders',
  `insert into senders (id, workspace_id, account_id, phone_number_id, phone, verified_name, status, throughput, quality)
   select n.id, $1, $2, n.phone_number_id, n.phone, n.verified_name, n.status, n.throughput, n.quality
   from jsonb_to_recordset($3) as n (
     id uuid, phone_number_id text, phone text, verified_name text, status text, throughput text, quality text)
   order by n.phone_number_id
   on conflict (account_id, phone_number_id) do update
   set phone = excluded.phone, verified_name = excluded.verified_name, status = excluded.status,
       throughput = excluded.throughput, quality = excluded.quality, gone_at = null`,
)

const markGoneSenders = statement(
  'mark_gone_senders',
  `update senders set gone_at = $4
   where workspace_id = $1 and account_id = $2 and gone_at is null
     and phone_number_id not in (select n.phone_number_id from jsonb_to_recordset($3) as n (phone_number_id text))`,
)

const addSenderPaces = statement(
  'add_sender_paces',
  `insert into sender_pace (sender_id) select id from senders where workspace_id = $1 and account_id = $2
   on conflict do nothing`,
)

const templateRow = (template: ProviderTemplate) => ({
  name: template.name,
  language: template.language,
  provider_template_id: template.providerTemplateId,
  status: template.status,
  category: template.category,
  parameter_format: template.parameterFormat,
  components: template.components,
  quality: template.quality,
  rejected_reason: template.rejectedReason,
  send_ttl_seconds: template.sendTtlSeconds,
})

const deleteGoneTemplates = statement(
  'delete_gone_templates',
  `delete from templates
   where workspace_id = $1 and account_id = $2
     and (name, language) not in (select t.name, t.language from jsonb_to_recordset($3) as t (name text, language text))`,
)

const upsertTemplates = statement(
  'upsert_templates',
  `insert into templates (workspace_id, account_id, name, language, provider_template_id, status, category,
     parameter_format, components, quality, rejected_reason, send_ttl_seconds)
   select $1, $2, t.name, t.language, t.provider_template_id, t.status, t.category,
     t.parameter_format, t.components, t.quality, t.rejected_reason, t.send_ttl_seconds
   from jsonb_to_recordset($3) as t (
     name text, language text, provider_template_id text, status text, category text, parameter_format text,
     components jsonb, quality text, rejected_reason text, send_ttl_seconds integer)
   order by t.name, t.language
   on conflict (account_id, name, language) do update
   set provider_template_id = excluded.provider_template_id, status = excluded.status, category = excluded.category,
       parameter_format = excluded.parameter_format, components = excluded.components, quality = excluded.quality,
       rejected_reason = excluded.rejected_reason, send_ttl_seconds = excluded.send_ttl_seconds`,
)
