import { api, queryClient } from '../api.ts'

/** After a change of the workspace itself: the session has its name, too. */
export async function refreshWorkspace(workspaceId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: api.session.current.queryKey() }),
    queryClient.invalidateQueries({ queryKey: api.workspaces.get.queryKey({ workspaceId }) }),
  ])
}
