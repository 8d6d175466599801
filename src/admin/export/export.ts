import { finished } from 'node:stream'
import { TRPCError } from '@trpc/server'
import { getHTTPStatusCodeFromError } from '@trpc/server/http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { translatorOf } from '../../../locales/resources.ts'
import { LANGUAGES, type Translator, plainText } from '../../../locales/text.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/clock.ts'
import { isUuid } from '../../lib/ids.ts'
import type { Parts } from '../../runtime/parts.ts'
import { type KeptClass, findKeptSince, sinceBeginning } from '../../operations/lifecycle/retention/kept-since.ts'
import { findWorkspaceTime } from '../../workspaces/workspace-time.ts'
import { audit } from '../audit/audit.ts'
import { type Membership, findMembership } from '../auth/members.ts'
import type { Person } from '../auth/person.ts'
import { dashboardRouter } from '../router.ts'
import { CallError } from '../rpc/errors.ts'
import type { Context } from '../rpc/trpc.ts'
import { linesOf } from './lines.ts'
import type { Calls } from './list.ts'
import { findExportedList } from './lists.ts'
import { cutOff, forReader } from './reader.ts'

/** Each export has one query running at a time. */
const MAX_EXPORTS = 10
const MAX_EXPORTS_PER_WORKSPACE = 4
const MAX_EXPORTS_PER_USER = 2
/** A reader that is slower is cut off; its download fails visibly. A reader that takes almost nothing is cut off sooner (reader.ts). */
const MAX_EXPORT_MS = HOUR_MS
/** A person who signed out gets no more rows after this time. One who was removed gets none after the next page. */
const RECHECK_INTERVAL_MS = MINUTE_MS / 2

type ExportParts = Parts & {
  /** Also undefined for a request from another site. */
  findViewer: (request: FastifyRequest) => Promise<Person | undefined>
  contextOf: (person: Person | undefined, correlationId: string) => Context
}

type ExportRequest = { Params: { workspaceId: string; list: string }; Querystring: Record<string, unknown> }

