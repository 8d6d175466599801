export class Listeners<Event> {
  readonly #all = new Set<(event: Event) => void>()

  /** Returns a function that removes it. */
  readonly add = (listener: (event: Event) => void): (() => void) => {
    this.#all.add(listener)
    return () => this.#all.delete(listener)
  }

  emit(event: Event): void {
    for (const listener of this.#all) listener(event)
  }
}
