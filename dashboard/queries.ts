import { api } from './api.ts'
import type { AuditSearch } from './audit-log/search.ts'
import { type ChartSearch, choiceOf, rangeOf } from './charts/search.ts'
import type { ConfirmationSearch } from './confirmations/search.ts'
import type { LogSearch } from './endpoints/search.ts'
import type { MessageSearch } from './messages/search.ts'
import type { TemplateSearch } from './templates/search.ts'
import type { ListSearch } from './ui/list/list-search.ts'

/** The input of the lists of messages and confirmations: they ask for the rows before the one where the earlier page ended. */
export const listInput = <Search extends ListSearch>(workspaceId: string, { before, ...filter }: Search) => ({
  workspaceId,
  ...filter,
  ...(before && { cursor: before }),
})

type LogFilter = { [Name in 'status' | 'type' | 'about']?: LogSearch[Name] | undefined }
type Range = { from?: string | undefined; to?: string | undefined }

/** What each page shows first: its loader fetches it while the page's script loads, and the page keeps it fresh. */
export const pageQueries = {
  firstSteps: api.workspaces.firstSteps.queryOptions,
  attention: api.workspaces.attention.queryOptions,
  figures: api.charts.overview.queryOptions,
  phoneState: api.phone.state.queryOptions,
  choices: api.workspaces.choices.queryOptions,
  messages: (workspaceId: string, search: MessageSearch) =>
    api.messages.list.queryOptions(listInput(workspaceId, search)),
  message: api.messages.get.queryOptions,
  confirmations: (workspaceId: string, search: ConfirmationSearch) =>
    api.confirmations.list.queryOptions(listInput(workspaceId, search)),
  confirmation: api.confirmations.get.queryOptions,
  /** `search`: of the list that the reader came from. */
  neighbours: (workspaceId: string, confirmationId: string, search: ConfirmationSearch) => {
    const { before: _, ...filter } = search
    return api.confirmations.neighbours.queryOptions({ ...listInput(workspaceId, filter), confirmationId })
  },
  charts: (workspaceId: string, search: ChartSearch) =>
    api.charts.all.queryOptions({ workspaceId, range: rangeOf(search), ...choiceOf(search) }),
  accounts: api.senders.accounts.queryOptions,
  senders: api.senders.list.queryOptions,
  templates: (workspaceId: string, search: TemplateSearch) =>
    api.templates.list.infiniteQueryOptions(
      { workspaceId, ...search },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  template: api.templates.get.queryOptions,
  codSettings: api.codSettings.get.queryOptions,
  keys: api.keys.list.queryOptions,
  hooks: api.hooks.list.queryOptions,
  endpoints: api.endpoints.list.queryOptions,
  endpoint: api.endpoints.find.queryOptions,
  /** `from` and `to` are real instants. */
  deliveries: (
    ids: { workspaceId: string; endpointId: string },
    { status, type, about }: LogFilter,
    { from, to }: Range = {},
  ) =>
    api.endpoints.deliveries.infiniteQueryOptions(
      {
        ...ids,
        ...(status && { status }),
        ...(type && { type }),
        ...(about && { about }),
        ...(from && { from }),
        ...(to && { to }),
      },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  workspace: api.workspaces.get.queryOptions,
  usage: api.workspaces.usage.queryOptions,
  people: api.people.list.queryOptions,
  auditLog: (workspaceId: string, filter: Omit<AuditSearch, 'entry'>) =>
    api.auditLog.list.infiniteQueryOptions(
      { workspaceId, ...filter },
      { getNextPageParam: ({ next }) => next ?? undefined },
    ),
  system: api.system.examine.queryOptions,
}
