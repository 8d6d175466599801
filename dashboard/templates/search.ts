import { type RouterOutputs, api } from '../api.ts'
import { textIn } from '../ui/list/search-params.ts'

export type ListedTemplate = RouterOutputs['templates']['list']['templates'][number]
export type Place = { accountId: string; name: string; language: string }
export type Use = 'otp' | 'confirmation' | 'refusal'

export const USES = ['otp', 'confirmation', 'refusal'] as const satisfies readonly Use[]
const FILTERS = [...USES, 'none'] as const

/** The filters, in the page's address: a shared link shows the same list. */
export type TemplateSearch = {
  use?: Use | 'none'
  status?: string
  language?: string
  search?: string
}

const MAX_TEXT = 200
const MAX_WORD = 100

/** Leaves out invalid values: an address can hold anything. */
export function readTemplateSearch(raw: Record<string, unknown>): TemplateSearch {
  const use = FILTERS.find((each) => each === raw['use'])
  const [status, language] = [textIn(raw['status'], MAX_WORD), textIn(raw['language'], MAX_WORD)]
  const search = textIn(raw['search'], MAX_TEXT)
  return { ...(use && { use }), ...(status && { status }), ...(language && { language }), ...(search && { search }) }
}

export const isFiltered = (search: TemplateSearch): boolean => Object.keys(search).length > 0

/** What a new template is for, in the address of its form. */
export const readNewTemplateSearch = (raw: Record<string, unknown>): { use?: Use } => {
  const use = USES.find((each) => each === raw['use'])
  return use ? { use } : {}
}

/** What the page asks for, and what is fetched ahead of it. */
export const templateList = (workspaceId: string, search: TemplateSearch) =>
  api.templates.list.infiniteQueryOptions(
    { workspaceId, ...search },
    { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
  )
