import type { Answers } from '../api.ts'
import { textIn } from '../ui/in-address.ts'

export type Listed = Answers['templates']['list']['templates'][number]
export type Place = { accountId: string; name: string; language: string }
export type Use = 'otp' | 'confirmation' | 'refusal'

export const USES = ['otp', 'confirmation', 'refusal'] as const satisfies readonly Use[]
const FILTERS = [...USES, 'none'] as const

/** What the list shows, in the page's address: who gets the link sees the same. */
export type TemplateSearch = {
  use?: Use | 'none'
  status?: string
  language?: string
  search?: string
}

const TEXT_MOST = 200
const WORD_MOST = 100

/** Whatever stands in an address: what makes no sense is left out. */
export function readTemplateSearch(given: Record<string, unknown>): TemplateSearch {
  const use = FILTERS.find((each) => each === given['use'])
  const [status, language] = [textIn(given['status'], WORD_MOST), textIn(given['language'], WORD_MOST)]
  const search = textIn(given['search'], TEXT_MOST)
  return { ...(use && { use }), ...(status && { status }), ...(language && { language }), ...(search && { search }) }
}

export const isFiltered = (search: TemplateSearch): boolean => Object.keys(search).length > 0

/** What a new template is for, in the address of its form. */
export const readNewTemplateSearch = (given: Record<string, unknown>): { use?: Use } => {
  const use = USES.find((each) => each === given['use'])
  return use ? { use } : {}
}
