import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND_MS } from '../../lib/clock.ts'
import { inEnglish } from '../../../locales/resources.ts'
import { asWritten } from '../../../locales/text.ts'
import { UserError } from '../../lib/errors.ts'
import { type PostResult, post, webhookAgent } from '../../webhooks/delivery/post.ts'
import { sign } from '../../webhooks/delivery/sign.ts'
import { type Instance, type ReadEvent, type ReadPage, RetryableError } from './instance.ts'
import type { Output, Start } from './output.ts'

/** Shorter than the timeouts of common proxies. */
const WAIT_SECONDS = 25
const FIRST_RETRY_MS = SECOND_MS / 2
const MAX_RETRY_MS = 10 * SECOND_MS
/** A rate limit normally ends within a second. It is shown from this pause on: other requests of the key then keep reaching it. */
const SHOWN_RATE_LIMIT_MS = 4 * FIRST_RETRY_MS
const MAX_FIRST_TRIES = 10

type ListenOptions = { instance: Instance; forward: string; secret: string; start: Start; output: Output }

/**
 * Forwards events one at a time, in the order in which they are read, until `end` aborts. While one of the two sides is
 * down, it waits and keeps its position. An error answer is shown, and the next event follows.
 */
export async function listen(options: ListenOptions, end: AbortSignal): Promise<void> {
  const { instance, forward, output, start } = options
  const agent = webhookAgent({ allowPrivate: true })
  let position = start.from === 'event' ? start.id : undefined
  try {
    let page = await readFirst(instance, start, end)
    if (start.from === 'now') position = page.next ?? undefined
    output.listening({ url: instance.url, forward, start })
    try {
      for (;;) {
        for (const event of page.events) {
          await forwardOne(event)
          position = event.id
        }
        page = await readNext()
      }
    } finally {
      output.stopped(position)
    }
  } catch (error) {
    if (!end.aborted) throw error
  } finally {
    agent.destroy()
  }

  async function readNext(): Promise<ReadPage> {
    try {
      return await untilUp('instance', () => instance.read({ after: position, waitSeconds: WAIT_SECONDS }, end))
    } catch (error) {
      if (error instanceof UserError && error.code === 'EVENT_NOT_FOUND') position = undefined // nothing can be read after it
      throw error
    }
  }

  async function forwardOne({ id, ...envelope }: ReadEvent): Promise<void> {
    const body = JSON.stringify(envelope)
    const { startedAt, ...result } = await untilUp('receiver', async () => {
      const [at, startedAt] = [new Date(), performance.now()]
      const headers = sign({ id, at, body }, [options.secret])
      const result = await post(agent, { url: forward, headers, body }, end)
      const fault = faultOf(result)
      if (fault !== undefined) throw new RetryableError(`${forward} cannot be reached. ${fault}`)
      return { ...result, startedAt }
    })
    output.forwarded({ id, ...envelope }, { ...result, durationMs: Math.round(performance.now() - startedAt) })
  }

  /** Repeats with growing pauses. Says once why it waits, and when the wait is over. */
  async function untilUp<Result>(side: 'instance' | 'receiver', attempt: () => Promise<Result>): Promise<Result> {
    let shown: string | undefined
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)) {
      end.throwIfAborted()
      try {
        const result = await attempt()
        if (shown !== undefined) output.resumed(side)
        return result
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error
        const isBrief = error.isRateLimit && retryMs < SHOWN_RATE_LIMIT_MS
        if (!isBrief && shown !== error.message) output.waiting(side, (shown = error.message))
      }
      await sleep(retryMs, undefined, { signal: end })
    }
  }
}

const FIX = {
  address: 'Check --url, and check that Doorcode runs there with the role api.',
  limit: 'Other requests use up the rate limit of this key. Use another key of the workspace.',
}

/** Only the user can fix what is wrong at the start. */
async function readFirst(instance: Instance, start: Start, end: AbortSignal): Promise<ReadPage> {
  const after = { now: 'latest', start: undefined, event: start.from === 'event' ? start.id : undefined }[start.from]
  for (let tries = 1; ; tries += 1) {
    try {
      return await instance.read({ after, waitSeconds: 0 }, end)
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error
      if (!error.isRateLimit || tries === MAX_FIRST_TRIES)
        throw new UserError(
          asWritten(`${error.message} ${FIX[error.isRateLimit ? 'limit' : 'address']}`),
          'SERVICE_UNAVAILABLE',
        )
      await sleep(SECOND_MS, undefined, { signal: end })
    }
  }
}

/** Why the receiver is down. A receiver that takes too long has the event: it may be stopped in a debugger. */
function faultOf({ httpStatus, error }: PostResult): string | undefined {
  if (httpStatus !== null || error === null || error.code === 'webhooks.took_too_long') return undefined
  return inEnglish(error)
}
