import { type Sql, type Statement, statement } from '../db/pool.ts'
import { phonesMatching } from '../workspaces/searched-phones.ts'
import { internationalPattern } from './number-patterns.ts'
import type { Person } from './person.ts'

/** Entries of the audit log that are read at a time. */
const MAX_ENTRIES = 1_000

export type AuditEntry = {
  id: string
  at: Date
  who: string
  action: string
  target: string
  before: unknown
  after: unknown
}

/** The next entries of the workspace's audit log. `next`: undefined after the last one. */
export async function readEntries(
  sql: Sql,
  workspaceId: string,
  after: string,
): Promise<{ entries: AuditEntry[]; next: string | undefined }> {
  const entries = await sql.rows(selectEntries, [workspaceId, after, MAX_ENTRIES])
  return { entries, next: entries.length < MAX_ENTRIES ? undefined : entries.at(-1)?.id }
}

const selectEntries: Statement<AuditEntry> = statement(
  'read_audit_entries',
  `select id, at, who, action, target, before, after from audit_log where workspace_id = $1 and id > $2 order by id limit $3`,
)

/** Copies a value with the pseudonym in place of the number, including other forms of the number that a person searched for. */
export async function replacerOf(sql: Sql, person: Person, pseudonym: string): Promise<(value: unknown) => unknown> {
  const ownPhones = (await sql.rows(selectSenderPhones, [person.workspaceId])).map(({ phone }) => phone)
  const pattern = new RegExp(`[+]?${internationalPattern(person.phones)}`, 'g')
  const replaced = (text: string): string =>
    phonesMatching(text, ownPhones).some((each) => person.phones.includes(each))
      ? pseudonym
      : text.replaceAll(pattern, pseudonym)
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return replaced(value)
    if (Array.isArray(value)) return value.map(copy)
    if (typeof value !== 'object' || value === null || value instanceof Date) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member)]))
  }
  return copy
}

const selectSenderPhones: Statement<{ phone: string }> = statement(
  'list_sender_phones',
  'select phone from senders where workspace_id = $1',
)
