export type Batch = { resent: number; more: boolean }

export type SendAll = {
  /** Asks for the next batch. */
  next: () => Promise<Batch>
  onProgress: (resent: number) => void
  stopped: () => boolean
}

/** Far more batches than any endpoint has deliveries for. */
export const BATCHES_MOST = 100_000

/** Batch by batch, until there is no more, or somebody stops it. What a batch has sent stays sent. */
export async function sendAll({ next, onProgress, stopped }: SendAll): Promise<{ resent: number; ended: boolean }> {
  let resent = 0
  for (let batch = 0; batch < BATCHES_MOST; batch += 1) {
    if (stopped()) return { resent, ended: false }
    const done = await next()
    resent += done.resent
    onProgress(resent)
    if (!done.more) return { resent, ended: true }
  }
  return { resent, ended: false }
}
