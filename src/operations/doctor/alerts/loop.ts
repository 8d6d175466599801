import { SECOND_MS } from '../../../lib/clock.ts'
import { withTimeout } from '../../../lib/with-timeout.ts'
import type { Loop } from '../../../runtime/jobs/loop.ts'
import type { Parts } from '../../../runtime/parts.ts'
import { examine } from '../examine.ts'
import { createSender } from './send.ts'
import { type Alert, claimAlerts, claimRun, endAlert, endRun, retryAlert } from './store.ts'

const POLL_MS = 5 * SECOND_MS
/** An attempt that still runs when the process stops is made again by another node, with the same id. */
const DRAIN_MS = 2 * SECOND_MS

type DoctorParts = Pick<Parts, 'config' | 'db' | 'clock' | 'seal' | 'provider' | 'log'>

/**
 * Examines the instance once a minute, on one node at a time, keeps what it found for `/metrics`, and sends the alerts
 * (docs/doctor.md#alerts). A check or a receiver that hangs does not delay the end of the process.
 */
export function doctorLoop(parts: DoctorParts): Loop {
  const { config, db, clock, log } = parts
  const stop = new AbortController()
  const send = createSender(config, stop.signal)
  let running: Promise<void> | undefined

  return {
    name: 'doctor',
    pollMs: POLL_MS,
    async turn() {
      running ??= run()
        .catch((error: unknown) => {
          if (!stop.signal.aborted)
            log.error({ err: error }, 'the examination of the instance failed and will be repeated')
        })
        .finally(() => (running = undefined))
      return { more: false, idle: true }
    },
    async drain() {
      stop.abort()
      await withTimeout(DRAIN_MS, running ?? Promise.resolve())
      send.close()
    },
  }

  async function run(): Promise<void> {
    const due = await claimRun(db, clock.now())
    if (due) {
      const findings = await examine(parts, { outside: due.outside })
      if (stop.signal.aborted) return
      await endRun(db, due, { findings, now: clock.now(), sends: config.alertTarget !== undefined })
    }
    if (config.alertTarget) await Promise.all((await claimAlerts(db, clock.now())).map(deliver))
  }

  async function deliver(alert: Alert): Promise<void> {
    const alertId = alert.id
    const fault = await send.attempt(alert, clock.now())
    if (stop.signal.aborted && fault !== undefined) return // its lease ends, and another node sends it
    if (fault === undefined) {
      await endAlert(db, alertId)
      log.info({ alertId, finding: alert.code, raised: alert.raised }, 'an alert was sent')
    } else if (await retryAlert(db, alert, clock.now()))
      log.warn(
        { alertId, finding: alert.code, tries: alert.tries, fault },
        'an alert could not be sent and will be tried again',
      )
    else
      log.error(
        { alertId, finding: alert.code, tries: alert.tries, fault },
        'an alert could not be sent and was given up',
      )
  }
}
