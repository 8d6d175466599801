import type { FastifyInstance, FastifyReply } from 'fastify'
import { SECOND_MS } from '../clock.ts'
import type { Parts } from '../parts.ts'
import { type Sentence, asWritten } from '../sentences.ts'
import { throttled } from '../throttled.ts'
import { type Admitted, type FindViewer, admit, openViewers } from './viewers.ts'

export const LIVE_PATH = '/dashboard/live'

/** One per page that somebody looks at; pages out of sight have none. */
const STREAMS = {
  most: 500,
  ofPersonMost: 20,
  unreadBytesMost: 16_384,
  heartbeatEveryMs: 20 * SECOND_MS,
}
/** At most one word in this time on each stream. */
const WORD_EVERY_MS = 400

/** Streams of server-sent events that tell pages to ask again. They say that something changed, never what. */
export type LiveStreams = {
  serve(scope: FastifyInstance): void
  /** No stream is left, and none begins any more. */
  end(): void
}

export type LiveOptions = {
  findViewer: FindViewer
  /** For tests: how often it looks whether each viewer may still see. */
  lookEveryMs?: number
}

export function liveStreams(
  { db, live, log }: Pick<Parts, 'db' | 'live' | 'log'>,
  { findViewer, lookEveryMs }: LiveOptions,
): LiveStreams {
  const viewers = openViewers({ db, log }, { ...STREAMS, lookEveryMs })

  const start = ({ viewer, membership: { workspaceId } }: Admitted, reply: FastifyReply): void => {
    const words = throttled(
      () => void stream.write('event: changed\ndata:\n\n'),
      () => WORD_EVERY_MS,
    )
    const unfollow = live.follow(workspaceId, words.call)
    const stream = viewers.begin({ ...viewer, workspaceId }, reply, () => {
      unfollow()
      words.end()
    })
    stream.write('event: ready\ndata:\n\n')
  }
  return {
    serve(scope) {
      scope.get<{ Params: { workspaceId: string } }>(`${LIVE_PATH}/:workspaceId`, async (request, reply) => {
        const admitted = await admit({ db, findViewer }, request, reply)
        if ('why' in admitted) return refuse(reply, admitted)
        if (viewers.isFull(admitted.viewer)) return refuse(reply, TOO_MANY)
        if (!reply.raw.destroyed) start(admitted, reply)
        return reply
      })
    },
    end: viewers.end,
  }
}

/** Nobody reads it: the page shows that it does not follow. */
const TOO_MANY = { status: 503, why: asWritten('Too many pages are open; close some.') }

const refuse = (reply: FastifyReply, { status, why }: { status: number; why: Sentence }): FastifyReply =>
  reply.code(status).type('text/plain; charset=utf-8').send(why.en)
