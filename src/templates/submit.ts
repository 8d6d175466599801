import { MINUTE_MS, later } from '../clock.ts'
import { type Sql, statement } from '../db.ts'
import type { Parts } from '../parts.ts'
import {
  type ProviderAccount,
  type ProviderTemplate,
  ProviderUnreachable,
  type TemplateId,
} from '../providers/provider.ts'
import { type CallableAccount, getAccount } from '../senders/accounts.ts'
import { storeTemplate } from '../senders/store-listing.ts'
import { syncSoon } from '../senders/sync.ts'
import { keptSentences } from '../sentences.ts'
import { type AccountOf, noteTemplateChanges } from './changes.ts'
import type { TemplateDraft } from './draft.ts'
import { newTemplateOf } from './new-template.ts'
import { TemplateRefused, isNameTaken, isNoSuchTemplate, templateRefusal } from './template-refused.ts'

type SubmitParts = Pick<Parts, 'db' | 'clock' | 'seal' | 'provider' | 'wake' | 'live'>

/**
 * `submitted`: WhatsApp reviews it. `shown`: whether it could be read back at once; else the next sync shows it.
 * `unknown`: no answer came, and WhatsApp does not show the template (yet). The next sync finds it if it was made; WhatsApp
 * itself refuses a second one of the name and language.
 */
export type Submitted = { outcome: 'submitted'; status: string; shown: boolean } | { outcome: 'unknown' }

/** In the transaction that stores what came of it. */
type Within = (tx: Sql, outcome: 'submitted' | 'unknown') => Promise<void>

/** Submits a draft without faults. Throws TemplateRefused that says at which field WhatsApp found what. */
export async function submitTemplate(
  parts: SubmitParts,
  { workspaceId, accountId, draft }: AccountOf & { draft: TemplateDraft },
  within: Within,
): Promise<Submitted> {
  const account = await getAccount(parts, accountId)
  const { name, language } = draft
  if (await parts.db.row(findTemplateRow, [workspaceId, accountId, name, language]))
    throw new TemplateRefused({
      field: 'name',
      message: says.known,
    })
  const created = await parts.provider.createTemplate(account, newTemplateOf(draft)).catch(async (error: unknown) => {
    if (isNameTaken(error)) await storeFresh(parts, account, draft)
    if (error instanceof ProviderUnreachable && error.mayHaveArrived) return undefined
    throw templateRefusal(error)
  })
  const found = await readBack(parts, account, draft)
  const outcome = created || found ? 'submitted' : 'unknown'
  await keep(parts, account, { found, within: (tx) => within(tx, outcome) })
  if (outcome === 'unknown') return { outcome }
  return { outcome, status: found?.status ?? created?.status ?? 'PENDING', shown: found !== undefined }
}

const says = keptSentences({
  known: {
    en: 'The account has a template of this name in this language already. Choose another name, or look at that one.',
    ar: 'في الحساب قالب بهذا الاسم وبهذه اللغة من قبل. اختر اسمًا آخر، أو انظر إلى ذلك القالب.',
  },
  stillThere: {
    en: 'WhatsApp did not answer, and still has the template. Try again in a moment.',
    ar: 'لم يُجب واتساب، وما زال القالب لديه. حاول مجددًا بعد لحظات.',
  },
})

const findTemplateRow = statement<{ status: string }>(
  'find_template_row',
  `select status from templates where workspace_id = $1 and account_id = $2 and name = $3 and language = $4`,
)

/** Undefined as well when the provider cannot be asked: the sync will. */
const readBack = (
  { provider }: Pick<Parts, 'provider'>,
  account: ProviderAccount,
  { name, language }: TemplateId,
): Promise<ProviderTemplate | undefined> => provider.findTemplate(account, { name, language }).catch(() => undefined)

/**
 * Asks WhatsApp for one template now, such as one whose review is awaited. One that it does not have is left to the sync,
 * which reads the whole list: a look-up may be behind. False: it was not there.
 */
