export type Batch = { resent: number; more: boolean }

export type ResendAll = {
  next: () => Promise<Batch>
  onProgress: (resent: number) => void
  stopped: () => boolean
}

/** Far more batches than any endpoint has deliveries for. */
const MAX_BATCHES = 100_000

/** Resends in batches until none is left or it is stopped. Batches already sent stay sent. */
export async function resendAll({ next, onProgress, stopped }: ResendAll): Promise<{ resent: number; ended: boolean }> {
  let resent = 0
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    if (stopped()) return { resent, ended: false }
    const done = await next()
    resent += done.resent
    onProgress(resent)
    if (!done.more) return { resent, ended: true }
  }
  return { resent, ended: false }
}
