/** npm forwards a terminal's Ctrl-C to its child, which also gets it from the terminal: two signals for one. */
const SAME_SIGNAL_MS = 500

/** Aborts with the name of the first signal. A second one exits at once. */
export function shutdownSignal(): AbortSignal {
  const controller = new AbortController()
  let firstAt: number | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1)
    controller.abort(signal)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return controller.signal
}