export async function refreshTemplate(
  parts: SubmitParts,
  { accountId, name, language }: AccountOf & TemplateId,
): Promise<boolean> {
  const account = await getAccount(parts, accountId)
  const found = await parts.provider.findTemplate(account, { name, language }).catch((error: unknown) => {
    throw templateRefusal(error)
  })
  if (found) await store(parts, account, found)
  return found !== undefined
}

const lockAccount = statement(
  'lock_account_to_store_template',
  'select id from provider_accounts where workspace_id = $1 and id = $2 for no key update',
)

async function store(parts: SubmitParts, account: CallableAccount, template: ProviderTemplate): Promise<void> {
  await parts.db.transaction(async (tx) => {
    await tx.rows(lockAccount, [account.workspaceId, account.accountId])
    await storeTemplate(tx, account, { template, now: parts.clock.now() })
  })
  parts.live.changed([account.workspaceId])
}

async function storeFresh(parts: SubmitParts, account: CallableAccount, id: TemplateId): Promise<void> {
  const found = await readBack(parts, account, id)
  if (found) await store(parts, account, found)
}

/** A list may be behind for a while: read at once it would take the new template for deleted. */
const LIST_AFTER_MS = MINUTE_MS

async function keep(
  parts: SubmitParts,
  account: CallableAccount,
  { found, within }: { found: ProviderTemplate | undefined; within: (tx: Sql) => Promise<void> },
): Promise<void> {
  const now = parts.clock.now()
  await parts.db.transaction(async (tx) => {
    await tx.rows(lockAccount, [account.workspaceId, account.accountId])
    if (found) await storeTemplate(tx, account, { template: found, now })
    await syncSoon(tx, account, later(now, LIST_AFTER_MS))
    await within(tx)
  })
  parts.live.changed([account.workspaceId])
}

const findToDelete = statement<{ status: string; provider_template_id: string }>(
  'find_template_to_delete',
  `select status, provider_template_id from templates
   where workspace_id = $1 and account_id = $2 and name = $3 and language = $4`,
)

const deleteRow = statement(
  'delete_template',
  'delete from templates where workspace_id = $1 and account_id = $2 and name = $3 and language = $4',
)

/** Deletes a template in one language, here and at WhatsApp. False: there is none. Throws TemplateRefused. */
export async function deleteTemplate(
  parts: SubmitParts,
  { workspaceId, accountId, name, language }: AccountOf & TemplateId,
  within: (tx: Sql, before: { status: string }) => Promise<void>,
): Promise<boolean> {
  const values = [workspaceId, accountId, name, language]
  const row = await parts.db.row(findToDelete, values)
  if (!row) return false
  const account = await getAccount(parts, accountId)
  const doomed = { name, providerTemplateId: row.provider_template_id }
  await parts.provider.deleteTemplate(account, doomed).catch(async (error: unknown) => {
    if (isNoSuchTemplate(error)) return
    if (!(error instanceof ProviderUnreachable && error.mayHaveArrived)) throw templateRefusal(error)
    if (await isStillThere(parts, account, { name, language }))
      throw new TemplateRefused({
        field: null,
        message: says.stillThere,
      })
  })
  await parts.db.transaction(async (tx) => {
    await tx.rows(lockAccount, [workspaceId, accountId])
    const stored = await tx.row(findToDelete, values)
    if (stored) {
      const change = { name, language, field: 'status', before: stored.status, after: null } as const
      await noteTemplateChanges(tx, { workspaceId, accountId }, { changes: [change], at: parts.clock.now() })
      await tx.rows(deleteRow, values)
    }
    await within(tx, { status: row.status })
  })
  parts.live.changed([workspaceId])
  return true
}

async function isStillThere(parts: SubmitParts, account: ProviderAccount, id: TemplateId): Promise<boolean> {
  return parts.provider.findTemplate(account, id).then(
    (found) => found !== undefined,
    () => true,
  )
}
