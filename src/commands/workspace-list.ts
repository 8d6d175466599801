import { type Workspace, listWorkspaces } from '../workspaces/workspaces.ts'
import { command } from './command.ts'

export const workspaceList = command({
  words: 'workspace list',
  summary: 'List the workspaces and their ids, oldest first.',
  run: async ({ db }) => ({ workspaces: await listWorkspaces(db) }),
  format: ({ workspaces }) =>
    workspaces.map(formatLine).join('\n') || 'There are no workspaces yet. Create one with "workspace create".',
})

const formatLine = ({ workspaceId, name, sandbox, createdAt }: Workspace): string =>
  `${workspaceId}  ${sandbox ? 'sandbox' : 'live   '}  ${createdAt.toISOString()}  ${name}`
