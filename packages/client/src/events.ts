import { DoorcodeConnectionError, DoorcodeError } from './errors.ts'
import { backoffMs, isTemporary } from './retry.ts'
import type { Methods, RecordedEvent } from './routes.ts'
import { pause } from './send.ts'

/** How long the instance waits for an event before it answers. Many proxies end a request after 30 s. */
const WAIT_SECONDS = 25

/** The position before the first event of a workspace. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** Where the caller keeps the id of the last event that was processed, such as a row of its database. */
export type EventPosition = {
  /** Returns the id that was saved last, or nothing. */
  load(): Promise<string | null | undefined> | string | null | undefined
  save(id: string): Promise<void> | void
}

export type EventsOptions = {
  position: EventPosition
  /** Where to begin when no position was saved. Default: with the oldest event that is kept. */
  start?: 'oldest' | 'latest'
  /** Whether to wait for new events. Default: true; otherwise the iteration ends with the newest event. */
  follow?: boolean
  /** Events in one response: 1 to 100. */
  limit?: number
  /** Ends the iteration, which then stops without an error. */
  signal?: AbortSignal
  /** Is called when the instance cannot be reached. While the iteration follows new events, it then waits and continues. */
  onOutage?: (error: Error) => void
}

export type Events = AsyncGenerator<RecordedEvent, void, undefined>

/**
 * The position is saved when the caller asks for the next event, so an event whose processing throws, or after which the loop is
 * left, is read again: every event is processed at least once. FIRST_ID is saved before the first event of a workspace, so this
 * holds for that event, too.
 */
export async function* readEvents(listEvents: Methods['listEvents'], options: EventsOptions): Events {
  const { position, start = 'oldest', follow = true, limit, signal } = options
  let saved = (await position.load()) ?? undefined
  let after = saved ?? (start === 'latest' ? start : undefined)
  let isCaughtUp = false
  const readPage = outageTolerant(options, () =>
    listEvents(
      {
        ...(after !== undefined && { after }),
        ...(limit !== undefined && { limit }),
        ...(follow && isCaughtUp && { wait: WAIT_SECONDS }),
      },
      signal && { signal },
    ),
  )
  const save = async (id: string): Promise<void> => {
    if (id !== saved) await position.save(id)
    saved = id
  }
  while (!isAborted(signal)) {
    const page = await readPage()
    if (page === undefined) continue
    for (const event of page.events) {
      yield event
      await save(event.id)
      if (isAborted(signal)) return
    }
    after = page.next ?? FIRST_ID
    await save(after)
    isCaughtUp = !page.hasMore
    if (isCaughtUp && !follow) return
  }
}

type Page = Awaited<ReturnType<Methods['listEvents']>>

/** Returns undefined when the iteration was ended, and after a wait for an instance that cannot be reached. */
function outageTolerant({ follow = true, signal, onOutage }: EventsOptions, read: () => Promise<Page>) {
  let failures = 0
  return async (): Promise<Page | undefined> => {
    try {
      const page = await read()
      failures = 0
      return page
    } catch (error) {
      if (isAborted(signal)) return undefined
      if (!follow || !isOutage(error)) throw error
      onOutage?.(error)
      await pause(backoffMs(failures, Math.random()), signal).catch(() => undefined) // aborted
      failures += 1
      return undefined
    }
  }
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true

const isOutage = (error: unknown): error is DoorcodeError | DoorcodeConnectionError =>
  (error instanceof DoorcodeError || error instanceof DoorcodeConnectionError) && isTemporary(error)
