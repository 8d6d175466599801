/** Whether `work` resolves within `ms`. Rejects when it does. */
export async function withTimeout(ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = Promise.withResolvers<boolean>()
  const timer = setTimeout(over.resolve, ms, false)
  try {
    return await Promise.race([work.then(() => true), over.promise])
  } finally {
    clearTimeout(timer)
  }
}
