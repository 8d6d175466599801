import type { Sql } from '../../lib/db/pool.ts'
import { statement } from '../../lib/db/pool.ts'
import type { Parts } from '../../runtime/parts.ts'
import { newSignInSecret } from '../../lib/seal.ts'
import { lockInstance, writeInstance } from '../../operations/secrets/instance.ts'

type SecondFactor = { id: string; secret: string; backupCodes: string }

const lockSecondFactors = statement<SecondFactor>(
  'lock_second_factors',
  'select "id", "secret", "backupCodes" from auth."twoFactor" order by "id" for update',
)

const writeSecondFactor = statement(
  'write_second_factor',
  'update auth."twoFactor" set "secret" = $2, "backupCodes" = $3 where "id" = $1',
)

const deleteSessions = statement<{ id: string }>('end_all_sessions', 'delete from auth."session" returning "id"')
const deleteChallenges = statement('end_all_challenges', 'delete from auth."verification"')

/**
 * Replaces the secret of the dashboard's sessions and ends all of them. Second factors are encrypted again and stay. Nodes
 * notice with their next heartbeat. `record` runs in the same transaction.
 */
export async function endAllSessions(
  { db, seal }: Pick<Parts, 'db' | 'seal'>,
  record: (tx: Sql, ended: number) => Promise<void>,
): Promise<number> {
  // on use: the library would slow down every command
  const { symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto')
  const signInSecret = newSignInSecret()
  const ended = await db.transaction(async (tx) => {
    const { oldKeys } = await lockInstance(tx, seal)
    const former = seal.signInSecret()
    const encryptAgain = async (data: string): Promise<string> =>
      symmetricEncrypt({ key: signInSecret, data: await symmetricDecrypt({ key: former, data }) })
    for (const { id, secret, backupCodes } of await tx.rows(lockSecondFactors)) {
      // A second factor that cannot be read was unusable before.
      const renewed = await Promise.all([encryptAgain(secret), encryptAgain(backupCodes)]).catch(() => undefined)
      if (renewed) await tx.rows(writeSecondFactor, [id, ...renewed])
    }
    await writeInstance(tx, { key: seal.current(), signInSecret, oldKeys })
    const sessions = await tx.rows(deleteSessions)
    await tx.rows(deleteChallenges)
    await record(tx, sessions.length)
    return sessions.length
  })
  seal.use({ key: seal.current(), signInSecret })
  return ended
}
