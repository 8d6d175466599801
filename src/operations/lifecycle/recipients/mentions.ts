import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { newPseudonym } from '../../../lib/phone/erased-recipient.ts'
import { phonesMatching } from '../../../lib/lists/searched-phones.ts'
import { ANY_NUMBER, internationalPattern } from './number-patterns.ts'
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
  const ownPhones = await listSenderPhones(sql, person.workspaceId)
  const pattern = new RegExp(`[+]?${internationalPattern(person.phones)}`, 'g')
  const replaced = (text: string): string =>
    phonesMatching(text, ownPhones).some((each) => person.phones.includes(each))
      ? pseudonym
      : text.replaceAll(pattern, pseudonym)
  return copierWith(replaced)
}

/** Made for all numbers: each has one pseudonym. */
export async function replacerOfNumbers(sql: Sql, workspaceId: string): Promise<(value: unknown) => unknown> {
  const ownPhones = await listSenderPhones(sql, workspaceId)
  const pseudonyms = new Map<string, string>()
  const pseudonymOf = (phone: string): string => {
    const digits = phone.replaceAll(/\D/g, '').replace(/^00/, '')
    const pseudonym = pseudonyms.get(digits) ?? newPseudonym()
    pseudonyms.set(digits, pseudonym)
    return pseudonym
  }
  return copierWith((text) => {
    const replaced = text.replaceAll(ID_OR_NUMBER, (found) => (IS_ID.test(found) ? found : pseudonymOf(found)))
    const [phone] = replaced === text ? phonesMatching(text, ownPhones) : []
    return phone ? pseudonymOf(phone) : replaced
  })
}

/** Ids and pseudonyms may contain as many digits in a row as a number. */
const ID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|erased:[0-9a-f]+'
const IS_ID = new RegExp(`^(?:${ID})$`)
const ID_OR_NUMBER = new RegExp(`${ID}|${ANY_NUMBER}`, 'g')

/** Copies a value with every text in it replaced. */
function copierWith(replaced: (text: string) => string): (value: unknown) => unknown {
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return replaced(value)
    if (Array.isArray(value)) return value.map(copy)
    if (typeof value !== 'object' || value === null || value instanceof Date) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member)]))
  }
  return copy
}

const listSenderPhones = async (sql: Sql, workspaceId: string): Promise<string[]> =>
  (await sql.rows(selectSenderPhones, [workspaceId])).map(({ phone }) => phone)

const selectSenderPhones: Statement<{ phone: string }> = statement(
  'list_sender_phones',
  'select phone from senders where workspace_id = $1',
)
