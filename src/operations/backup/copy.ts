import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type { Submittable } from 'pg'
import type { Connection } from '../../lib/db/connection.ts'
import { MAX_FRAME_BYTES } from './format.ts'

/** The driver's connection, with what its types leave out. */
type Wire = {
  stream: Duplex
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/** What the driver calls on a query while it runs. */
type Handlers = Submittable & {
  handleCommandComplete(message: { text: string }): void
  handleReadyForQuery(): void
  handleError(error: Error): void
  handleCopyData?(message: { chunk: Buffer }, wire: Wire): void
  handleCopyInResponse?(wire: Wire): void
}

/** Runs one COPY. `ended` resolves with its number of rows. */
function startCopy(connection: Connection, text: string, more: Partial<Handlers>): { ended: Promise<number> } {
  const ended = Promise.withResolvers<number>()
  ended.promise.catch(() => {}) // callers await other promises first
  let rows = 0
  const handlers: Handlers = {
    submit: (wire) => wire.query(text),
    handleCommandComplete: ({ text }) => void (rows = Number(text.replace('COPY ', ''))),
    handleReadyForQuery: () => ended.resolve(rows),
    handleError: (error) => ended.reject(error),
    ...more,
  }
  connection.query(handlers)
  return { ended: ended.promise }
}

/** Chunks that may wait for `write`. With more, the server waits too. */
const MAX_WAITING_CHUNKS = 2

/** `copy … to stdout`, in chunks of at most MAX_FRAME_BYTES. A chunk may end in the middle of a row. */
export async function copyOut(
  connection: Connection,
  text: string,
  write: (chunk: Buffer) => Promise<void>,
): Promise<number> {
  let chunk = Buffer.allocUnsafe(MAX_FRAME_BYTES)
  let used = 0
  let waiting = 0
  let writing = Promise.resolve()
  const flush = (wire?: Wire): void => {
    const full = chunk.subarray(0, used)
    ;[chunk, used, waiting] = [Buffer.allocUnsafe(MAX_FRAME_BYTES), 0, waiting + 1]
    if (waiting >= MAX_WAITING_CHUNKS) wire?.stream.pause()
    writing = writing.then(() => write(full))
    const written = (): void => {
      waiting -= 1
      wire?.stream.resume()
    }
    writing.then(written, () => connection.drop()) // nothing more is read: `writing` has the reason
  }
  const { ended } = startCopy(connection, text, {
    handleCopyData({ chunk: row }, wire) {
      for (let read = 0; read < row.length; ) {
        const part = row.copy(chunk, used, read)
        read += part
        used += part
        if (used === MAX_FRAME_BYTES) flush(wire)
      }
    },
  })
  try {
    const rows = await ended
    if (used > 0) flush()
    return rows
  } finally {
    await writing
  }
}

/** `copy … from stdin`. Ends it with an error if `chunks` throws. */
export async function copyIn(connection: Connection, text: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  const started = Promise.withResolvers<Wire>()
  const { ended } = startCopy(connection, text, { handleCopyInResponse: started.resolve })
  const wire = await Promise.race([started.promise, ended.then(() => Promise.reject(new Error('no copy began')))])
  try {
    for await (const chunk of chunks) {
      wire.sendCopyFromChunk(chunk)
      if (wire.stream.writableNeedDrain) await Promise.race([once(wire.stream, 'drain'), ended])
    }
    wire.endCopyFrom()
  } catch (error) {
    wire.sendCopyFail('the backup cannot be read')
    await ended.catch(() => {})
    throw error
  }
  return ended
}
