import { textIn } from '../ui/list/search-params.ts'

/** The filters, in the page's address. */
export type AuditSearch = { of?: 'instance'; action?: string; who?: string }

const MAX_TEXT = 300

export function readAuditSearch(raw: Record<string, unknown>): AuditSearch {
  const [action, who] = [textIn(raw['action'], MAX_TEXT), textIn(raw['who'], MAX_TEXT)]
  return { ...(raw['of'] === 'instance' && { of: 'instance' }), ...(action && { action }), ...(who && { who }) }
}
