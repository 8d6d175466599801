import { createKey, revokeKey } from '../workspaces/keys.ts'
import { findWorkspaceOfKey } from '../workspaces/key-workspace.ts'
import { asWritten } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import { command, required } from './command.ts'
import { name, publicId, uuid } from './inputs.ts'

export const keyCreate = command({
  words: 'key create',
  summary: 'Create an API key. It is shown this once.',
  options: { workspace: required(uuid('W')), name: required(name) },
  changes: true,
  run: ({ db, clock }, { workspace: workspaceId, name }, record) =>
    db.transaction(async (tx) => {
      const created = await createKey(tx, clock, { workspaceId, name })
      await record(tx, { workspaceId, target: created.publicId, after: { name } })
      return created
    }),
  tell: ({ apiKey }) => `${apiKey}\nKeep it now: only a hash of it is stored.`,
})

export const keyRevoke = command({
  words: 'key revoke',
  summary: 'Revoke an API key: within a second no node takes it any more.',
  argument: { name: 'publicId', ...required(publicId) },
  changes: true,
  async run({ db }, { argument: publicId }, record) {
    await db.transaction(async (tx) => {
      if (!(await revokeKey(tx, publicId)))
        throw new SetupRefused(asWritten(`no API key has the public id ${publicId}`), 'NOT_FOUND')
      await record(tx, { workspaceId: await findWorkspaceOfKey(tx, publicId), target: publicId })
    })
    return { publicId, revoked: true }
  },
  tell: ({ publicId }) => `The key ${publicId} is revoked.`,
})
