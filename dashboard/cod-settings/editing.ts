import { useCallback, useState } from 'react'
import type { Answers } from '../api.ts'
import { type Draft, draftOf, isChanged } from './draft.ts'

export type Stored = NonNullable<Answers['codSettings']['get']['stored']>

/** What is being written, and the version that it was made from; null when there was none. */
export type Editing = { draft: Draft; base: Stored | null }

export const editingOf = (stored: Stored): Editing => ({ draft: draftOf(stored.settings), base: stored })

export const isUnsaved = ({ draft, base }: Editing): boolean => !base || isChanged(draft, draftOf(base.settings))

/** By workspace. Changing the language of the page builds it anew, and must not lose what was typed. */
const unsaved = new Map<string, Editing>()

/** Undefined: there is nothing stored, and nothing was begun. */
export function useEditing(
  workspaceId: string,
  stored: Stored | null,
): [Editing | undefined, (editing: Editing | undefined) => void] {
  const [editing, setEditing] = useState<Editing | undefined>(
    () => unsaved.get(workspaceId) ?? (stored ? editingOf(stored) : undefined),
  )
  const keep = useCallback(
    (next: Editing | undefined) => {
      if (next && isUnsaved(next)) unsaved.set(workspaceId, next)
      else unsaved.delete(workspaceId)
      setEditing(next)
    },
    [workspaceId],
  )
  return [editing, keep]
}
