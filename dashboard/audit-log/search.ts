import { textIn } from '../ui/in-address.ts'

/** What the log shows, in the page's address. */
export type AuditSearch = { of?: 'instance'; action?: string; who?: string }

const TEXT_MOST = 300

export function readAuditSearch(given: Record<string, unknown>): AuditSearch {
  const [action, who] = [textIn(given['action'], TEXT_MOST), textIn(given['who'], TEXT_MOST)]
  return { ...(given['of'] === 'instance' && { of: 'instance' }), ...(action && { action }), ...(who && { who }) }
}
