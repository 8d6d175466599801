import { z } from 'zod'
import { findStoredSettings } from '../cod/settings-store.ts'
import { type Sql, storableText } from '../db.ts'
import { must } from '../http/fields.ts'
import { findAccount, listAccounts, listSenderOverviews } from '../senders/overview.ts'
import { type Language, keptSentences } from '../sentences.ts'
import { listTemplateChanges } from '../templates/changes.ts'
import { templateDraft } from '../templates/new-template.ts'
import {
  type StoredTemplate,
  findStoredTemplate,
  listLanguagesOf,
  listStoredTemplates,
  listTemplateChoices,
} from '../templates/stored.ts'
import { deleteTemplate, refreshTemplate, submitTemplate } from '../templates/submit.ts'
import { TemplateRefused } from '../templates/template-refused.ts'
import { likelyUse, verdictsIn, verdictsOf, verdictsOnceApproved } from '../templates/verdicts.ts'
import { audit } from './audit.ts'
import { refusedFields } from './field-faults.ts'
import { changing, missing, reading, router } from './trpc.ts'

const says = keptSentences({ accountId: { en: 'is not the id of an account', ar: 'ليس معرّف حساب' } })

const accountId = z.uuid(says.accountId.en)
const stored = (most: number) => z.string().max(most, must.haveAtMost({ most }).en).transform(storableText)
const place = { accountId, name: stored(512), language: stored(512) }

const filter = z.object({
  use: z.enum(['otp', 'confirmation', 'refusal', 'none']).optional(),
  status: stored(100).optional(),
  language: stored(512).optional(),
  search: z
    .string()
    .trim()
    .max(200, must.haveAtMost({ most: 200 }).en)
    .transform(storableText)
    .optional(),
  cursor: z.object(place).optional(),
})

export const templates = router({
  list: reading.input(filter).query(async ({ ctx: { figures, language }, input: { cursor, search, ...filter } }) => {
    const page = await listStoredTemplates(figures, { ...filter, search: search || undefined, after: cursor })
    const templates = page.templates.map(({ verdicts, onceApproved, ...template }) => ({
      ...template,
      verdicts: verdictsIn(language, verdicts),
      onceApproved: verdictsIn(language, onceApproved),
    }))
    return { templates, nextCursor: page.next }
  }),

  /** What the list can be narrowed to, and where a template can be created. */
  choices: reading.query(async ({ ctx: { parts, figures }, input: { workspaceId } }) => {
    const accounts = await listAccounts(parts.db, workspaceId)
    return {
      ...(await listTemplateChoices(figures, workspaceId)),
      accounts: accounts.map(({ accountId, wabaId, status }) => ({ accountId, wabaId, status })),
    }
  }),

  get: reading.input(z.object(place)).query(async ({ ctx, input }) => {
    const { parts } = ctx
    const { workspaceId, accountId, language } = input
    const template = await findStoredTemplate(parts.db, input)
    const changes = await listTemplateChanges(parts.db, input)
    if (!template && changes.length === 0) throw missing('template')
    const settings = await findStoredSettings(parts.db, workspaceId)
    const senders = await listSenderOverviews(parts.db, workspaceId, parts.clock.now())
    const sender = senders.find((each) => each.accountId === accountId && each.obstacle === null)
    return {
      /** Null: it is gone, and only its history is left. */
      template: template ? { ...template, ...judged(template, ctx.language) } : null,
      languages: await listLanguagesOf(parts.db, input),
      changes,
      /** One of the account's that can send, for the example. */
      senderId: sender?.senderId ?? null,
      codLanguageIsConfigured: Object.hasOwn(settings?.settings.languages ?? {}, language),
    }
  }),

  submit: changing
    .input(z.object({ accountId, draft: templateDraft }))
    .mutation(async ({ ctx: { parts, actor }, input: { workspaceId, accountId, draft } }) => {
      await mustHave(parts.db, { workspaceId, accountId })
      return submitTemplate(parts, { workspaceId, accountId, draft }, (tx, outcome) =>
        audit(
          tx,
          { actor, at: parts.clock.now() },
          {
            workspaceId,
            action: 'template.submitted',
            target: `${draft.name} (${draft.language})`,
            after: { accountId, outcome, ...draft },
          },
        ),
      ).catch(atItsField)
    }),

  /** Asks WhatsApp for this one template, while its review is awaited. One call to WhatsApp. */
  refresh: changing.input(z.object(place)).mutation(async ({ ctx: { parts }, input }) => {
    await mustHave(parts.db, input)
    return { found: await refreshTemplate(parts, input) }
  }),

  remove: changing.input(z.object(place)).mutation(async ({ ctx: { parts, actor }, input }) => {
    const { workspaceId, accountId, name, language } = input
    await mustHave(parts.db, input)
    const removed = await deleteTemplate(parts, input, (tx, before) =>
      audit(
        tx,
        { actor, at: parts.clock.now() },
        {
          workspaceId,
          action: 'template.deleted',
          target: `${name} (${language})`,
          before: { accountId, ...before },
        },
      ),
    )
    if (!removed) throw missing('template')
  }),
})

const judged = (template: StoredTemplate, language: Language) => ({
  verdicts: verdictsIn(language, verdictsOf(template)),
  onceApproved: verdictsIn(language, verdictsOnceApproved(template)),
  likely: likelyUse(template),
})

async function mustHave(sql: Sql, account: { workspaceId: string; accountId: string }): Promise<void> {
  if (!(await findAccount(sql, account))) throw missing('account')
}

/** The fields of the form are below `draft`. */
function atItsField(error: unknown): never {
  if (!(error instanceof TemplateRefused) || error.fault.field === null) throw error
  throw refusedFields([{ path: `draft.${error.fault.field}`, message: error.fault.message.en }])
}
