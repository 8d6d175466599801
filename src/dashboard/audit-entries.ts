import { type Sql, statement } from '../db.ts'

export type AuditEntry = {
  id: string
  at: Date
  who: string
  action: string
  target: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

export const ENTRIES_PER_PAGE = 50

const ENTRY = `a.id, a.at, a.who, a.action, a.target, a.before, a.after`

const FILTER = `($2::uuid is null or a.id < $2) and ($3::text is null or a.action = $3) and ($4::text is null or a.who = $4)
   order by a.id desc limit ${ENTRIES_PER_PAGE + 1}`

const listOfWorkspace = statement<AuditEntry>(
  'list_audit_entries',
  `select ${ENTRY} from audit_log a where a.workspace_id = $1 and ${FILTER}`,
)

const listOfInstance = statement<AuditEntry>(
  'list_audit_entries_of_instance',
  `select ${ENTRY} from audit_log a where a.workspace_id is null and $1::uuid is null and ${FILTER}`,
)

export type EntryFilter = {
  /** Null: what belongs to no workspace. */
  workspaceId: string | null
  /** The id of the last one of the page before. */
  before: string | undefined
  action: string | undefined
  who: string | undefined
}

export type EntryPage = { entries: AuditEntry[]; next: string | null }

/** The latest first. */
export async function listEntries(figures: Sql, { workspaceId, before, action, who }: EntryFilter): Promise<EntryPage> {
  const list = workspaceId === null ? listOfInstance : listOfWorkspace
  const rows = await figures.rows(list, [workspaceId, before, action, who])
  const entries = rows.slice(0, ENTRIES_PER_PAGE)
  return { entries, next: rows.length > entries.length ? (entries.at(-1)?.id ?? null) : null }
}

const CHOICES_MOST = 200

/** Each choice by one probe of the index with the column: of however many entries, no more than those are read. */
const choicesIn = (column: 'action' | 'who', ofWhich: string): string =>
  `with recursive found as (
     (select a.${column} as choice from audit_log a where ${ofWhich} order by a.${column} limit 1)
     union all
     select (select a.${column} from audit_log a where ${ofWhich} and a.${column} > f.choice order by a.${column} limit 1)
     from found f where f.choice is not null)
   select choice from found where choice is not null limit ${CHOICES_MOST}`

const OF_WORKSPACE = 'a.workspace_id = $1'
const OF_INSTANCE = 'a.workspace_id is null and $1::uuid is null'

type Choice = { choice: string }

const choices = {
  action: {
    workspace: statement<Choice>('list_audit_actions', choicesIn('action', OF_WORKSPACE)),
    instance: statement<Choice>('list_audit_actions_of_instance', choicesIn('action', OF_INSTANCE)),
  },
  who: {
    workspace: statement<Choice>('list_audit_people', choicesIn('who', OF_WORKSPACE)),
    instance: statement<Choice>('list_audit_people_of_instance', choicesIn('who', OF_INSTANCE)),
  },
}

/** What can be chosen in the filters: what was done, and who did it. */
export async function listChoices(
  figures: Sql,
  workspaceId: string | null,
): Promise<{ actions: string[]; people: string[] }> {
  const of = workspaceId === null ? 'instance' : 'workspace'
  const [actions, people] = await Promise.all([
    figures.rows(choices.action[of], [workspaceId]),
    figures.rows(choices.who[of], [workspaceId]),
  ])
  return { actions: actions.map(({ choice }) => choice), people: people.map(({ choice }) => choice) }
}

const OWN_EVENTS_MOST = 20

const listOwn = statement<AuditEntry>(
  'list_own_events',
  `select ${ENTRY} from audit_log a where a.workspace_id is null and a.user_id = $1 and a.action like 'person.%'
   order by a.id desc limit ${OWN_EVENTS_MOST}`,
)

/** What happened to somebody's own account. */
export const listOwnEvents = (sql: Sql, userId: string): Promise<AuditEntry[]> => sql.rows(listOwn, [userId])
