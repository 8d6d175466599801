import { TRPCError } from '@trpc/server'
import { z } from 'zod'
import { PASSWORD_CHARACTERS_LEAST } from './auth.ts'
import { findLink, useLink } from './links.ts'
import { listMemberships } from './membership.ts'
import { anybody, router } from './trpc.ts'

/** Who looks at the pages, and how they come in for the first time. */
export const session = router({
  /** Null when nobody is signed in. */
  current: anybody.query(async ({ ctx: { person, parts } }) =>
    person ? { person, workspaces: await listMemberships(parts.db, person.userId) } : null,
  ),

  /** What a one-time link is for, before it is used. */
  link: anybody.input(z.object({ token: z.string().max(200) })).query(async ({ ctx: { parts }, input }) => {
    const link = await findLink(parts, input.token)
    if (!link) throw linkOver()
    return { purpose: link.purpose, email: link.email, workspaceName: link.workspaceName, role: link.role }
  }),

  /** Makes the account that a link is for. The person signs in with it afterwards. */
  accept: anybody
    .input(
      z.object({
        token: z.string().max(200),
        email: z.email('must be an e-mail address').max(254),
        name: z.string().trim().min(1, 'must not be empty').max(100),
        password: z
          .string()
          .min(PASSWORD_CHARACTERS_LEAST, `must have at least ${PASSWORD_CHARACTERS_LEAST} characters`)
          .max(128),
      }),
    )
    .mutation(async ({ ctx, input: { token, ...person } }) => {
      const accepted = await useLink(ctx.parts, ctx.signIn, token, person)
      if (!accepted) throw linkOver()
      return { email: accepted.email }
    }),
})

const linkOver = (): TRPCError =>
  new TRPCError({
    code: 'NOT_FOUND',
    message: 'This link was used already, has expired, or was never made. Ask whoever sent it for another one.',
  })
