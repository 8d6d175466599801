import { createKey, revokeKey } from '../workspaces/keys.ts'
import { findWorkspaceOfKey } from '../workspaces/key-workspace.ts'
import { SetupRefused } from '../setup-refused.ts'
import { command, required } from './command.ts'
import { name, publicId, uuid } from './inputs.ts'

export const keyCreate = command({
  words: 'key create',
  summary: 'Create an API key. It is shown this once.',
  options: { workspace: required(uuid('W')), name: required(name) },
  run: ({ db, clock }, { workspace, name }) => createKey(db, clock, { workspaceId: workspace, name }),
  records: ({ values: { workspace, name }, result: { publicId } }) => ({
    workspaceId: workspace,
    target: publicId,
    after: { name },
  }),
  tell: ({ apiKey }) => `${apiKey}\nKeep it now: only a hash of it is stored.`,
})

export const keyRevoke = command({
  words: 'key revoke',
  summary: 'Revoke an API key: within a second no node takes it any more.',
  argument: { name: 'publicId', ...required(publicId) },
  async run({ db }, { argument }) {
    if (!(await revokeKey(db, argument))) throw new SetupRefused(`no API key has the public id ${argument}`)
    return { publicId: argument, revoked: true }
  },
  records: async ({ parts, result: { publicId } }) => ({
    workspaceId: await findWorkspaceOfKey(parts.db, publicId),
    target: publicId,
  }),
  tell: ({ publicId }) => `The key ${publicId} is revoked.`,
})
