import { z } from 'zod'
import { asWritten } from '../../../locales/text.ts'
import { listFilter, listQuery } from '../../admin/lists.ts'
import { CONFIRMATION_STATUSES } from '../../cod/conversation/confirmation.ts'
import { REFUSAL_STATUSES } from '../../cod/conversation/refusal.ts'
import { listConfirmations } from '../../cod/list.ts'
import { findStoredSettings } from '../../cod/settings/settings-store.ts'
import { type Explanation, explain } from '../../explain/explain.ts'
import type { Parts } from '../../runtime/parts.ts'
import { isUuid, timeOfId } from '../../lib/ids.ts'
import { UserError } from '../../lib/errors.ts'
import type { Page } from '../../lib/lists/list-pages.ts'
import { MIN_PART_CHARACTERS } from '../../lib/lists/min-part-characters.ts'
import { listMessages } from '../../messages/search.ts'
import { MESSAGE_STATUSES } from '../../messages/status.ts'
import { hostOf } from '../../operations/doctor/setup.ts'
import { VERIFICATION_STATUSES } from '../../otp/verifications/decide.ts'
import { FAILURE_CODES } from '../../providers/failure-codes.ts'
import { findKeptSince } from '../../operations/lifecycle/retention/kept-since.ts'
import { findWorkspaceTime } from '../../workspaces/workspace-time.ts'
import { getWorkspace } from '../../workspaces/workspaces.ts'
import { health } from './health.ts'
import { settings } from './settings.ts'
import { type AgentContext, type Tool, sentence, shortened, tool } from './tool.ts'

/** The ends of a longer timeline are shown: how it began, and what happened last. */
const MAX_FIRST_ENTRIES = 20
const MAX_LAST_ENTRIES = 80
/** The newest ones. */
const MAX_WEBHOOKS = 50

/** Rows of a search, unless the input asks for fewer. */
const MAX_ROWS = 50
const DEFAULT_ROWS = 20

const idInput = z.strictObject({
  id: z
    .string()
    .max(100)
    .meta({ description: 'The id of a message, a verification, a confirmation or an event: a UUID.' }),
})

/** Throws UserError, in the same words for an id of another workspace. */
export async function explained({ operator, workspaceId }: AgentContext, id: string): Promise<Explanation> {
  const found = isUuid(id) ? await explain(operator, id.toLowerCase(), workspaceId) : undefined
  if (found) return found
  throw new UserError(asWritten(await missingText(operator, id)), 'NOT_FOUND')
}

async function missingText({ db }: Pick<Parts, 'db'>, id: string): Promise<string> {
  if (!isUuid(id))
    return 'This is not an id: ids are UUIDs. Search for the phone number or the reference with search_messages or search_confirmations.'
  const missing = `No message, verification, confirmation or event of this workspace has the id ${id.toLowerCase()}.`
  const { records } = await findKeptSince(db)
  return records !== null && timeOfId(id) < records
    ? `${missing} Records before ${records.toISOString()} were removed.`
    : `${missing} Search for its phone number or reference with search_messages or search_confirmations.`
}

const nextOf = ({ operator }: AgentContext, { failureCode, next }: Explanation) => ({
  failureCode,
  /** Explains the failure. */
  page: failureCode && `${operator.config.publicUrl}/problems/${failureCode}`,
  next: { who: next.who, sentence: sentence(next.sentence) },
})

/** Without the rest of a webhook's URL, which may hold a token. */
function timelineOf({ timeline, webhooks }: Explanation) {
  const urls = [...new Set(webhooks.map(({ url }) => url))].toSorted((one, other) => other.length - one.length)
  const entries = timeline.map(({ at, what, detail }) => ({
    at,
    what,
    detail: urls.reduce((text, url) => text.replaceAll(url, hostOf(url)), sentence(detail)),
  }))
  const leftOut = entries.length - MAX_FIRST_ENTRIES - MAX_LAST_ENTRIES
  if (leftOut <= 0) return { timeline: entries, leftOutOfTimeline: 0 }
  const shown = [...entries.slice(0, MAX_FIRST_ENTRIES), ...entries.slice(-MAX_LAST_ENTRIES)]
  return { timeline: shown, leftOutOfTimeline: leftOut }
}

const explainTool = tool({
  name: 'explain',
  title: 'Explain what happened',
  description:
    'Everything known about one message, verification, confirmation or event, in order: request, quota, attempts, WhatsApp’s reports, the customer’s answers, events and webhooks; then who must act next. Times are the workspace’s, UTC. It never contains the code of a message.',
  input: idInput,
  writes: false,
  async run(context, { id }) {
    const explanation = await explained(context, id)
    const { kind, messageId, confirmationId, status, webhooks } = explanation
    return {
      id: explanation.id,
      kind,
      messageId,
      confirmationId,
      status,
      ...timelineOf(explanation),
      webhooks: webhooks.slice(-MAX_WEBHOOKS).map(({ url, ...webhook }) => ({ ...webhook, host: hostOf(url) })),
      ...nextOf(context, explanation),
    }
  },
})