/** Any list of the dashboard as a CSV file, read page by page through the calls of the pages, which check permissions. */
export function createExports({ db, clock, live, findViewer, contextOf }: ExportParts) {
  const open = new Set<{ userId: string; workspaceId: string; reply: FastifyReply }>()
  let ended = false

  /** Takes one of the places until the response is sent or the reader is gone. */
  function takePlace(userId: string, workspaceId: string, reply: FastifyReply): void {
    const ofUser = [...open].filter((each) => each.userId === userId)
    const ofWorkspace = [...open].filter((each) => each.workspaceId === workspaceId)
    if (
      ended ||
      open.size >= MAX_EXPORTS ||
      ofWorkspace.length >= MAX_EXPORTS_PER_WORKSPACE ||
      ofUser.length >= MAX_EXPORTS_PER_USER
    )
      throw new CallError('TOO_MANY_REQUESTS', { code: 'export.too_many' })
    const place = { userId, workspaceId, reply }
    open.add(place)
    const timer = setTimeout(() => cutOff(reply.raw), MAX_EXPORT_MS).unref()
    // Also called for a reader that left earlier, whose 'close' does not come again.
    finished(reply.raw, () => {
      clearTimeout(timer)
      open.delete(place)
    })
  }

  async function answer(request: FastifyRequest<ExportRequest>, reply: FastifyReply, translator: Translator) {
    const { workspaceId, list: name } = request.params
    const person = await findViewer(request)
    if (!person) throw new CallError('UNAUTHORIZED', { code: 'admin.signed_out' })
    const membership = isUuid(workspaceId) && (await findMembership(db, { userId: person.userId, workspaceId }))
    if (!membership) throw new CallError('NOT_FOUND', { code: 'admin.no_workspace' })
    const list = findExportedList(name)
    if (!list) throw new CallError('NOT_FOUND', { code: 'admin.not_known' })
    takePlace(person.userId, membership.workspaceId, reply)

    const filters = Object.fromEntries(list.filters.flatMap((each) => valueIn(request.query, each)))
    const time = await findWorkspaceTime(db, workspaceId)
    const calls = callsOf(request, person)
    const readPage = async (cursor: unknown) =>
      list.read(await calls(), { ...filters, workspaceId, ...(cursor !== null && { cursor }) }, time)
    const first = await readPage(null) // a fault in the filters or the permission is answered before anything is recorded
    const change = { action: 'list.exported' as const, target: name, after: filters }
    const actor = { userId: person.userId, who: person.email }
    await audit(db, { actor, at: clock.now() }, { workspaceId: workspaceOf(filters, membership), ...change })
    live.changed([workspaceId])

    const since = await findSince(name, workspaceId)
    const lines = linesOf({ columns: list.columns, first, readPage, timeZone: membership.timeZone, translator })
    return reply
      .headers({ ...HEADERS, 'content-disposition': `attachment; filename="${fileName(name, clock.now(), since)}"` })
      .send(forReader(lines, reply.raw))
  }

  /** For lists whose old rows are removed: earlier rows are gone. */
  async function findSince(name: string, workspaceId: string): Promise<Date | null> {
    const keptClass = HISTORIES[name]
    return keptClass ? sinceBeginning(workspaceId, await findKeptSince(db))[keptClass] : null
  }

  /** Returns the calls on behalf of the person, who must still be signed in. */
  function callsOf(request: FastifyRequest, person: Person): () => Promise<Calls> {
    const calls = dashboardRouter.createCaller(contextOf(person, request.id))
    let checkedAt = performance.now()
    return async () => {
      if (performance.now() - checkedAt < RECHECK_INTERVAL_MS) return calls
      if (!(await findViewer(request))) throw new CallError('UNAUTHORIZED', { code: 'admin.signed_out' })
      checkedAt = performance.now()
      return calls
    }
  }

  return {
    serve(scope: FastifyInstance): void {
      scope.get<ExportRequest>(
        '/dashboard/export/:workspaceId/:list',
        { exposeHeadRoute: false },
        async (request, reply) => {
          const language = LANGUAGES.find((each) => each === request.query['locale']) ?? 'en'
          const translator = translatorOf(language)
          try {
            return await answer(request, reply, translator)
          } catch (error) {
            if (!(error instanceof TRPCError)) throw error
            const text = error instanceof CallError ? error.text : plainText('admin.not_known')
            return reply
              .code(getHTTPStatusCodeFromError(error))
              .headers(ERROR_HEADERS)
              .send(`${translator.textOf(text)}\n`)
          }
        },
      )
    },
    /** Ends all exports, whose downloads then fail, and accepts no new ones. */
    end(): void {
      ended = true
      for (const { reply } of open) cutOff(reply.raw)
    },
  }
}

/** Lists whose old rows are removed, and with which class of data (docs/retention.md). */
const HISTORIES: Readonly<Record<string, KeptClass>> = {
  messages: 'records',
  confirmations: 'records',
  deliveries: 'records',
  'audit-log': 'audit',
}

const HEADERS = {
  'content-type': 'text/csv; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
const ERROR_HEADERS = { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' }

const valueIn = (query: Record<string, unknown>, name: string): [string, unknown][] =>
  query[name] === undefined || query[name] === '' ? [] : [[name, query[name]]]

/** An export of the instance's audit log belongs to the instance. */
const workspaceOf = (filters: Record<string, unknown>, { workspaceId }: Membership): string | null =>
  filters['of'] === 'instance' ? null : workspaceId

/** `since`: earlier rows were removed. */
const fileName = (list: string, at: Date, since: Date | null): string =>
  `${list}-${dayOf(at)}${since ? `-kept-since-${dayOf(since)}` : ''}.csv`

const dayOf = (at: Date): string => at.toISOString().slice(0, 10)
