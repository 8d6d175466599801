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

/**
 * Holds this process's delivery loop, which takes deliveries that were claimed when they were recorded. `loop` is undefined if the
 * process does not run it.
 */
export type DeliveryHandOver<Delivery> = { loop?: DeliveryLoop<Delivery> }

type DeliveryLoop<Delivery> = {
  /** `workspaceIds`: the workspace of each event. Undefined: nothing can be claimed. */
  reserve(workspaceIds: readonly string[]): DeliveryReservation | undefined
  /** After the commit. */
  give(deliveries: readonly Delivery[]): void
  /** Deliveries to these endpoints were not claimed: those that are recorded later wait behind them. */
  markWaiting(endpointIds: readonly string[]): void
  /** For a claim that may be committed although its answer was lost: nothing of it was given. */
  giveBack(lease: string): void
}
