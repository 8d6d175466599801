import { z } from 'zod'
import { readResources } from '../../../locales/resources.ts'
import { type Day, addDays, startOfDay } from '../../charts/days.ts'
import { type Sql, statement } from '../../lib/db/pool.ts'
import { idMargin, idRange } from '../../lib/lists/id-range.ts'
import { findWorkspaceTime } from '../../workspaces/workspace-time.ts'
import type { Membership } from '../auth/members.ts'
import { dayInput } from '../inputs.ts'
import { CallError } from '../rpc/errors.ts'
import { router, writeCall } from '../rpc/trpc.ts'
import { RESOURCES, RESOURCE_OF, type Resource } from './actions.ts'
import { findTargetNames } from './target-names.ts'

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

const NEWEST_FIRST = `order by a.id desc limit ${ENTRIES_PER_PAGE + 1}`

/** $4 and $5: the range of times, $6: the person. */
const MATCHING = `($4::timestamptz is null or a.at >= $4) and ($5::timestamptz is null or a.at < $5)
   and ($6::text is null or a.who = $6)`

export const selectEntries = forScopes<AuditEntry>(
  'list_audit_entries',
  // $2 and $3: the range of ids
  (scope) =>
    `select ${ENTRY} from audit_log a where ${scope} and a.id < $2 and a.id >= $3 and ${MATCHING} ${NEWEST_FIRST}`,
)

/** $7: the actions. Only the index on actions has the order of the entries of each: by another, a rare action would read the whole log. */
export const selectEntriesOf = forScopes<AuditEntry>(
  'list_audit_entries_of_actions',
  (scope) => `select ${ENTRY} from unnest($7::text[]) chosen (action)
   cross join lateral (
     select * from audit_log a
     where ${scope} and (a.action, a.id) < (chosen.action, $2) and (a.action, a.id) >= (chosen.action, $3) and ${MATCHING}
     order by a.workspace_id desc, a.action desc, a.id desc limit ${ENTRIES_PER_PAGE + 1}) a
   ${NEWEST_FIRST}`,
)

const selectEntry = forScopes<AuditEntry>(
  'find_audit_entry',
  (scope) => `select ${ENTRY} from audit_log a where ${scope} and a.id = $2`,
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
/** `from` and `to`: days in the delivery time zone, inclusive. */
const filters = {
  action: filter,
  who: filter,
  resource: z.enum(RESOURCES).optional(),
  from: dayInput.optional(),
  to: dayInput.optional(),
}

export const auditLog = router({
  /** Newest first. `cursor`: the last entry of the previous page. */
  list: writeCall
    .input(z.object({ of, cursor: z.uuid().nullish(), ...filters }))
    .query(async ({ ctx: { parts, figures, membership }, input: { of, cursor, action, who, resource, ...days } }) => {
      const id = idOf(of, membership)
      const { from, until } = await realRange(parts.db, membership, days)
      const [before, first] = idRange({ from, until, before: cursor ?? null }, REAL_TIME)
      const values = [id, before, first, from, until, who]
      const actions = chosenActions(action, resource)
      const rows = actions
        ? await figures.rows(selectEntriesOf[of], [...values, actions])
        : await figures.rows(selectEntries[of], values)
      const shown = rows.slice(0, ENTRIES_PER_PAGE)
      const entries = await withNames(parts.db, id, shown)
      return { entries, next: rows.length > entries.length ? (entries.at(-1)?.id ?? null) : null }
    }),

  /** Null for a missing entry, and for one that is no longer kept. */
  find: writeCall
    .input(z.object({ of, entryId: z.uuid() }))
    .query(async ({ ctx: { parts, membership }, input: { of, entryId } }) => {
      const id = idOf(of, membership)
      const [entry] = await withNames(parts.db, id, await parts.db.rows(selectEntry[of], [id, entryId]))
      return entry ?? null
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

/** `name`: of the target, if that is an id. */
async function withNames(sql: Sql, workspaceId: string | null, entries: readonly AuditEntry[]) {
  const names = workspaceId === null ? undefined : await findTargetNames(sql, workspaceId, entries)
  return entries.map((entry) => ({ ...entry, name: null, isDeleted: false, ...names?.get(entry.target) }))
}

/** Entries have the real time. */
const REAL_TIME = idMargin({ sandbox: false, offsetMs: 0 })

type Days = { from?: Day | undefined; to?: Day | undefined }

/** When the workspace's clock showed the days. */
async function realRange(sql: Sql, { workspaceId, timeZone }: Membership, { from, to }: Days) {
  const time = await findWorkspaceTime(sql, workspaceId)
  const startOf = (day: Day): Date => time.realOf(startOfDay(day, timeZone))
  return { from: from ? startOf(from) : null, until: to ? startOf(addDays(to, 1)) : null }
}

const NAMED = Object.keys(readResources('en')['page_audit_log'] ?? {})

export const actionsOf = (resource: Resource): string[] =>
  Object.entries(RESOURCE_OF)
    .filter(([, about]) => about === resource)
    .flatMap(([noun]) =>
      NAMED.filter((key) => key.startsWith(`actions_${noun}_`)).map((key) =>
        key.replace(`actions_${noun}_`, `${noun}.`),
      ),
    )

/** Without a filter, all actions. */
function chosenActions(action: string | undefined, resource: Resource | undefined): string[] | undefined {
  const ofResource = resource && actionsOf(resource)
  if (!action) return ofResource
  return !ofResource || ofResource.includes(action) ? [action] : []
}

function idOf(of: Scope, { workspaceId, operator }: Membership): string | null {
  if (of === 'workspace') return workspaceId
  if (operator) return null
  throw new CallError('FORBIDDEN', { code: 'admin.audit_log_operators_only' })
}
