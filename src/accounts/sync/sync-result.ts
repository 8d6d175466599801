import type { ConnectedAccount } from '../accounts.ts'

type Snapshot = Pick<ConnectedAccount, 'senders' | 'templates'>

/** Numbers by phone number, templates by name and language. */
export type SyncResult = { numbers: Difference; templates: Difference }
export type Difference = { total: number; added: string[]; changed: string[]; gone: string[] }

export const syncResult = (before: Snapshot, after: Snapshot): SyncResult => ({
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
  const previous = new Map(before.map((item) => [keyOf(item), JSON.stringify(item)]))
  const present = new Set(after.map(keyOf))
  return {
    total: after.length,
    added: after.filter((item) => !previous.has(keyOf(item))).map(nameOf),
    changed: after
      .filter((item) => (previous.get(keyOf(item)) ?? JSON.stringify(item)) !== JSON.stringify(item))
      .map(nameOf),
    gone: before.filter((item) => !present.has(keyOf(item))).map(nameOf),
  }
}
