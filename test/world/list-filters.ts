import type { MessageFilter } from '../../src/messages/search.ts'

/** What both lists filter by, and here leave nothing out. */
export const everything = (workspaceId: string) => ({
  workspaceId,
  search: null,
  status: null,
  template: null,
  senderId: null,
  from: null,
  until: null,
  clock: { sandbox: false, offsetMs: 0 },
  before: null,
})

export const everyMessage = (workspaceId: string): MessageFilter => ({
  ...everything(workspaceId),
  kind: null,
  failureCode: null,
  verification: null,
})
