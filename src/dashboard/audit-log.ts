import { z } from 'zod'
import { sentences } from '../sentences.ts'
import { listChoices, listEntries } from './audit-entries.ts'
import { CallRefused } from './call-refused.ts'
import type { Membership } from './membership.ts'
import { changing, router } from './trpc.ts'

/** `instance`: what belongs to no workspace, such as sign-ins, for who runs it. */
const of = z.enum(['workspace', 'instance']).default('workspace')

const TEXT_CHARACTERS_MOST = 300

/** Every change: who, what, when, before and after. For admins and owners. */
export const auditLog = router({
  list: changing
    .input(
      z.object({
        of,
        /** The last entry of the page before. */
        cursor: z.uuid().nullish(),
        action: z.string().max(TEXT_CHARACTERS_MOST).optional(),
        who: z.string().max(TEXT_CHARACTERS_MOST).optional(),
      }),
    )
    .query(({ ctx: { figures, membership }, input: { of, cursor, action, who } }) =>
      listEntries(figures, { workspaceId: idOf(of, membership), before: cursor ?? undefined, action, who }),
    ),

  choices: changing
    .input(z.object({ of }))
    .query(({ ctx: { figures, membership }, input: { of } }) => listChoices(figures, idOf(of, membership))),
})

function idOf(of: 'workspace' | 'instance', { workspaceId, operator }: Membership): string | null {
  if (of === 'workspace') return workspaceId
  if (operator) return null
  throw new CallRefused('FORBIDDEN', says.operatorsOnly)
}

const says = sentences({
  operatorsOnly: {
    en: 'Only somebody who runs this instance can see its own log.',
    ar: 'لا يستطيع رؤية سجل النظام نفسه إلا من يشغّله.',
  },
})
