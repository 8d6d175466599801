import { createKey, revokeKey } from '../workspaces/keys/keys.ts'
import { command, InputError, notFound } from './command.ts'
import { argument, name, required, workspace } from './inputs.ts'

export const keyCreate = command({
  words: 'key create',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --name backend',
  summary: 'Create an API key. It is shown only once.',
  options: { workspace, name: name('A name that helps you recognize the key.') },
  run: ({ db, clock }, { workspace: workspaceId, name }, record) =>
    db.transaction(async (tx) => {
      const created = await createKey(tx, clock, { workspaceId, name })
      await record(tx, { workspaceId, action: 'key.created', target: created.publicId, after: { name } })
      return created
    }),
  format: ({ apiKey }) => `${apiKey}\nStore it now: Doorcode keeps only a hash of it.`,
})

const publicId = required('id', 'The 12 characters between "dck_" and the next "_" of the key.', (text) => {
  if (/^[a-z2-7]{12}$/.test(text)) return text
  throw new InputError('must be the 12 characters between "dck_" and the next "_" of a key')
})

export const keyRevoke = command({
  words: 'key revoke',
  example: 'yi7jndm6p6hq',
  summary: 'Revoke an API key. Every node rejects it within a second.',
  options: { publicId: argument(publicId) },
  async run({ db }, { publicId }, record) {
    await db.transaction(async (tx) => {
      const workspaceId = await revokeKey(tx, publicId)
      if (!workspaceId) throw notFound(`no API key has the public id ${publicId}`)
      await record(tx, { workspaceId, action: 'key.revoked', target: publicId })
    })
    return { publicId, revoked: true }
  },
  format: ({ publicId }) => `The key ${publicId} is revoked.`,
})
