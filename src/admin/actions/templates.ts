import { deleteTemplate, submitTemplate, validDraft } from '../../accounts/templates/submit.ts'
import { found } from './found.ts'
import { limitedText } from '../inputs.ts'
import { action, recordChange } from './action.ts'
import { accountInput } from './senders.ts'

export const templateKey = accountInput.extend({ name: limitedText(512), language: limitedText(512) })

/** Each asks WhatsApp between its transactions, of which the last one records the outcome. */
export const templateActions = {
  submit: action('admin', accountInput.extend({ draft: validDraft }), (operator, submission) => {
    const { workspaceId, accountId, draft } = submission
    const target = `${draft.name} (${draft.language})`
    return submitTemplate(operator, submission, (tx, outcome) => {
      const after = { accountId, outcome, ...draft }
      return recordChange(operator, tx, { workspaceId, action: 'template.submitted', target, after })
    })
  }),

  remove: action('admin', templateKey, async (operator, template) => {
    const { workspaceId, accountId, name, language } = template
    const target = `${name} (${language})`
    const removed = await deleteTemplate(operator, template, (tx, status) => {
      const before = { accountId, ...status }
      return recordChange(operator, tx, { workspaceId, action: 'template.deleted', target, before })
    })
    found(removed, 'template')
  }),
}
