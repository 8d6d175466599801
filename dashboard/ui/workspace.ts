import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { createContext, useContext } from 'react'
import { type RouterOutputs, api } from '../api.ts'

type Session = NonNullable<RouterOutputs['session']['current']>
export type Workspace = Session['workspaces'][number]

/** The session ended while a page was open: `PageFault` leads to the sign-in page. */
export class SignedOut extends Error {}

export function useSession(): Session {
  const { data } = useSuspenseQuery(api.session.current.queryOptions())
  if (!data) throw new SignedOut('no one is signed in')
  return data
}

/** For the shell: the workspace that the page's path names. Returns undefined if it is missing or this person may not see it. */
export function useWorkspaceOfPath(): Workspace | undefined {
  const { workspaceId = '' } = useParams({ strict: false })
  const listed = useSession().workspaces.find((each) => each.workspaceId === workspaceId)
  const { data } = useQuery({ ...api.session.workspace.queryOptions({ workspaceId }), enabled: listed === undefined })
  return listed ?? data ?? undefined
}

/** Every time value in a list needs the workspace, and without this context each would observe the session. */
export const WorkspaceContext = createContext<Workspace | undefined>(undefined)

export const useWorkspaceIfAny = (): Workspace | undefined => useContext(WorkspaceContext)

/** For pages inside the shell, which shows them only with a workspace. */
export function useWorkspace(): Workspace {
  const workspace = useWorkspaceIfAny()
  if (!workspace) throw new Error('the page is outside a workspace')
  return workspace
}

/** Whether this person has the role for an action. No page offers an action that the server would reject. */
export function usePermissions(): { change: boolean; own: boolean } {
  const { role } = useWorkspace()
  return { change: role !== 'member', own: role === 'owner' }
}
