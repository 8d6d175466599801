import { commit, recordChange } from '../../admin/actions/action.ts'
import { endAllSessions } from '../../admin/auth/end-all-sessions.ts'
import { addKey, removeOldKeys } from '../../operations/secrets/key-file.ts'
import { assertNoNewKeyBehind } from '../../operations/secrets/open.ts'
import { newestKey, resealAll, switchKey } from '../../operations/secrets/rotate.ts'
import { type SecretsStatus, findSecretsStatus } from '../../operations/secrets/status.ts'
import { command } from '../command.ts'
import { flag } from '../inputs.ts'

const instance = { workspaceId: null }

const secretsNewKey = command({
  words: 'secrets new-key',
  example: '',
  summary:
    'Create a new instance key for “doorcode secrets rotate”. Adds it to the key file, or prints it for DOORCODE_SECRET_KEY.',
  async run(operator) {
    const { config, seal } = operator
    const { fingerprint, key, file } = await addKey(config, seal)
    if (file !== undefined)
      await commit(operator, null, (_tx, record) => record({ action: 'secrets.key_added', target: fingerprint }))
    return { fingerprint, ...(key !== undefined && { key }), ...(file !== undefined && { file }) }
  },
  format: ({ fingerprint, key, file }) =>
    key === undefined
      ? `The key ${fingerprint} was added to ${file}. Restart Doorcode if it is running, then run “doorcode secrets rotate”.`
      : `The new key ${fingerprint} is below. Put it and a comma before the value of DOORCODE_SECRET_KEY, restart each node, then run “doorcode secrets rotate”.\n${key}`,
})

const secretsRotate = command({
  words: 'secrets rotate',
  example: '',
  summary:
    'Encrypt all stored tokens, secrets and codes with the newest instance key, while nodes run. Can be repeated after an interruption. The exit code is 1 until it has finished.',
  options: {
    endSessions: flag('Also sign everyone out of the dashboard: for a key that may have leaked.'),
    acceptUnreadable: flag('Finish even if a former key is lost: what it encrypted stays unreadable.'),
  },
  interruptedMessage:
    'The rotation was interrupted. Run “doorcode secrets rotate” again to finish it. Do not remove the old key before the rotation has finished.',
  async run(operator, { endSessions, acceptUnreadable }, { signal }) {
    const { config, db, seal } = operator
    const { fingerprint } = newestKey(seal)
    const switched = await switchKey({ db, seal }, (tx, { before, after }) =>
      recordChange(operator, tx, {
        ...instance,
        action: 'secrets.rotated',
        target: after,
        before: { key: before },
        after: { key: after },
      }),
    )
    if (!switched) await assertNoNewKeyBehind(db, seal)
    const sessionsEnded = endSessions
      ? await endAllSessions({ db, seal }, (tx, sessions) =>
          recordChange(operator, tx, {
            ...instance,
            action: 'secrets.sessions_ended',
            target: fingerprint,
            after: { sessions },
          }),
        )
      : 0
    const { missingKeys, ...resealed } = await resealAll(
      { db, seal },
      {
        acceptUnreadable,
        signal,
        record: (tx, after) =>
          recordChange(operator, tx, { ...instance, action: 'secrets.resealed', target: fingerprint, after }),
      },
    )
    const finished = missingKeys.length === 0
    const keyFileCleaned = finished && seal.keys.length > 1 && (await removeOldKeys(config, seal))
    const oldKeys = seal.keys.map((key) => key.fingerprint).filter((each) => each !== fingerprint)
    return { key: fingerprint, switched, finished, missingKeys, oldKeys, keyFileCleaned, sessionsEnded, ...resealed }
  },
  failed: ({ finished }) => !finished,
  format({ key, switched, missingKeys, oldKeys, keyFileCleaned, sessionsEnded, ...counts }) {
    const resealed = Object.values(counts.resealed).reduce((sum, each) => sum + each, 0)
    return [
      switched ? `The instance key is now ${key}.` : `The instance key is ${key}, as before.`,
      resealed === 1 ? '1 stored text was encrypted again.' : `${resealed} stored texts were encrypted again.`,
      ...(sessionsEnded > 0 ? [`Everyone was signed out of the dashboard (sessions: ${sessionsEnded}).`] : []),
      ...describeUnreadable(counts),
      ...describeOldKeys({ switched, missingKeys, oldKeys, keyFileCleaned }),
    ].join('\n')
  },
})

type Keys = { switched: boolean; missingKeys: readonly string[]; oldKeys: readonly string[]; keyFileCleaned: boolean }

function describeOldKeys({ switched, missingKeys, oldKeys, keyFileCleaned }: Keys): string[] {
  if (missingKeys.length > 0)
    return [
      `The former key ${missingKeys.join(', ')} is not configured, and may open them: add it after the new key and run “doorcode secrets rotate” again. If it is lost, run “doorcode secrets rotate --accept-unreadable”.`,
    ]
  if (keyFileCleaned) return [`No other key is needed: ${oldKeys.join(', ')} was removed from the key file.`]
  if (oldKeys.length > 0)
    return [`No other key is needed: remove ${oldKeys.join(', ')} from DOORCODE_SECRET_KEY at the next restart.`]
  return switched ? [] : ['To change the key, run “doorcode secrets new-key” first.']
}

function describeUnreadable({ unreadable, unreadableCount }: Pick<SecretsStatus, 'unreadable' | 'unreadableCount'>) {
  if (unreadableCount === 0) return []
  const hidden = unreadableCount - unreadable.length
  return [
    `No known key opens these stored texts, which stay as they are (${unreadableCount}):`,
    ...unreadable.map(({ column, id }) => `  ${column} of ${id}`),
    ...(hidden > 0 ? [`  and ${hidden} more`] : []),
  ]
}

const secretsStatus = command({
  words: 'secrets status',
  example: '',
  summary:
    'Show the fingerprints of the instance keys, what each still encrypts, and which nodes know them. The exit code is 1 if no known key opens a stored text.',
  run: ({ db, seal }) => findSecretsStatus({ db, seal }),
  failed: ({ unreadableCount }) => unreadableCount > 0,
  format: ({ keys, oldKeys, nodes, ...unreadable }) =>
    [
      ...keys.map(
        ({ key, inUse, texts }) =>
          `${key}  ${inUse ? 'in use' : 'not in use'}  ${texts === 1 ? '1 stored text' : `${texts} stored texts`}`,
      ),
      ...(oldKeys.length > 0
        ? [`A rotation from ${oldKeys.join(', ')} is not finished: run “doorcode secrets rotate” again.`]
        : []),
      ...describeUnreadable(unreadable),
      ...nodes.map(
        ({ nodeId, roles, version, knows, uses }) =>
          `Node ${nodeId} (${roles.join(', ')}; ${version}) knows ${knows.join(', ')} and encrypts with ${uses}.`,
      ),
    ].join('\n'),
})

export const secretsCommands = [secretsStatus, secretsNewKey, secretsRotate]
