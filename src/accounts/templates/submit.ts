import { asIssue } from '../../../locales/text.ts'
import { MINUTE_MS, later } from '../../lib/clock.ts'
import { type Sql, statement } from '../../lib/db/pool.ts'
import type { Parts } from '../../runtime/parts.ts'
import { type ProviderTemplate, ProviderUnreachableError, type TemplateId } from '../../providers/provider.ts'
import { type TemplateDraft, templateDraft } from '../../providers/template-draft.ts'
import { getAccount, unknownAccount } from '../accounts.ts'
import { FieldError } from '../../lib/errors.ts'
import { NAME_TAKEN, NO_SUCH_TEMPLATE, isRejectedWith, toTemplateError } from '../provider-api-error.ts'
import { lockAccount, storeTemplates } from '../sync/store-listing.ts'
import { syncSoon } from '../sync/sync.ts'
import { type AccountRef, recordRemovals } from './changes.ts'
import { draftFaultText, findDraftFaults } from './draft.ts'
import { findStoredTemplate } from './stored.ts'

type SubmitParts = Pick<Parts, 'db' | 'clock' | 'seal' | 'provider' | 'wake' | 'live'>

/** Follows WhatsApp's rules, and is usable by Doorcode once approved. */
export const validDraft = templateDraft.superRefine((draft, context) => {
  for (const fault of findDraftFaults(draft))
    context.addIssue({ code: 'custom', path: fault.at.split('.'), message: asIssue(draftFaultText(fault)) })
})

/**
 * `shown`: whether the template could be read back; if not, the next sync finds it.
 * `unknown`: WhatsApp neither responded nor shows the template. The next sync finds it if it was created; WhatsApp rejects a
 * second template of the same name and language.
 */
type SubmissionResult = { outcome: 'submitted'; status: string; shown: boolean } | { outcome: 'unknown' }

/** WhatsApp's listing lags: an immediate sync would treat the new template as deleted. */
const SYNC_DELAY_MS = MINUTE_MS

/** `onResult` runs in the transaction that stores the result. Throws FieldError, which names the field that WhatsApp rejected. */
export async function submitTemplate(
  parts: SubmitParts,
  { workspaceId, accountId, draft }: AccountRef & { draft: TemplateDraft },
  onResult: (tx: Sql, outcome: 'submitted' | 'unknown') => Promise<void>,
): Promise<SubmissionResult> {
  const account = await getAccount(parts, accountId)
  const { name, language } = draft
  if (await findStoredTemplate(parts.db, { workspaceId, accountId, name, language }))
    throw new FieldError([{ field: 'draft.name', message: { code: 'accounts.known' } }])
  /** Returns undefined also if the provider does not respond: the next sync finds the template. */
  const readBack = () => parts.provider.findTemplate(account, { name, language }).catch(() => undefined)
  const store = async (tx: Sql, template: ProviderTemplate | undefined): Promise<void> => {
    if (template) await storeTemplates(tx, account, { templates: [template], now: parts.clock.now() })
  }
  const created = await parts.provider.createTemplate(account, draft).catch(async (error: unknown) => {
    if (isRejectedWith(NAME_TAKEN, error)) {
      const existing = await readBack()
      await changeTemplates(parts, account, (tx) => store(tx, existing))
    }
    if (error instanceof ProviderUnreachableError && error.mayHaveArrived) return undefined
    throw toTemplateError(error)
  })
  const template = await readBack()
  const outcome = created || template ? 'submitted' : 'unknown'
  await changeTemplates(parts, account, async (tx) => {
    await store(tx, template)
    await syncSoon(tx, account, later(parts.clock.now(), SYNC_DELAY_MS))
    await onResult(tx, outcome)
  })
  if (outcome === 'unknown') return { outcome }
  return { outcome, status: template?.status ?? created?.status ?? 'PENDING', shown: template !== undefined }
}

/** Reads one template from WhatsApp now. Returns false if WhatsApp does not show it; only a sync, which reads all, deletes it. */
export async function refreshTemplate(
  parts: SubmitParts,
  { accountId, name, language }: AccountRef & TemplateId,
): Promise<boolean> {
  const account = await getAccount(parts, accountId)
  const template = await parts.provider.findTemplate(account, { name, language }).catch((error: unknown) => {
    throw toTemplateError(error)
  })
  if (!template) return false
  const now = parts.clock.now()
  await changeTemplates(parts, account, (tx) => storeTemplates(tx, account, { templates: [template], now }))
  return true
}

async function changeTemplates(
  { db, live }: SubmitParts,
  account: AccountRef,
  work: (tx: Sql) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockAccount(tx, account))) throw unknownAccount(account.accountId) // removed meanwhile
    await work(tx)
  })
  live.changed([account.workspaceId])
}

const deleteRow = statement<TemplateId & { status: string }>(
  'delete_template',
  `delete from templates where workspace_id = $1 and account_id = $2 and name = $3 and language = $4 
   returning name, language, status`,
)

/** Deletes a template in one language, here and at WhatsApp. Returns false if there is none. Throws FieldError. */
export async function deleteTemplate(
  parts: SubmitParts,
  { workspaceId, accountId, name, language }: AccountRef & TemplateId,
  onDelete: (tx: Sql, before: { status: string }) => Promise<void>,
): Promise<boolean> {
  const template = await findStoredTemplate(parts.db, { workspaceId, accountId, name, language })
  if (!template) return false
  const account = await getAccount(parts, accountId)
  await parts.provider.deleteTemplate(account, template).catch(async (error: unknown) => {
    if (isRejectedWith(NO_SUCH_TEMPLATE, error)) return
    if (!(error instanceof ProviderUnreachableError && error.mayHaveArrived)) throw toTemplateError(error)
    const mayStillExist = await parts.provider.findTemplate(account, { name, language }).catch(() => true)
    if (mayStillExist) throw new FieldError([{ field: null, message: { code: 'accounts.still_there' } }])
  })
  await changeTemplates(parts, account, async (tx) => {
    const deleted = await tx.rows(deleteRow, [workspaceId, accountId, name, language])
    await recordRemovals(tx, account, { gone: deleted, at: parts.clock.now() })
    // A sync that read the template before may store it again.
    await syncSoon(tx, account, later(parts.clock.now(), SYNC_DELAY_MS))
    await onDelete(tx, { status: template.status })
  })
  return true
}