const nextAction = tool({
  name: 'next_action',
  title: 'Say who must act next',
  description:
    'The status of one message, verification, confirmation or event, who must act next (client: the shop’s backend; operator: who runs Doorcode; provider: WhatsApp; customer; none) and what to do. Shorter than explain.',
  input: idInput,
  writes: false,
  async run(context, { id }) {
    const explanation = await explained(context, id)
    const { kind, status } = explanation
    return { id: explanation.id, kind, status, ...nextOf(context, explanation) }
  },
})

const { text, from, to, cursor, template, senderId } = listFilter

const searchInput = {
  text: text.meta({
    description: `A phone number in any common form, the shop’s reference, an id, or a part of one of them of at least ${MIN_PART_CHARACTERS} characters. Empty: all, newest first.`,
  }),
  from: from.meta({ description: 'First day, such as 2026-11-24, in the time zone of the workspace’s deliveries.' }),
  to: to.meta({ description: 'Last day, included.' }),
  template: template.meta({ description: 'Exact name of a template.' }),
  senderId,
  cursor: cursor.meta({ description: '`nextCursor` of the page before.' }),
  limit: z.int().min(1).max(MAX_ROWS).default(DEFAULT_ROWS),
}

type Search = { text: string; cursor: string | null; from?: string | undefined; to?: string | undefined }

async function queryFor({ operator: { db, clock }, workspaceId }: AgentContext, search: Search) {
  const { sandbox } = await getWorkspace(db, workspaceId)
  const timeZone = (await findStoredSettings(db, workspaceId))?.settings.timeZone ?? 'UTC'
  const now = clock.now()
  const clockOffsetMs = (await findWorkspaceTime(db, workspaceId)).at(now).getTime() - now.getTime()
  return { workspaceId, ...(await listQuery(db, { timeZone, sandbox, clockOffsetMs }, { workspaceId, ...search })) }
}

/** `searchedBackTo`: older rows were not searched yet; the next page searches on. */
function resultOf<Row extends { id: string }>({ rows, next }: Page<Row>, limit: number) {
  // The cursor is an id, but the rows of a sandbox are in the order of their times.
  const ids = rows
    .map(({ id }) => id)
    .toSorted()
    .toReversed()
    .slice(0, limit)
  const isCut = ids.length < rows.length
  return {
    rows: rows.filter(({ id }) => ids.includes(id)),
    nextCursor: isCut ? (ids.at(-1) ?? null) : (next?.before ?? null),
    searchedBackTo: isCut ? null : (next?.searchedBackTo ?? null),
  }
}

const searchMessages = tool({
  name: 'search_messages',
  title: 'Search messages',
  description:
    'Messages of the workspace, newest first: one-time codes and the messages of confirmations, with status and failure code. Never with a code.',
  input: z.strictObject({
    ...searchInput,
    status: z.enum(MESSAGE_STATUSES).nullable().default(null),
    kind: z.enum(['otp', 'cod']).nullable().default(null),
    failureCode: z.enum(FAILURE_CODES).nullable().default(null),
    verification: z.enum(VERIFICATION_STATUSES).nullable().default(null),
  }),
  writes: false,
  async run(context, { limit, ...search }) {
    const { status, kind, failureCode, verification, template, senderId, ...query } = search
    const filter = { ...(await queryFor(context, query)), template, senderId, status, kind, failureCode, verification }
    return resultOf(await listMessages(context.figures, filter), limit)
  },
})

const searchConfirmations = tool({
  name: 'search_confirmations',
  title: 'Search confirmations',
  description:
    'Cash-on-delivery confirmations of the workspace, newest first, with the customer’s answer and the refusal check.',
  input: z.strictObject({
    ...searchInput,
    status: z.enum(CONFIRMATION_STATUSES).nullable().default(null),
    refusal: z
      .enum([...REFUSAL_STATUSES, 'none'])
      .nullable()
      .default(null),
  }),
  writes: false,
  async run(context, { status, refusal, template, senderId, limit, ...search }) {
    const filter = { ...(await queryFor(context, search)), template, senderId, status, refusal }
    const { rows, ...rest } = resultOf(await listConfirmations(context.figures, filter), limit)
    return {
      rows: rows.map((row) => ({ ...row, refusalReason: row.refusalReason && shortened(row.refusalReason) })),
      ...rest,
    }
  },
})

/** In the order in which agents see them. */
export const readingTools: readonly Tool[] = [
  explainTool,
  nextAction,
  searchMessages,
  searchConfirmations,
  health,
  settings,
]
