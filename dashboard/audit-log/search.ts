/** What the log shows, in the page's address. */
export type AuditSearch = { of?: 'instance'; action?: string; who?: string }

const TEXT_MOST = 300

export function readAuditSearch(given: Record<string, unknown>): AuditSearch {
  const { of, action, who } = given
  return {
    ...(of === 'instance' && { of }),
    ...(isText(action) && { action }),
    ...(isText(who) && { who }),
  }
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= TEXT_MOST
