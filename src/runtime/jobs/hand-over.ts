/** Passes work that was claimed when a request was accepted to the loop of this process that does it. */
export type HandOver<Item> = {
  nodeId: string
  /** How many more items may be claimed now; 0 in a process without the loop. */
  room(): number
  /** Keeps room for items that are being claimed, until it is disposed. */
  reserve(items: number): Disposable
  /** After the claim's commit. */
  give(item: Item): void
  /** For a claim that may be committed although its answer was lost: nothing of it was given. */
  giveBack(lease: string): void
  /** No room for this long. */
  pause(ms: number): void
  /** Called by the loop. */
  attach(loop: HandOverLoop<Item>): void
}

type HandOverLoop<Item> = { room(): number; take(item: Item): void; giveBack(lease: string): void }

export function createHandOver<Item>(nodeId: string): HandOver<Item> {
  let loop: HandOverLoop<Item> | undefined
  let reserved = 0
  let pausedUntilMs = 0
  return {
    nodeId,
    room: () => (loop && performance.now() >= pausedUntilMs ? Math.max(0, loop.room() - reserved) : 0),
    reserve(items) {
      reserved += items
      return { [Symbol.dispose]: () => void (reserved -= items) }
    },
    give: (item) => loop?.take(item),
    giveBack: (lease) => loop?.giveBack(lease),
    pause: (ms) => void (pausedUntilMs = performance.now() + ms),
    attach: (attached) => void (loop = attached),
  }
}
