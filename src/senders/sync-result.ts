import type { ConnectedAccount } from './accounts.ts'

type Listed = Pick<ConnectedAccount, 'senders' | 'templates'>

/** By their phone numbers and by name and language. */
export type SyncResult = { numbers: Difference; templates: Difference }
export type Difference = { total: number; added: string[]; changed: string[]; gone: string[] }

/** What a sync found that was not known before it. */
export const syncResult = (before: Listed, after: Listed): SyncResult => ({
  numbers: difference(before.senders, after.senders, {
    keyOf: ({ senderId }) => senderId,
    nameOf: ({ phoneNumber }) => phoneNumber,
  }),
  templates: difference(before.templates, after.templates, {
    keyOf: ({ name, language }) => `${name} ${language}`,
    nameOf: ({ name, language }) => `${name} (${language})`,
  }),
})

function difference<Item>(
  before: readonly Item[],
  after: readonly Item[],
  { keyOf, nameOf }: { keyOf: (item: Item) => string; nameOf: (item: Item) => string },
): Difference {
  const known = new Map(before.map((item) => [keyOf(item), JSON.stringify(item)]))
  const present = new Set(after.map(keyOf))
  return {
    total: after.length,
    added: after.filter((item) => !known.has(keyOf(item))).map(nameOf),
    changed: after
      .filter((item) => (known.get(keyOf(item)) ?? JSON.stringify(item)) !== JSON.stringify(item))
      .map(nameOf),
    gone: before.filter((item) => !present.has(keyOf(item))).map(nameOf),
  }
}
