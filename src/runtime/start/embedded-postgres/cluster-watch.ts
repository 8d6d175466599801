import { stat } from 'node:fs/promises'
import path from 'node:path'
import { StartupError } from '../../../lib/errors.ts'

const CHECK_EVERY_MS = 2_000

/**
 * PostgreSQL keeps running for a minute after its files were deleted, and forever after they were moved. It would
 * acknowledge messages that are lost at the next start.
 */
export function watchCluster(dataDir: string): { lost: AbortSignal; check: () => Promise<void>; end: () => void } {
  const lost = new AbortController()
  const file = path.join(dataDir, 'postgres', 'data', 'PG_VERSION')
  const check = async (): Promise<void> => {
    const error = await stat(file).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error,
    )
    if (error?.code !== 'ENOENT' && error?.code !== 'ENOTDIR') return
    clearInterval(timer)
    lost.abort(new StartupError(describeLoss(dataDir)))
  }
  const timer = setInterval(() => void check(), CHECK_EVERY_MS).unref()
  return { lost: lost.signal, check, end: () => clearInterval(timer) }
}

const describeLoss = (dataDir: string): string =>
  `The data folder ${dataDir} was deleted or moved while Doorcode was running, so Doorcode has stopped. If you moved it, move it back and start Doorcode again. If you deleted it, its data is lost, and the next start creates an empty database.`
