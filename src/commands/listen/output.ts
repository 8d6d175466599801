import { inEnglish } from '../../../locales/resources.ts'
import { visibleText } from '../../../locales/visible-text.ts'
import type { PostResult } from '../../webhooks/delivery/post.ts'
import type { ReadEvent } from './instance.ts'

/** The event with which `listen` begins. */
export type Start = { from: 'now' } | { from: 'start' } | { from: 'event'; id: string }

type ForwardResult = Pick<PostResult, 'httpStatus' | 'error'> & { durationMs: number }

/** What `listen` prints: a line of text for each call, or with --json one object. */
export type Output = {
  listening(what: { url: string; forward: string; start: Start }): void
  forwarded(event: ReadEvent, result: ForwardResult): void
  /** One side is down. */
  waiting(side: 'instance' | 'receiver', reason: string): void
  resumed(side: 'instance' | 'receiver'): void
  /** `position` is the last event that was forwarded; undefined before the first event. */
  stopped(position: string | undefined): void
}

type Options = {
  print: (line: string) => void
  /** Null if the user gave it. */
  generatedSecret: string | null
  /** The command that continues after an event, or from the start. */
  continueCommand: (position: string | undefined) => string
}

const SINCE: Record<Start['from'], string> = {
  now: 'new events only',
  start: 'from the oldest event that is kept',
  event: 'from the event after the given one',
}

export const textOutput = ({ print, generatedSecret, continueCommand }: Options): Output => ({
  listening({ url, forward, start }) {
    print(`Forwarding the events of ${url} to ${forward}: ${SINCE[start.from]}. Press Ctrl-C to stop.`)
    if (generatedSecret !== null) print(`Until then, verify webhooks with this secret: ${generatedSecret}`)
  },
  forwarded({ timestamp, type, id }, { httpStatus, error, durationMs }) {
    const answer = [httpStatus ?? '', error && inEnglish(error)].filter(Boolean).join(' ')
    print(visibleText(`${timestamp}  ${type.padEnd(TYPE_WIDTH)}  ${id}  ${answer}  ${durationMs} ms`))
  },
  waiting: (side, reason) => print(visibleText(`${reason} ${WAITING[side]}`)),
  resumed: (side) => print(side === 'receiver' ? 'The receiver responds again.' : 'The instance responds again.'),
  stopped: (position) => print(`Stopped. To continue from here:\n${continueCommand(position)}`),
})

const TYPE_WIDTH = 'cod.reschedule_requested'.length

const WAITING = { instance: 'Trying again…', receiver: 'Is it running? Events wait. Trying again…' }

export const jsonOutput = ({ print, generatedSecret, continueCommand }: Options): Output => {
  const line = (object: object): void => print(JSON.stringify(object))
  return {
    listening: ({ url, forward, start }) =>
      line({ kind: 'listening', url, forward, ...start, secret: generatedSecret }),
    forwarded: ({ id, type, timestamp }, { httpStatus, error, durationMs }) =>
      line({ kind: 'forwarded', id, type, timestamp, httpStatus, durationMs, error: error && inEnglish(error) }),
    waiting: (side, reason) => line({ kind: 'waiting', for: side, reason }),
    resumed: (side) => line({ kind: 'resumed', for: side }),
    stopped: (position) =>
      line({ kind: 'stopped', after: position ?? null, continueCommand: continueCommand(position) }),
  }
}
