/** Where state is kept for the next process, in sections such as 'messages'. */
export type Storage = {
  /** What an earlier process saved, in the order in which the keys were first written. */
  rows(section: string): readonly (readonly [key: string, row: unknown])[]
  /** `row` is called at the time of writing; undefined removes the row. */
  put(section: string, key: string, row: () => unknown): void
  remove(section: string, key: string): void
  /** Something outside the sections has changed, such as the clock. */
  touch(): void
}

export const NO_STORAGE: Storage = { rows: () => [], put() {}, remove() {}, touch() {} }

/** The next number of each kind of id. */
export type NextIds = ReturnType<typeof firstIds>

export const firstIds = () => ({ accounts: 1, scripts: 1, posts: 1, order: 1 })

type Options<Value, Row> = {
  /** The saved form of a value. Default: the value. */
  toRow?: (value: Value) => Row | undefined
  /** Undefined drops the row. */
  fromRow?: (row: Row, key: string) => Value | undefined
  /** If there are more, the first entry is dropped. */
  max?: number
}

/** A Map whose entries are saved, and which starts with the saved ones. */
export class SavedMap<Value, Row = Value> extends Map<string, Value> {
  readonly #section: string
  readonly #storage: Storage
  readonly #options: Options<Value, Row>

  constructor(section: string, storage: Storage, options: Options<Value, Row> = {}) {
    super()
    this.#section = section
    this.#storage = storage
    this.#options = options
    const { fromRow = (row) => row as unknown as Value } = options
    for (const [key, row] of storage.rows(section)) {
      const value = fromRow(row as Row, key)
      if (value !== undefined) super.set(key, value)
    }
  }

  override set(key: string, value: Value): this {
    super.set(key, value)
    this.changed(key)
    if (this.size <= (this.#options.max ?? Infinity)) return this
    const [oldest] = this.keys()
    if (oldest !== undefined) this.delete(oldest)
    return this
  }

  /** Moves the entry to the end. */
  setLast(key: string, value: Value): void {
    this.delete(key)
    this.set(key, value)
  }

  /** Call it after mutating the value. */
  changed(key: string): void {
    const { toRow } = this.#options
    this.#storage.put(this.#section, key, () => {
      const value = this.get(key)
      return value === undefined || toRow === undefined ? value : toRow(value)
    })
  }

  override delete(key: string): boolean {
    const isHeld = super.delete(key)
    if (isHeld) this.#storage.remove(this.#section, key)
    return isHeld
  }

  override clear(): void {
    for (const key of this.keys()) this.delete(key)
  }
}
