import { z } from 'zod'
import { type Sql, statement } from '../../db/pool.ts'
import type { Membership } from '../auth/members.ts'
import { CallError } from '../rpc/errors.ts'
import { router, writeCall } from '../rpc/trpc.ts'

type AuditEntry = {
  id: string
  at: Date
  who: string
  action: string
  target: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

const ENTRY = `a.id, a.at, a.who, a.action, a.target, a.before, a.after`

/** A statement for the entries of workspace $1, and one for those of no workspace, where $1 is null. */
const forScopes = <Row>(name: string, textOf: (scope: string) => string) => ({
  workspace: statement<Row>(name, textOf('a.workspace_id = $1')),
  instance: statement<Row>(`${name}_of_instance`, textOf('a.workspace_id is null and $1::uuid is null')),
})

const ENTRIES_PER_PAGE = 50

export const selectEntries = forScopes<AuditEntry>(
  'list_audit_entries',
  (scope) => `select ${ENTRY} from audit_log a
   where ${scope} and ($2::uuid is null or a.id < $2) and ($3::text is null or a.action = $3)
     and ($4::text is null or a.who = $4)
   order by a.id desc limit ${ENTRIES_PER_PAGE + 1}`,
)

const MAX_CHOICES = 200

/** A loose index scan: reads one row for each distinct value, however many entries there are. */
const choicesQuery = (column: 'action' | 'who') => (scope: string) =>
  `with recursive choices as (
     (select a.${column} as choice from audit_log a where ${scope} order by a.${column} limit 1)
     union all
     select (select a.${column} from audit_log a where ${scope} and a.${column} > c.choice order by a.${column} limit 1)
     from choices c where c.choice is not null)
   select choice from choices where choice is not null limit ${MAX_CHOICES}`

export const selectActions = forScopes<{ choice: string }>('list_audit_actions', choicesQuery('action'))
export const selectPeople = forScopes<{ choice: string }>('list_audit_people', choicesQuery('who'))

const MAX_OWN_EVENTS = 20

const selectOwnEvents = statement<AuditEntry>(
  'list_own_events',
  `select ${ENTRY} from audit_log a where a.workspace_id is null and a.user_id = $1 and a.action like 'person.%'
   order by a.id desc limit ${MAX_OWN_EVENTS}`,
)

export const listOwnEvents = (sql: Sql, userId: string): Promise<AuditEntry[]> => sql.rows(selectOwnEvents, [userId])

type Scope = 'workspace' | 'instance'

/** `instance`: entries of no workspace, such as sign-ins; only for operators. */
const of = z.enum(['workspace', 'instance'] satisfies Scope[]).default('workspace')

const MAX_TEXT_CHARACTERS = 300
const filter = z.string().max(MAX_TEXT_CHARACTERS).optional()

export const auditLog = router({
  /** Newest first. `cursor`: the last entry of the previous page. */
  list: writeCall
    .input(z.object({ of, cursor: z.uuid().nullish(), action: filter, who: filter }))
    .query(async ({ ctx: { figures, membership }, input: { of, cursor, action, who } }) => {
      const rows = await figures.rows(selectEntries[of], [idOf(of, membership), cursor, action, who])
      const entries = rows.slice(0, ENTRIES_PER_PAGE)
      return { entries, next: rows.length > entries.length ? (entries.at(-1)?.id ?? null) : null }
    }),

  choices: writeCall.input(z.object({ of })).query(async ({ ctx: { figures, membership }, input: { of } }) => {
    const id = idOf(of, membership)
    const [actions, people] = await Promise.all([
      figures.rows(selectActions[of], [id]),
      figures.rows(selectPeople[of], [id]),
    ])
    return { actions: actions.map(({ choice }) => choice), people: people.map(({ choice }) => choice) }
  }),
})

function idOf(of: Scope, { workspaceId, operator }: Membership): string | null {
  if (of === 'workspace') return workspaceId
  if (operator) return null
  throw new CallError('FORBIDDEN', { code: 'admin.audit_log_operators_only' })
}
