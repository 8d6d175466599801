import { once } from 'node:events'
import { asWritten } from '../../../locales/text.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import { listenForSignals } from '../../lib/shutdown-signal.ts'
import { UserError } from '../../lib/errors.ts'
import type { Command, Output } from '../command.ts'

/** After Ctrl-C, the work may take this long to end, and then closing what it has opened. */
const MAX_END_MS = 10_000

type Steps = {
  work: (signal: AbortSignal, resources: AsyncDisposableStack) => Promise<Output>
  print: (output: Output) => 0 | 1
  /** For a fault while closing, which changes no exit code. */
  printError: (error: unknown) => void
  /** Shorter in tests. */
  maxEndMs?: number
}

/**
 * Runs the work, prints its result, then closes what the work has opened. Ctrl-C ends the work early. The result does not wait
 * for closing, which may fail or take long: stopping the embedded PostgreSQL waits for other processes.
 */
export async function runUntilSignal(
  { interruptedMessage = INTERRUPTED }: Pick<Command, 'interruptedMessage'>,
  { work, print, printError, maxEndMs = MAX_END_MS }: Steps,
): Promise<0 | 1> {
  using listening = listenForSignals()
  const { signal } = listening
  const resources = new AsyncDisposableStack()
  /** Returns false if the promise is still pending at the limit. Rejects when the promise does. */
  const endsInTime = async (promise: Promise<unknown>): Promise<boolean> => {
    if (!signal.aborted) await Promise.race([promise, once(signal, 'abort')])
    return !signal.aborted || (await withTimeout(maxEndMs, promise))
  }
  const output = work(signal, resources)
  // Nothing is closed under work that still runs: the process exits.
  const isOver = await endsInTime(output).catch(() => true)
  if (!isOver) throw new UserError(asWritten(UNKNOWN_OUTCOME), 'SERVICE_UNAVAILABLE')
  const wasInterrupted = signal.aborted
  try {
    return print(await output)
  } catch (error) {
    // The error that the signal caused is about the database: it would mislead the user.
    if (!wasInterrupted || error instanceof UserError) throw error
    throw new UserError(asWritten(interruptedMessage), 'SERVICE_UNAVAILABLE')
  } finally {
    await endsInTime(resources.disposeAsync()).catch(printError)
  }
}

const INTERRUPTED = 'The command was interrupted. Check whether it made its change before you run it again.'
const UNKNOWN_OUTCOME =
  'The command was interrupted and did not end in time, so its outcome is unknown. Check what it did before you run it again.'
