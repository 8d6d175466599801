/** Gives work that a request claimed with its commit to the loop of this process that does such work. */
export type HandOver<Item> = {
  nodeId: string
  /** How many more items the loop takes now; 0 in a process without the loop. */
  room(): number
  give(item: Item): void
  attach(loop: { room(): number; take(item: Item): void }): void
}

export function createHandOver<Item>(nodeId: string): HandOver<Item> {
  let loop: { room(): number; take(item: Item): void } | undefined
  return {
    nodeId,
    room: () => loop?.room() ?? 0,
    give: (item) => loop?.take(item),
    attach: (attached) => void (loop = attached),
  }
}
