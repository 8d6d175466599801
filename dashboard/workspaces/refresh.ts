import { api, queryClient } from '../api.ts'

/** Refreshes the session too, which has the workspace's name. */
export async function refreshWorkspace(workspaceId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: api.session.current.queryKey() }),
    queryClient.invalidateQueries({ queryKey: api.workspaces.get.queryKey({ workspaceId }) }),
  ])
}
