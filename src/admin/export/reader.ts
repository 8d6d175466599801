import type { ServerResponse } from 'node:http'
import { Readable, finished } from 'node:stream'
import { MINUTE_MS } from '../../lib/clock.ts'

/** A reader that takes less in its time, about a kilobyte a second, holds a place that others need. */
const MIN_BYTES_TAKEN = 64 * 1024
const READERS_TIME_MS = MINUTE_MS
const CHECKS = 12
/** A long part is given out in pieces, so that a reader that is taking it is seen to. */
const PIECE_BYTES = 16 * 1024

/**
 * Ends a response early so that the reader notices: over HTTP/1.0, which nginx speaks by default, a connection that is only
 * closed is the end of a complete file.
 */
export function cutOff(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
  response.destroy()
}

/**
 * Gives out the parts as the reader takes them. Cuts the response off when the reader takes too little; the time in which a
 * part is made does not count.
 */
export function forReader(
  parts: AsyncIterable<string>,
  response: ServerResponse,
  readersTimeMs = READERS_TIME_MS,
): Readable {
  let [taken, waitedMs] = [0, 0]
  let waitingSince: number | undefined
  const wait = (): void => void (waitingSince = performance.now())
  const stopWaiting = (): void => {
    if (waitingSince !== undefined) waitedMs += performance.now() - waitingSince
    waitingSince = undefined
  }
  const check = (): void => {
    if (waitingSince === undefined) return
    stopWaiting()
    wait()
    if (waitedMs < readersTimeMs) return
    if (taken < MIN_BYTES_TAKEN) cutOff(response)
    ;[taken, waitedMs] = [0, 0]
  }
  const timer = setInterval(check, readersTimeMs / CHECKS).unref()
  finished(response, () => clearInterval(timer))

  async function* pieces() {
    try {
      for await (const part of parts) {
        const bytes = Buffer.from(part)
        wait()
        for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
          const piece = bytes.subarray(from, from + PIECE_BYTES)
          yield piece
          taken += piece.length
        }
        stopWaiting()
      }
    } catch (error) {
      cutOff(response)
      throw error
    }
    wait() // until the reader has the rest and the response closes
  }
  return Readable.from(pieces(), { objectMode: false })
}
