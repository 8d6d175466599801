/** Deliveries that a transaction may claim for this process when it records them. Kept for it until it is disposed. */
export type DeliveryClaim = Disposable & {
  lease: string
  nodeId: string
  /** End of the lease. */
  until: Date
  /** How many deliveries each endpoint may get, by its id. */
  capacities: Readonly<Record<string, number>>
}

/** Passes deliveries that were claimed when they were recorded to the loop of this process that makes the attempts. */
export type RecordedDeliveries<Delivery> = DeliveryLoop<Delivery> & {
  /** Called by the loop. */
  attach(loop: DeliveryLoop<Delivery>): void
}

type DeliveryLoop<Delivery> = {
  /** `workspaceIds`: one of each event. Undefined: nothing can be claimed, as in a process without the loop. */
  reserve(workspaceIds: readonly string[]): DeliveryClaim | undefined
  /** After the commit. */
  give(deliveries: readonly Delivery[]): void
  /** Deliveries to these endpoints were not claimed: they go before those that are recorded later. */
  markWaiting(endpointIds: readonly string[]): void
  /** For a claim that may be committed although its answer was lost: nothing of it was given. */
  giveBack(lease: string): void
}

export function createRecordedDeliveries<Delivery>(): RecordedDeliveries<Delivery> {
  let loop: DeliveryLoop<Delivery> | undefined
  return {
    reserve: (workspaceIds) => loop?.reserve(workspaceIds),
    give: (deliveries) => loop?.give(deliveries),
    markWaiting: (endpointIds) => loop?.markWaiting(endpointIds),
    giveBack: (lease) => loop?.giveBack(lease),
    attach: (attached) => void (loop = attached),
  }
}
