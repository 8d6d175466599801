import { createHmac } from 'node:crypto'
import { APIError, type createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { later } from '../../lib/clock.ts'
import { USED_CODE_TTL_MS } from './expired-rows.ts'
import { statement } from '../../lib/db/pool.ts'
import type { Parts } from '../../runtime/parts.ts'

const VERIFY_PATH = '/two-factor/verify-totp'
/** The library's cookie of a sign-in that waits for its second factor. */
const CHALLENGE_COOKIE = 'two_factor'

/** Exactly one of several concurrent requests with the same code gets a row. */
const useCode = statement<{ used: boolean }>(
  'use_sign_in_code',
  `insert into used_sign_in_codes as c (code, used_at) values ($1, $2)
   on conflict (code) do update set used_at = excluded.used_at where c.used_at < $3
   returning true as used`,
)

const releaseCode = statement('release_sign_in_code', 'delete from used_sign_in_codes where code = $1')

type Context = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

export type CodeParts = Pick<Parts, 'db' | 'clock' | 'seal'>

/**
 * An authenticator code works once over all nodes (RFC 6238), which the sign-in library does not ensure. The code is stored
 * before the library checks it, and released when the check fails.
 */
export function createSingleUseCodes({ db, clock, seal }: CodeParts) {
  const used = new WeakMap<Request, Buffer>()
  return {
    async use(
      { path, body }: Pick<Context, 'path' | 'body'>,
      { request, userId }: { request: Request; userId: string },
    ): Promise<void> {
      if (path !== VERIFY_PATH) return
      const { code } = body as { code: string }
      const hash = createHmac('sha256', seal.signInSecret()).update(`used code\0${userId}\0${code}`).digest()
      const now = clock.now()
      if (!(await db.row(useCode, [hash, now, later(now, -USED_CODE_TTL_MS)])))
        throw new APIError('UNAUTHORIZED', { code: 'CODE_ALREADY_USED', message: 'This code was already used.' })
      used.set(request, hash)
    },
    async release(request: Request): Promise<void> {
      const hash = used.get(request)
      if (hash) await db.rows(releaseCode, [hash])
    },
  }
}

/** The user of the session or of the sign-in that waits for its second factor. */
export async function userOf(context: Context): Promise<string | undefined> {
  const session = await getSessionFromCtx(context)
  if (session) return session.user.id
  const { createAuthCookie, secret, internalAdapter } = context.context
  const challenge = await context.getSignedCookie(createAuthCookie(CHALLENGE_COOKIE).name, secret)
  return challenge ? (await internalAdapter.findVerificationValue(challenge))?.value : undefined
}
