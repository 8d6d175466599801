import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { MIN_PART_CHARACTERS } from '../../../src/lib/lists/min-part-characters.ts'
import { type RouterOutputs, api } from '../../api.ts'
import { slowPolling } from '../shell/refetch.ts'

const SEARCH_PAUSE_MS = 200

export type SearchResults = RouterOutputs['search']['all']

/** What the workspace has that matches the text. Pending while the answer belongs to an earlier text. */
export function useSearchResults(
  workspaceId: string,
  query: string,
): { found: SearchResults | undefined; isPending: boolean } {
  const [text] = useDebouncedValue(query, SEARCH_PAUSE_MS)
  const enabled = text.length >= MIN_PART_CHARACTERS && query.length >= MIN_PART_CHARACTERS
  const { data, isLoading, isPlaceholderData } = useQuery({
    ...api.search.all.queryOptions({ workspaceId, text }),
    enabled,
    placeholderData: keepPreviousData,
    ...slowPolling,
  })
  const isPending = query.length >= MIN_PART_CHARACTERS && (isLoading || isPlaceholderData || text !== query)
  return { found: enabled ? data : undefined, isPending }
}
