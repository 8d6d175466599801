import { keyActions } from '../admin/actions/keys.ts'
import { findWorkspaceOfKey } from '../workspaces/keys/keys.ts'
import { keyState, listKeys } from '../workspaces/keys/manage-keys.ts'
import { act, columns, command, InputError, notFound } from './command.ts'
import { argument, name, required, workspace } from './inputs.ts'

const keyCreate = command({
  words: 'key create',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --name backend',
  summary: 'Create an API key. It is shown only once.',
  options: { workspace, name: name('A name that helps you recognize the key.') },
  async run(operator, { workspace: workspaceId, name }) {
    const key = { workspaceId, name, expiresInDays: null }
    const { apiKey, publicId } = await act(keyActions.create, operator, key)
    return { apiKey, publicId }
  },
  format: ({ apiKey }) => `${apiKey}\nStore it now: Doorcode keeps only a hash of it.`,
})

const keyList = command({
  words: 'key list',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'List the API keys of a workspace, newest first, with their last use and whether they still work.',
  options: { workspace },
  async run({ db, clock }, { workspace: workspaceId }) {
    const now = clock.now()
    const keys = await listKeys(db, workspaceId)
    return { workspaceId, keys: keys.map((key) => ({ ...key, state: keyState(key, now) })) }
  },
  format: ({ keys }) =>
    columns(
      ['KEY', 'STATE', 'CREATED', 'LAST USED', 'EXPIRES', 'NAME'],
      keys.map(({ publicId, state, createdAt, lastUsedAt, expiresAt, name }) => [
        publicId,
        state,
        createdAt.toISOString(),
        lastUsedAt?.toISOString() ?? 'never',
        expiresAt?.toISOString() ?? 'never',
        name,
      ]),
    ) ?? 'The workspace has no API keys. Create one with “doorcode key create”.',
})

const publicId = required('id', 'The 12 characters between "dck_" and the next "_" of the key.', (text) => {
  if (/^[a-z2-7]{12}$/.test(text)) return text
  throw new InputError('must be the 12 characters between "dck_" and the next "_" of a key')
})

const keyRevoke = command({
  words: 'key revoke',
  example: 'yi7jndm6p6hq',
  summary: 'Revoke an API key. Every node rejects it within a second.',
  options: { publicId: argument(publicId) },
  async run(operator, { publicId }) {
    const workspaceId = await findWorkspaceOfKey(operator.db, publicId)
    if (!workspaceId) throw notFound(`no API key has the public id ${publicId}`)
    await act(keyActions.revoke, operator, { workspaceId, publicId })
    return { publicId, revoked: true }
  },
  format: ({ publicId }) => `The key ${publicId} is revoked.`,
})

export const keyCommands = [keyCreate, keyList, keyRevoke]
