import { APIError, createAuthMiddleware, isAPIError } from 'better-auth/api'
import { statement } from '../../lib/db/pool.ts'
import { withLatinDigits } from '../../../locales/typed-digits.ts'
import type { User } from './person.ts'
import type { Attempt } from './sign-in-attempts.ts'
import { type CodeParts, createSingleUseCodes, userOf } from './used-codes.ts'

/** For one account over all challenges. A challenge ends after five wrong codes. */
export const MAX_WRONG_CODES = 10

/** What a call does inside the library, and what it learns there. */
export type CallState = {
  /** Runs after the library's limit per address. */
  begin?: () => Promise<Attempt>
  attempt?: Attempt
  /** The person whose second factor was locked by the wrong code of this call. */
  locked?: User | undefined
}

const selectLocked = statement<User>(
  'find_locked_second_factor',
  `select u."id" as "userId", u."email" from auth."user" u
   where u."id" = $1 and exists (
     select from auth."twoFactor" f where f."userId" = u."id" and f."failedVerificationCount" >= ${MAX_WRONG_CODES})`,
)

/** The person’s keyboard may have digits other than 0 to 9. */
const asTyped = (body: { code?: unknown } | undefined): object | undefined =>
  typeof body?.code === 'string' ? { ...body, code: withLatinDigits(body.code) } : body

/** Hooks of the sign-in library. `follow` attaches a state to a request that the library will answer. */
export function createCallHooks(parts: CodeParts) {
  const codes = createSingleUseCodes(parts)
  const followed = new WeakMap<Request, CallState & { codeOf?: string | undefined }>()
  return {
    follow: (request: Request, state: CallState): void => void followed.set(request, state),
    hooks: {
      before: createAuthMiddleware(async (context) => {
        const { path, request } = context
        const state = request && followed.get(request)
        if (state?.begin) state.attempt = await state.begin()
        if (state?.attempt?.granted === false) throw new APIError('TOO_MANY_REQUESTS')
        if (!request || !path.startsWith('/two-factor/verify-')) return
        const userId = await userOf(context)
        if (state) state.codeOf = userId
        const body = asTyped(context.body)
        if (userId !== undefined) await codes.use({ path, body }, { request, userId })
        return { context: { body } }
      }),
      after: createAuthMiddleware(async ({ context: { returned }, request }) => {
        if (!request || !isAPIError(returned)) return
        await codes.release(request)
        const state = followed.get(request)
        // An attempt while the lock lasts is rejected without a check of its code.
        if (state?.codeOf !== undefined && returned.statusCode !== 429)
          state.locked = await parts.db.row(selectLocked, [state.codeOf])
      }),
    },
  }
}
