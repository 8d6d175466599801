import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { FIRST_ID } from '../../../lib/ids.ts'
import { newPseudonym } from '../../../lib/phone/erased-recipient.ts'
import { phonesMatching } from '../../../lib/lists/searched-phones.ts'
import { ANY_NUMBER, internationalPattern } from './number-patterns.ts'
import type { Person } from './person.ts'

export const FIRST_ENTRY = FIRST_ID

/** Entries of the audit log that are read at a time. */
const MAX_ENTRIES = 1_000

type EntryToErase = {
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
): Promise<{ entries: EntryToErase[]; next: string | undefined }> {
  const entries = await sql.rows(selectEntries, [workspaceId, after, MAX_ENTRIES])
  return { entries, next: entries.length < MAX_ENTRIES ? undefined : entries.at(-1)?.id }
}

const selectEntries: Statement<EntryToErase> = statement(
  'read_audit_entries',
  `select id, at, who, action, target, before, after from audit_log where workspace_id = $1 and id > $2 order by id limit $3`,
)

/** Replaces the number in the next entries of the audit log. `next`: undefined after the last entry. */
export async function eraseFromAuditLog(
  tx: Sql,
  person: Person,
  { after, pseudonym }: { after: string; pseudonym: string },
): Promise<{ erased: number; next: string | undefined }> {
  const { workspaceId } = person
  const { entries, next } = await readEntries(tx, workspaceId, after)
  return { erased: await rewrite(tx, workspaceId, entries, await replacerOf(tx, person, pseudonym)), next }
}

/**
 * Does the same for every number, in entries that may name a recipient. Call it while the workspace's senders are stored: their
 * own numbers help to read local ones.
 */
export async function eraseNumbersFromAuditLog(
  tx: Sql,
  {
    workspaceId,
    after,
    mayNameRecipient,
  }: { workspaceId: string; after: string; mayNameRecipient: (action: string) => boolean },
): Promise<{ next: string | undefined }> {
  const { entries, next } = await readEntries(tx, workspaceId, after)
  const chosen = entries.filter(({ action }) => mayNameRecipient(action))
  await rewrite(tx, workspaceId, chosen, await replacerOfNumbers(tx, workspaceId))
  return { next }
}

/** Returns how many entries changed. */
async function rewrite(
  tx: Sql,
  workspaceId: string,
  entries: readonly EntryToErase[],
  replace: (value: unknown) => unknown,
): Promise<number> {
  let erased = 0
  for (const { id, target, before, after } of entries) {
    const values = [target, before, after].map((value) => asText(replace(value)))
    if (JSON.stringify(values) === JSON.stringify([target, before, after].map(asText))) continue
    await tx.rows(writeEntry, [workspaceId, id, ...values])
    erased += 1
  }
  return erased
}

const asText = (value: unknown): string | null =>
  typeof value === 'string' || value === null ? value : JSON.stringify(value)

const writeEntry = statement(
  'erase_from_audit_entry',
  'update audit_log set target = $3, before = $4, after = $5 where workspace_id = $1 and id = $2',
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
async function replacerOfNumbers(sql: Sql, workspaceId: string): Promise<(value: unknown) => unknown> {
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
