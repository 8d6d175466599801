import { z } from 'zod'
import { findStoredSettings } from '../cod/settings/settings-store.ts'
import { listTemplateChanges } from '../accounts/templates/changes.ts'
import {
  findStoredTemplate,
  listTemplateLanguages,
  listStoredTemplates,
  listTemplateChoices,
} from '../accounts/templates/stored.ts'
import { refreshTemplate } from '../accounts/templates/submit.ts'
import { withVerdicts } from '../accounts/templates/usability.ts'
import { limitedText, trimmedText } from './inputs.ts'
import { found } from './actions/found.ts'
import { callsOf, readCall, router, writeCall } from './rpc/trpc.ts'
import { templateActions, templateKey } from './actions/templates.ts'
import { ofAccount } from './senders.ts'
import { listAccounts } from '../accounts/accounts.ts'
import { listSenders } from '../accounts/senders.ts'

const filter = z.object({
  use: z.enum(['otp', 'confirmation', 'refusal', 'none']).optional(),
  status: limitedText(100).optional(),
  language: limitedText(512).optional(),
  search: trimmedText(200).optional(),
  cursor: templateKey.optional(),
})

export const templates = router({
  ...callsOf(templateActions, { submit: ofAccount, remove: ofAccount }),

  list: readCall.input(filter).query(async ({ ctx: { figures }, input: { cursor, search, ...filter } }) => {
    const page = await listStoredTemplates(figures, { ...filter, search: search || undefined, after: cursor })
    return { templates: page.templates, nextCursor: page.next }
  }),

  /** The filters of the list, and the accounts for a new template. */
  choices: readCall.query(async ({ ctx: { parts, figures }, input: { workspaceId } }) => {
    const accounts = await listAccounts(parts.db, workspaceId)
    return {
      ...(await listTemplateChoices(figures, workspaceId)),
      accounts: accounts.map(({ accountId, wabaId, status }) => ({ accountId, wabaId, status })),
    }
  }),

  get: readCall.input(templateKey).query(async ({ ctx, input }) => {
    const { parts } = ctx
    const { workspaceId, accountId, language } = input
    const template = await findStoredTemplate(parts.db, input)
    const changes = await listTemplateChanges(parts.db, input)
    found(template ?? changes.length > 0, 'template')
    const settings = await findStoredSettings(parts.db, workspaceId)
    const senders = await listSenders(parts.db, workspaceId)
    const ofAccount = senders.filter((each) => each.accountId === accountId)
    const sender = ofAccount.find(({ obstacle }) => obstacle === null)
    return {
      /** Null for a deleted template, which still has its history. */
      template: template ? withVerdicts(template) : null,
      languages: await listTemplateLanguages(parts.db, input),
      changes,
      senderPhones: ofAccount.map(({ phoneNumber }) => phoneNumber),
      /** A usable sender of the account, for the example. */
      senderId: sender?.senderId ?? null,
      baseUrl: `${parts.config.publicUrl}/api/v1`,
      codLanguageIsConfigured: Object.hasOwn(settings?.settings.languages ?? {}, language),
    }
  }),

  /** Reads one template during its review. One call to WhatsApp. */
  refresh: writeCall
    .input(templateKey)
    .use(ofAccount)
    .mutation(async ({ ctx: { parts }, input }) => ({ found: await refreshTemplate(parts, input) })),
})
