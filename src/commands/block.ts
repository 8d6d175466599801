import { blockActions } from '../admin/actions/blocked.ts'
import {
  type BlockedCursor,
  type BlockedPage,
  type ListedBlock,
  countBlocked,
  listBlocked,
} from '../workspaces/blocked.ts'
import { act, columns, command } from './command.ts'
import { phone, workspace } from './inputs.ts'

const options = { workspace, phone: phone('The phone number of the recipient, such as +212612345678.') }

const blockAdd = command({
  words: 'block add',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --phone +212612345678',
  summary: 'Reject every request for a message to a recipient.',
  options,
  async run(operator, { workspace: workspaceId, phone }) {
    const { added: changed } = await act(blockActions.add, operator, { workspaceId, phone, reason: null })
    return { workspaceId, phone, blocked: true, changed }
  },
  format: ({ phone, changed }) => `${phone} is ${changed ? 'now' : 'already'} blocked.`,
})

const blockRemove = command({
  words: 'block remove',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --phone +212612345678',
  summary: 'Allow messages to a blocked recipient again.',
  options,
  async run(operator, { workspace: workspaceId, phone }) {
    const changed = await act(blockActions.remove, operator, { workspaceId, phone })
    return { workspaceId, phone, blocked: false, changed }
  },
  format: ({ phone, changed }) => (changed ? `${phone} is no longer blocked.` : `${phone} was not blocked.`),
})

const MAX_LISTED = 1_000

const blockList = command({
  words: 'block list',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: `List the latest ${MAX_LISTED} blocked recipients of a workspace.`,
  options: { workspace },
  async run({ db }, { workspace: workspaceId }) {
    const blocked: ListedBlock[] = []
    let after: BlockedCursor | null = null
    do {
      const page: BlockedPage = await listBlocked(db, { workspaceId, order: 'latest', after, search: null })
      blocked.push(...page.rows)
      after = page.next
    } while (after && blocked.length < MAX_LISTED)
    return { workspaceId, blocked, total: await countBlocked(db, { workspaceId, search: null }) }
  },
  format({ blocked, total }) {
    const rows = blocked.map(({ phone, blockedAt, blockedBy, reason }) => [
      phone,
      blockedAt.toISOString(),
      blockedBy ?? '',
      reason ?? '',
    ])
    const table = columns(['NUMBER', 'BLOCKED', 'BY', 'REASON'], rows) ?? 'No recipient is blocked.'
    return total > blocked.length ? `${table}\n${total - blocked.length} more are not listed.` : table
  },
})

export const blockCommands = [blockAdd, blockList, blockRemove]
