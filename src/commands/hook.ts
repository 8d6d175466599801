import { hookActions } from '../admin/actions/hooks.ts'
import { UserError } from '../lib/errors.ts'
import type { Sql } from '../lib/db/pool.ts'
import { asWritten } from '../../locales/text.ts'
import { type HookId, type HookTemplate, findWorkspaceOfHook, listHooks } from '../otp/hooks/hooks.ts'
import { HOOK_KINDS } from '../otp/hooks/kinds.ts'
import { isPointer } from '../otp/hooks/settings.ts'
import { InputError, act, columns, command, notFound } from './command.ts'
import { argument, flag, name, oneOf, optional, required, uuid, workspace } from './inputs.ts'
import { readSecretFile } from './json-file.ts'

/** A name may not contain a colon. */
const templates = required(
  'name:language,…',
  'The templates for codes, one for each language. The first is for users of any other language.',
  (text): HookTemplate[] =>
    text.split(',').map((each) => {
      const [, name, language] = /^\s*([^:\s]+):([^:\s]+)\s*$/.exec(each) ?? []
      if (name && language) return { name, language }
      throw new InputError('must be names and languages, such as login_code:en_US,login_code:ar')
    }),
)

const hookName = name('A name that helps you recognize the hook.')
const sender = uuid('The Sender ID that sends the codes.')
const secretFile = required('file', 'A file with a secret that the product made.', readSecretFile)
const pointer = (part: string, standard: string) =>
  optional(
    required(
      'pointer',
      `Generic hooks: where the body has ${part}, as a JSON Pointer. Default: ${standard}.`,
      (text) => {
        if (isPointer(text)) return text
        throw new InputError('must be a JSON Pointer, such as /user/phone')
      },
    ),
  )
const pointers = {
  phonePointer: pointer('the phone number', '/to'),
  codePointer: pointer('the code', '/code'),
  languagePointer: pointer('the language of the user', '/language'),
}

const pointersOf = (given: { [Name in keyof typeof pointers]: string | undefined }) => {
  const { phonePointer: phone, codePointer: code, languagePointer: language } = given
  return [phone, code, language].some((each) => each !== undefined) ? { phone, code, language } : undefined
}

const hookCreate = command({
  words: 'hook create',
  example:
    '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --kind supabase --name Supabase --sender 01a1fa06-709a-73f6-8b1e-b48524035680 --templates login_code:en_US,login_code:ar',
  summary:
    'Create a URL that Supabase, ZITADEL, Logto or another product sends its codes to. The secret is shown only once.',
  options: {
    workspace,
    kind: oneOf(
      HOOK_KINDS.join('|'),
      HOOK_KINDS,
    )('The product that calls it; generic: any that sends JSON and a header.'),
    name: hookName,
    sender,
    templates,
    secretFile: optional(secretFile),
    ...pointers,
  },
  async run(operator, { workspace: workspaceId, kind, name, sender: senderId, templates, secretFile, ...given }) {
    const input = { workspaceId, kind, name, senderId, templates, secret: secretFile, pointers: pointersOf(given) }
    return { kind, ...(await act(hookActions.create, operator, input)) }
  },
  format: ({ hookId, kind, url, secret }) =>
    `Auth hook ${hookId}. Its URL:\n${url}\n${secret === null ? (kind === 'zitadel' ? `ZITADEL makes the signing key when it gets this URL. Store it with: hook rotate ${hookId} --secret-file <file>` : 'It accepts requests with the secret of the file.') : `Its secret, which is shown only once:\n${secret}`}`,
})

const hookList = command({
  words: 'hook list',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'List the auth hooks of a workspace, with their URLs, senders and templates.',
  options: { workspace },
  async run({ db, config }, { workspace: workspaceId }) {
    const hooks = await listHooks(db, workspaceId)
    return { workspaceId, hooks: hooks.map((hook) => ({ ...hook, url: `${config.publicUrl}/hooks/${hook.hookId}` })) }
  },
  format: ({ hooks }) =>
    columns(
      ['HOOK', 'KIND', 'URL', 'SENDER', 'TEMPLATES', 'NAME'],
      hooks.map(({ hookId, kind, url, senderId, templates, name }) => [
        hookId,
        kind,
        url,
        senderId,
        templates.map((template) => `${template.name}:${template.language}`).join(','),
        name,
      ]),
    ) ?? 'The workspace has no auth hooks. Create one with “doorcode hook create”.',
})

const hookId = argument(uuid('The id that “doorcode hook list” shows.'))

/** The command line names only the hook, so its workspace is looked up. */
async function findId(db: Sql, hookId: string): Promise<HookId> {
  const workspaceId = await findWorkspaceOfHook(db, hookId)
  if (!workspaceId) throw notFound(`There is no auth hook ${hookId}.`)
  return { workspaceId, hookId }
}

const hookUpdate = command({
  words: 'hook update',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f --templates login_code:fr,login_code:ar',
  summary:
    'Change the name, the sender, the templates or the pointers of an auth hook. Its URL and secret stay the same.',
  options: {
    hookId,
    name: optional(hookName),
    sender: optional(sender),
    templates: optional(templates),
    ...pointers,
  },
  async run(operator, { hookId, name, sender: senderId, templates, ...given }) {
    const change = { name, senderId, templates, pointers: pointersOf(given) }
    if (Object.values(change).every((each) => each === undefined))
      throw new UserError(asWritten('Say what to change: --name, --sender, --templates or a pointer.'))
    const id = await findId(operator.db, hookId)
    return { hookId, ...(await act(hookActions.update, operator, { ...id, ...change })) }
  },
  format: ({ hookId }) => `The auth hook ${hookId} is changed.`,
})

const hookRotate = command({
  words: 'hook rotate',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'Give an auth hook a new secret, shown only once. For 24 hours the previous secret is accepted too.',
  options: { hookId, secretFile: optional(secretFile) },
  async run(operator, { hookId, secretFile: secret }) {
    const id = await findId(operator.db, hookId)
    return { hookId, ...(await act(hookActions.rotate, operator, { ...id, secret })) }
  },
  format: ({ hookId, secret, previousSecretUntil }) =>
    `Until ${previousSecretUntil.toISOString()} the auth hook ${hookId} accepts its previous secret too.${secret === null ? '' : ` Its new secret is shown only once:\n${secret}`}`,
})

const hookDelete = command({
  words: 'hook delete',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f --yes',
  summary: 'Delete an auth hook for good, with its secret. Codes that it accepted are still sent.',
  options: { hookId, yes: flag('Required: an auth hook that was deleted cannot be restored.') },
  async run(operator, { hookId, yes }) {
    const id = await findId(operator.db, hookId)
    if (!yes)
      throw new UserError(
        asWritten('This deletes the auth hook for good: its product can send no codes. To do so, add --yes.'),
      )
    await act(hookActions.remove, operator, id)
    return { hookId, deleted: true }
  },
  format: ({ hookId }) => `The auth hook ${hookId} is deleted: it accepts no more codes.`,
})

export const hookCommands = [hookCreate, hookList, hookUpdate, hookRotate, hookDelete]
