import { obstacleText } from '../../accounts/availability.ts'
import { listAccounts } from '../../accounts/accounts.ts'
import { listSenders } from '../../accounts/senders.ts'
import { listStoppedTemplates } from '../../accounts/templates/stored.ts'
import { DAY_MS, later } from '../../lib/clock.ts'
import { batchReads } from '../../lib/db/workspace-batch.ts'
import type { Sql } from '../../lib/db/pool.ts'
import type { Seal } from '../../lib/seal.ts'
import { listUnreadableHooks } from '../../otp/hooks/hooks.ts'
import { findGuessing } from '../../otp/verifications/check-counts.ts'
import { listPumpedPrefixes } from '../../otp/verifications/pumped.ts'
import { listEndpoints, listUnreadableEndpoints } from '../../webhooks/endpoints.ts'
import { listUsedUp, usedUpText } from '../../workspaces/quota.ts'
import { findWorkspaceTime } from '../../workspaces/workspace-time.ts'
import { type Workspace, listWorkspaces } from '../../workspaces/workspaces.ts'
import { type Attention, attentionItems } from './attention.ts'
import { listDeletedInUse } from './deleted-templates.ts'
import { type NewFinding, durationText } from './finding.ts'

const MAX_WORKSPACES = 500

/** A template that was used in this time is in use. */
const IN_USE_MS = 30 * DAY_MS

/** Live workspaces only: a fault in a developer's sandbox must not alert an operator. `leftOut`: how many there are beyond MAX_WORKSPACES. */
export async function listExamined(sql: Sql): Promise<{ live: Workspace[]; leftOut: number }> {
  const live = (await listWorkspaces(sql)).filter(({ sandbox }) => !sandbox)
  return { live: live.slice(0, MAX_WORKSPACES), leftOut: Math.max(0, live.length - MAX_WORKSPACES) }
}

/** What `find` finds in all workspaces, in their order. Its reads are batched. */
export async function findInEach<Found>(
  sql: Sql,
  workspaces: readonly Workspace[],
  find: (batched: Sql, workspace: Workspace) => Promise<Found[]>,
): Promise<Found[]> {
  const batched = batchReads(sql)
  return (await Promise.all(workspaces.map((workspace) => find(batched, workspace)))).flat()
}

/** `seal`: undefined if it could not be opened, which another check reports. */
type Examiner = { seal: Seal | undefined; now: Date }

/** Accounts, numbers, templates, endpoints and auth hooks of live workspaces, as they are stored. */
export async function findSetupProblems(sql: Sql, examiner: Examiner): Promise<NewFinding[]> {
  const { live, leftOut } = await listExamined(sql)
  const found = await findInEach(sql, live, (batched, workspace) => findSetupProblemsOf(batched, workspace, examiner))
  if (leftOut > 0) found.push({ code: 'workspaces_left_out', number: leftOut })
  return found
}

export type ExaminedWorkspace = Pick<Workspace, 'workspaceId' | 'name'>

/** The same, of one workspace, which may be a sandbox. */
export async function findSetupProblemsOf(
  sql: Sql,
  { workspaceId, name: workspace }: ExaminedWorkspace,
  { seal, now }: Examiner,
): Promise<NewFinding[]> {
  const [accounts, senders, templates, endpoints, pumped, guessing] = await Promise.all([
    listAccounts(sql, workspaceId),
    listSenders(sql, workspaceId),
    listStoppedTemplates(sql, workspaceId),
    listEndpoints(sql, workspaceId),
    listPumpedPrefixes(sql, workspaceId, now),
    findGuessing(sql, workspaceId, now),
  ])
  const unreadable = seal ? await listUnreadableEndpoints(sql, { seal, workspaceId }) : []
  const unknown = { usage: [], keys: [], quarantined: 0 } // not needed here, or part of another check
  const readable = endpoints.filter(({ endpointId }) => !unreadable.includes(endpointId))
  const items = attentionItems({ accounts, senders, templates, endpoints: readable, pumped, guessing, ...unknown, now })
  const found = items.flatMap((item) => foundIn(item, { workspaceId, workspace, now }))
  for (const { wabaId, status, statusDetail: detail } of accounts)
    if (status === 'connected' && detail) found.push({ code: 'account_sync_failed', workspace, wabaId, detail })
  for (const { phoneNumber: phone, quality, obstacle } of senders)
    if (obstacle === null && quality === 'RED') found.push({ code: 'sender_quality', workspace, phone })
  for (const { endpointId, url } of endpoints)
    if (unreadable.includes(endpointId))
      found.push({ code: 'endpoint_secret_unreadable', workspace, host: hostOf(url), endpointId })
  for (const { hookId, name } of seal ? await listUnreadableHooks(sql, { seal, workspaceId }) : [])
    found.push({ code: 'hook_secret_unreadable', workspace, name, hookId })
  for (const deleted of await listDeletedInUse(sql, workspaceId, { since: later(now, -IN_USE_MS), now }))
    found.push({ code: 'template_deleted', workspace, ...deleted })
  const shown = (await findWorkspaceTime(sql, workspaceId)).at(now)
  for (const quota of await listUsedUp(sql, workspaceId, shown))
    found.push({ code: 'quota_used_up', workspace, workspaceId, detail: usedUpText(quota, shown) })
  return found
}

type Place = { workspaceId: string; workspace: string; now: Date }

function foundIn(item: Attention, { workspaceId, workspace, now }: Place): NewFinding[] {
  switch (item.about) {
    case 'account': {
      const code = item.status === 'credentials_invalid' ? 'account_rejected' : 'account_unreadable'
      return [{ code, workspace, wabaId: item.wabaId }]
    }
    case 'sender': {
      const code = item.obstacle === 'paused' ? 'sender_paused' : 'sender_unusable'
      return [{ code, workspace, phone: item.phoneNumber, reason: obstacleText(item.obstacle, item.status) }]
    }
    case 'template': {
      const { accountId, name, language, status } = item
      const template = { workspace, name, language, workspaceId, accountId } // the ids lead to its page
      if (status === 'DISABLED') return [{ code: 'template_disabled', ...template }]
      return [{ code: 'template_stopped', status, ...template }]
    }
    case 'endpoint': {
      const code = item.state === 'disabled' ? 'endpoint_disabled' : 'endpoint_failing'
      const duration = durationText(now.getTime() - item.since.getTime())
      return [{ code, workspace, host: hostOf(item.url), endpointId: item.endpointId, duration }]
    }
    case 'pumping': {
      const { prefix, started, approved } = item
      return [{ code: 'verifications_pumped', workspace, prefix, started, approved }]
    }
    case 'guessing':
      return [{ code: 'verifications_guessed', workspace, right: item.right, wrong: item.wrong }]
    case 'key':
    case 'quarantine':
    case 'quota':
      return [] // not part of this check
  }
}

/** The rest of the URL may hold a token. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '')
