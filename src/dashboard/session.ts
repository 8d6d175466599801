import { z } from 'zod'
import { must } from '../http/fields.ts'
import { keptSentences } from '../sentences.ts'
import { PASSWORD_CHARACTERS_LEAST, PASSWORD_CHARACTERS_MOST } from './auth.ts'
import { CallRefused } from './call-refused.ts'
import { acceptLink, findLink, joinByLink, setPasswordByLink } from './links.ts'
import { listMemberships } from './membership.ts'
import { anybody, router, signedIn } from './trpc.ts'

const TOKEN_CHARACTERS_MOST = 200
const EMAIL_CHARACTERS_MOST = 254
const NAME_CHARACTERS_MOST = 100

const says = keptSentences({
  email: { en: 'must be an e-mail address', ar: 'يجب أن يكون عنوان بريد إلكتروني' },
  linkOver: {
    en: 'This link was used already, has expired, or was never made. Ask whoever sent it for another one; that of the first owner is printed anew whenever Doorcode starts.',
    ar: 'استُخدم هذا الرابط من قبل، أو انتهت صلاحيته، أو لم يُنشأ قط. اطلب رابطًا آخر ممن أرسله؛ أما رابط المالك الأول فيُعرض من جديد كلما بدأ تشغيل Doorcode.',
  },
})

const token = z.string().max(TOKEN_CHARACTERS_MOST)

export const emailInput = z
  .string()
  .trim()
  .max(EMAIL_CHARACTERS_MOST, must.haveAtMost({ most: EMAIL_CHARACTERS_MOST }).en)
  .pipe(z.email(says.email.en))

export const personNameInput = z
  .string()
  .trim()
  .min(1, must.notBeEmpty.en)
  .max(NAME_CHARACTERS_MOST, must.haveAtMost({ most: NAME_CHARACTERS_MOST }).en)

const password = z
  .string()
  .min(PASSWORD_CHARACTERS_LEAST, must.haveAtLeast({ least: PASSWORD_CHARACTERS_LEAST }).en)
  .max(PASSWORD_CHARACTERS_MOST, must.haveAtMost({ most: PASSWORD_CHARACTERS_MOST }).en)

/** Who looks at the pages, and how they come in for the first time. */
export const session = router({
  /** Null when nobody is signed in. */
  current: anybody.query(async ({ ctx: { person, parts } }) =>
    person ? { person, workspaces: await listMemberships(parts.db, person.userId) } : null,
  ),

  /** What a one-time link is for, before it is used. Changes nothing; of a query the token would stand in the address. */
  link: anybody.input(z.object({ token })).mutation(async ({ ctx: { parts }, input }) => {
    const link = await findLink(parts, input.token)
    if (!link) throw linkOver()
    const { purpose, email, workspaceName, role, hasAccount } = link
    return { purpose, email, workspaceName, role, hasAccount }
  }),

  /** Makes the account that a link is for. The person signs in with it afterwards. `email`: of the first owner alone. */
  accept: anybody
    .input(z.object({ token, email: emailInput.optional(), name: personNameInput, password }))
    .mutation(async ({ ctx, input: { token, email, ...newcomer } }) => {
      const accepted = await acceptLink(ctx.parts, token, { email, ...newcomer })
      if (!accepted) throw linkOver()
      return accepted
    }),

  /** Takes an invitation into the account that is signed in. */
  join: signedIn.input(z.object({ token })).mutation(async ({ ctx, input }) => {
    const joined = await joinByLink(ctx.parts, input.token, ctx.person)
    if (!joined) throw linkOver()
    return joined
  }),

  /** For whoever forgot theirs. Ends every session of the account. */
  setPassword: anybody.input(z.object({ token, password })).mutation(async ({ ctx, input }) => {
    const set = await setPasswordByLink(ctx.parts, input.token, input.password)
    if (!set) throw linkOver()
    return set
  }),
})

const linkOver = (): CallRefused => new CallRefused('NOT_FOUND', says.linkOver)
