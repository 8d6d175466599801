/** This process's loop for work that was claimed by the statement that stored it. Undefined if the process does not run that loop. */
export type HandOver<Loop> = { loop?: Loop }

/** Takes messages that were claimed when they were accepted. */
export type MessageLoop<Message> = {
  nodeId: string
  /** How many more messages may be claimed now. */
  room(): number
  /** Keeps room for messages that are being claimed, until it is disposed. */
  reserve(messages: number): Disposable
  /** After the commit. */
  give(message: Message): void
  /** For a claim that may be committed although its answer was lost: nothing of it was given. */
  giveBack(lease: string): void
  /** `room` is 0 for this long. */
  pause(ms: number): void
}

/** Capacity that the loop keeps so that a transaction can claim the deliveries that it records. Dispose it when the transaction has ended. */
export type DeliveryReservation = Disposable & {
  lease: string
  nodeId: string
  /** End of the lease. */
  until: Date
  /** The most deliveries to claim for each endpoint, by its id. */
  capacities: Readonly<Record<string, number>>
  /** Frees what was not needed; `endpointIds`: the endpoint of each delivery that was claimed. */
  keepOnly(endpointIds: readonly string[]): void
}

/** Takes deliveries that were claimed when they were recorded. */
export type DeliveryLoop<Delivery> = {
  /** `workspaceIds`: the workspace of each event. Undefined: nothing can be claimed. */
  reserve(workspaceIds: readonly string[]): DeliveryReservation | undefined
  /** After the commit. */
  give(deliveries: readonly Delivery[]): void
  /** Deliveries to these endpoints were not claimed: those that are recorded later wait behind them. */
  markWaiting(endpointIds: readonly string[]): void
  /** For a claim that may be committed although its answer was lost: nothing of it was given. */
  giveBack(lease: string): void
}
