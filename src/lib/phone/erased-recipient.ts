const PREFIX = 'erased:'
const RANDOM_BYTES = 10

/** Replaces an erased number. Random: nothing can be derived from it (docs/personal-data.md#erase). */
export const newPseudonym = (): string =>
  `${PREFIX}${Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))).toString('hex')}`

export const isErased = (recipient: string): boolean => recipient.startsWith(PREFIX)

/** The same in SQL. */
export const erasedIn = (column: string): string => `${column} like '${PREFIX}%'`
