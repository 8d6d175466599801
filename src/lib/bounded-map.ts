/** Makes the entry the newest, and evicts the oldest beyond `maxSize`: a Map keeps insertion order. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, maxSize: number): void {
  map.delete(key)
  for (const oldest of map.keys()) {
    if (map.size < maxSize) break
    map.delete(oldest)
  }
  map.set(key, value)
}
