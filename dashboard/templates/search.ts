import type { RouterOutputs } from '../api.ts'
import { oneOf, searchReader, textUpTo } from '../ui/list/list-search.ts'

export type ListedTemplate = RouterOutputs['templates']['list']['templates'][number]
export type Use = (typeof USES)[number]

export const USES = ['otp', 'confirmation', 'refusal'] as const

/** The filters, in the page's address: a shared link shows the same list. */
export const readTemplateSearch = searchReader({
  use: oneOf([...USES, 'none']),
  status: textUpTo(100),
  language: textUpTo(100),
  search: textUpTo(200),
})

export type TemplateSearch = ReturnType<typeof readTemplateSearch>

export const isFiltered = (search: TemplateSearch): boolean => Object.keys(search).length > 0

/** What a new template is for, in the address of its form. */
export const readNewTemplateSearch = searchReader({ use: oneOf(USES) })
