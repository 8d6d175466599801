import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type Answers, api } from '../api.ts'

export type Session = NonNullable<Answers['session']['current']>
export type Workspace = Session['workspaces'][number]

export function useSession(): Session {
  const { data } = useSuspenseQuery(api.session.current.queryOptions())
  if (!data) throw new Error('nobody is signed in')
  return data
}

/** The workspace that the page's path names. Undefined: it is missing, or not this person's. */
export function useWorkspaceIfAny(): Workspace | undefined {
  const { workspaceId } = useParams({ strict: false })
  return useSession().workspaces.find((each) => each.workspaceId === workspaceId)
}

/** For pages inside the shell, which shows none of them without a workspace. */
export function useWorkspace(): Workspace {
  const workspace = useWorkspaceIfAny()
  if (!workspace) throw new Error('the page is outside a workspace')
  return workspace
}

/** Whether this person may do what takes the role. What the server refuses, no page offers. */
export function useMay(): { change: boolean; own: boolean } {
  const { role } = useWorkspace()
  return { change: role !== 'member', own: role === 'owner' }
}
