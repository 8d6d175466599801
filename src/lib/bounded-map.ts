/** A map whose newest entry evicts the oldest beyond `maxSize`. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #maxSize: number

  constructor(maxSize: number) {
    super()
    this.#maxSize = maxSize
  }

  /** Makes the entry the newest: a Map keeps insertion order. */
  override set(key: Key, value: Value): this {
    this.delete(key)
    for (const oldest of this.keys()) {
      if (this.size < this.#maxSize) break
      this.delete(oldest)
    }
    return super.set(key, value)
  }
}
