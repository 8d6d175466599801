/** npm forwards a terminal's Ctrl-C to its child, which also gets it from the terminal: two signals for one. */
const SAME_SIGNAL_MS = 500

/** SIGHUP: the terminal was closed. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Until it is disposed: aborts with the name of the first signal; a second one exits immediately. */
export function listenForSignals(): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  let firstAt: number | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1)
    controller.abort(signal)
  }
  for (const each of SIGNALS) process.on(each, onSignal)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const each of SIGNALS) process.off(each, onSignal)
    },
  }
}

/** For a process that serves until it ends. */
export const shutdownSignal = (): AbortSignal => listenForSignals().signal
