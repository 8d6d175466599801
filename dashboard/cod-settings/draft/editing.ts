import { useCallback, useState } from 'react'
import type { RouterOutputs } from '../../api.ts'
import { type Draft, draftOf, isChanged } from './draft.ts'

export type Stored = NonNullable<RouterOutputs['codSettings']['get']['stored']>

/** The draft, and the version that it is based on; null when there was none. */
export type Editing = { draft: Draft; base: Stored | null }

export const editingOf = (stored: Stored): Editing => ({ draft: draftOf(stored.settings), base: stored })

export const isUnsaved = ({ draft, base }: Editing): boolean => !base || isChanged(draft, draftOf(base.settings))

/** Unsaved input by workspace. A language switch rebuilds the page and must not lose it. */
const unsaved = new Map<string, Editing>()

/** Undefined if no settings are stored and there is no draft. */
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
