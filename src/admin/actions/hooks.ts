import { z } from 'zod'
import { asIssue } from '../../../locales/text.ts'
import {
  type HookSettings,
  addHook,
  deleteHook,
  lockHook,
  rotateHookSecret,
  updateHook,
} from '../../otp/hooks/hooks.ts'
import { HOOK_KINDS } from '../../otp/hooks/kinds.ts'
import {
  MAX_POINTER_LENGTH,
  MAX_TEMPLATES,
  checkHookSecret,
  checkHookSettings,
  isPointer,
} from '../../otp/hooks/settings.ts'
import { displayName, limitedText } from '../inputs.ts'
import { type Operator, change } from './action.ts'

const hookId = z.uuid(asIssue({ code: 'admin.hook_id' }))
const hookInput = z.object({ hookId })

const MAX_TEMPLATE_NAME = 512
const MAX_SECRET_CHARACTERS = 4_096

const pointer = limitedText(MAX_POINTER_LENGTH)
  .refine(isPointer, asIssue({ code: 'hooks.pointer', example: '/user/phone' }))
  .optional()

const templates = z
  .array(
    z.object({
      name: limitedText(MAX_TEMPLATE_NAME).min(1, asIssue({ code: 'http.must_not_be_empty' })),
      language: limitedText(MAX_TEMPLATE_NAME).min(1, asIssue({ code: 'http.must_not_be_empty' })),
    }),
  )
  .min(1, asIssue({ code: 'hooks.templates' }))
  .max(MAX_TEMPLATES, asIssue({ code: 'http.must_have_at_most', max: MAX_TEMPLATES }))

const settings = {
  name: displayName,
  senderId: z.uuid(asIssue({ code: 'http.must_be_sender_id' })),
  templates,
  /** Only for a generic hook. */
  pointers: z.object({ phone: pointer, code: pointer, language: pointer }).optional(),
}

/** A secret that the product made. */
const secret = limitedText(MAX_SECRET_CHARACTERS).optional()

const urlOf = ({ config }: Pick<Operator, 'config'>, hookId: string): string => `${config.publicUrl}/hooks/${hookId}`

/** For an entry of the audit log. */
const shown = ({ templates, pointers, ...others }: HookSettings) => ({
  ...others,
  templates: templates.map(({ name, language }) => `${name} (${language})`),
  ...(pointers && { pointers: Object.values(pointers) }),
})

export const hookActions = {
  /** Returns the secret, which no other call shows; null if the product makes it, or if it was given. */
  create: change(
    'admin',
    z.object({ kind: z.enum(HOOK_KINDS), secret, ...settings }),
    async ({ tx, record, ...operator }, { workspaceId, kind, secret, ...input }) => {
      const settings = await checkHookSettings(tx, { workspaceId, kind, ...input })
      const given = secret === undefined ? undefined : checkHookSecret(kind, secret)
      const added = await addHook(tx, operator, { workspaceId, kind, secret: given, ...settings })
      await record({ action: 'hook.created', target: added.hookId, after: { kind, ...shown(settings) } })
      return { ...added, url: urlOf(operator, added.hookId) }
    },
  ),

  /** Changes only the given settings. */
  update: change(
    'admin',
    z.object(settings).partial().extend({ hookId }),
    async ({ tx, record }, { workspaceId, hookId, ...input }) => {
      const { kind, name, senderId, templates, pointers } = await lockHook(tx, { workspaceId, hookId })
      const before = { name, senderId, templates, pointers }
      const chosen = {
        name: input.name ?? name,
        senderId: input.senderId ?? senderId,
        templates: input.templates ?? templates,
        pointers: input.pointers,
      }
      const after = await checkHookSettings(tx, { workspaceId, kind, ...chosen }, pointers ?? undefined)
      if (await updateHook(tx, { workspaceId, hookId }, { before, after }))
        await record({ action: 'hook.updated', target: hookId, before: shown(before), after: shown(after) })
      return after
    },
  ),

  /** Returns the new secret, which no other call shows; null if it was given. */
  rotate: change('admin', hookInput.extend({ secret }), async ({ tx, record, ...operator }, { secret, ...id }) => {
    const { kind } = await lockHook(tx, id)
    const given = secret === undefined ? undefined : checkHookSecret(kind, secret)
    const rotated = await rotateHookSecret(tx, operator, { ...id, kind, secret: given })
    const after = { previousSecretUntil: rotated.previousSecretUntil }
    await record({ action: 'hook.secret_rotated', target: id.hookId, after })
    return rotated
  }),

  /** Cannot be undone. */
  remove: change('admin', hookInput, async ({ tx, record, clock }, id) => {
    const { kind, name, senderId, templates, pointers } = await lockHook(tx, id)
    await deleteHook(tx, clock, id)
    const before = { kind, ...shown({ name, senderId, templates, pointers }) }
    await record({ action: 'hook.deleted', target: id.hookId, before })
  }),
}
