import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { api, queryClient } from './api.ts'
import { auditList, readAuditSearch } from './audit-log/search.ts'
import { listInput as ordersInput, readConfirmationSearch } from './confirmations/search.ts'
import { deliveryList, readLogSearch } from './endpoints/deliveries/search.ts'
import { listInput, readMessageSearch } from './messages/search.ts'
import { readReturn } from './session/return.ts'
import { readNewTemplateSearch, readTemplateSearch, templateList } from './templates/search.ts'
import { loadPlot } from './charts/plot.tsx'
import { chartInput, readChartSearch } from './charts/search.ts'
import { readCodSettingsSearch } from './cod-settings/search.ts'
import { loadContent } from './overview/content.ts'
import { withTexts } from './texts/load.ts'
import { NotFound } from './ui/shell/not-found.tsx'
import { PageFault } from './ui/shell/page-fault.tsx'
import { readPhoneSearch } from './phone/search.ts'
import { Shell } from './ui/shell/shell.tsx'

/**
 * Every page, its path and its file. Search parameters of a list are what its page validates. A loader fetches what the page
 * shows while its script loads, and already when the pointer rests on its link.
 */
const root = createRootRoute({
  notFoundComponent: lazyRouteComponent(() => import('./session/unknown-page.tsx'), 'UnknownPage'),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: readReturn,
  component: lazyRouteComponent(() => import('./session/sign-in.tsx'), 'SignIn'),
})

/** Where a one-time link leads; its token is in the fragment. */
const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./session/welcome.tsx'), 'Welcome'),
})

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  async beforeLoad() {
    const session = await queryClient.ensureQueryData(api.session.current.queryOptions())
    if (!session) throw redirect({ to: '/sign-in' })
    const first = session.workspaces[0]
    if (!first) throw redirect({ to: '/new-workspace' })
    throw redirect({ to: '/w/$workspaceId/overview', params: { workspaceId: first.workspaceId } })
  },
})

const workspace = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspaceId',
  async beforeLoad({ location }) {
    const session = await queryClient.ensureQueryData(api.session.current.queryOptions())
    if (!session) throw redirect({ to: '/sign-in', search: { back: location.href } })
  },
  component: Shell,
  notFoundComponent: NotFound,
})

const overview = createRoute({
  getParentRoute: () => workspace,
  path: '/overview',
  loader({ params: { workspaceId } }) {
    return waitBriefly(
      // A failed call shows its error on the page, which calls again.
      queryClient.fetchQuery(api.workspaces.firstSteps.queryOptions({ workspaceId })).then(loadContent, () => {}),
      queryClient.prefetchQuery(api.workspaces.attention.queryOptions({ workspaceId })),
      queryClient.prefetchQuery(api.charts.overview.queryOptions({ workspaceId })),
    )
  },
  component: lazyRouteComponent(() => import('./overview/overview.tsx'), 'Overview'),
})

const messages = createRoute({
  getParentRoute: () => workspace,
  path: '/messages',
  validateSearch: readMessageSearch,
  loaderDeps: ({ search }) => search,
  loader({ params: { workspaceId }, deps }) {
    return waitBriefly(queryClient.prefetchQuery(api.messages.list.queryOptions(listInput(workspaceId, deps))))
  },
  component: lazyRouteComponent(
    withTexts(() => import('./messages/messages.tsx')),
    'Messages',
  ),
})

const message = createRoute({
  getParentRoute: () => workspace,
  path: '/messages/$messageId',
  loader({ params }) {
    return waitBriefly(queryClient.prefetchQuery(api.messages.get.queryOptions(params)))
  },
  component: lazyRouteComponent(
    withTexts(() => import('./messages/message.tsx')),
    'Message',
  ),
})

const confirmations = createRoute({
  getParentRoute: () => workspace,
  path: '/confirmations',
  validateSearch: readConfirmationSearch,
  loaderDeps: ({ search }) => search,
  loader({ params: { workspaceId }, deps }) {
    return waitBriefly(queryClient.prefetchQuery(api.confirmations.list.queryOptions(ordersInput(workspaceId, deps))))
  },
  component: lazyRouteComponent(
    withTexts(() => import('./confirmations/confirmations.tsx')),
    'Confirmations',
  ),
})

const confirmation = createRoute({
  getParentRoute: () => workspace,
  path: '/confirmations/$confirmationId',
  loader({ params }) {
    return waitBriefly(queryClient.prefetchQuery(api.confirmations.get.queryOptions(params)))
  },
  component: lazyRouteComponent(
    withTexts(() => import('./confirmations/confirmation.tsx')),
    'Confirmation',
  ),
})

const charts = createRoute({
  getParentRoute: () => workspace,
  path: '/charts',
  validateSearch: readChartSearch,
  loaderDeps: ({ search }) => search,
  loader({ params: { workspaceId }, deps }) {
    return waitBriefly(
      queryClient.prefetchQuery(api.charts.all.queryOptions(chartInput(workspaceId, deps))),
      loadPlot(),
    )
  },
  component: lazyRouteComponent(
    withTexts(() => import('./charts/charts.tsx')),
    'Charts',
  ),
})

const phone = createRoute({
  getParentRoute: () => workspace,
  path: '/phone',
  validateSearch: readPhoneSearch,
  component: lazyRouteComponent(
    withTexts(() => import('./phone/phone.tsx')),
    'Phone',
  ),
})

const senders = createRoute({
  getParentRoute: () => workspace,
  path: '/senders',
  loader({ params: { workspaceId } }) {
    return waitBriefly(
      queryClient.prefetchQuery(api.senders.accounts.queryOptions({ workspaceId })),
      queryClient.prefetchQuery(api.senders.list.queryOptions({ workspaceId })),
    )
  },
  component: lazyRouteComponent(
    withTexts(() => import('./senders/senders.tsx')),
    'Senders',
  ),
})

const templates = createRoute({
  getParentRoute: () => workspace,
  path: '/templates',
  validateSearch: readTemplateSearch,
  loaderDeps: ({ search }) => search,
  loader({ params: { workspaceId }, deps }) {
    return waitBriefly(queryClient.prefetchInfiniteQuery(templateList(workspaceId, deps)))
  },
  component: lazyRouteComponent(
    withTexts(() => import('./templates/templates.tsx')),
    'Templates',
  ),
})

const newTemplate = createRoute({
  getParentRoute: () => workspace,
  path: '/templates/new',
  validateSearch: readNewTemplateSearch,
  component: lazyRouteComponent(
    withTexts(() => import('./templates/new/new-template.tsx')),
    'NewTemplate',
  ),
})

const template = createRoute({
  getParentRoute: () => workspace,
  path: '/templates/$accountId/$name/$language',
  loader({ params }) {
    return waitBriefly(queryClient.prefetchQuery(api.templates.get.queryOptions(params)))
  },
  component: lazyRouteComponent(
    withTexts(() => import('./templates/template.tsx')),
    'Template',
  ),
})

const codSettings = createRoute({
  getParentRoute: () => workspace,
  path: '/cod-settings',
  validateSearch: readCodSettingsSearch,
  loader({ params }) {
    return waitBriefly(queryClient.prefetchQuery(api.codSettings.get.queryOptions(params)))
  },
  component: lazyRouteComponent(
    withTexts(() => import('./cod-settings/cod-settings.tsx')),
    'CodSettings',
  ),
})

const blocked = createRoute({
  getParentRoute: () => workspace,
  path: '/blocked',
  component: lazyRouteComponent(
    withTexts(() => import('./blocked/blocked.tsx')),
    'Blocked',
  ),
})

const keys = createRoute({
  getParentRoute: () => workspace,
  path: '/keys',
  loader({ params: { workspaceId } }) {
    return waitBriefly(queryClient.prefetchQuery(api.keys.list.queryOptions({ workspaceId })))
  },
  component: lazyRouteComponent(
    withTexts(() => import('./keys/keys.tsx')),
    'Keys',
  ),
})

const endpoints = createRoute({
  getParentRoute: () => workspace,
  path: '/endpoints',
  loader({ params }) {
    return waitBriefly(queryClient.prefetchQuery(api.endpoints.list.queryOptions(params)))
  },
  component: lazyRouteComponent(
    withTexts(() => import('./endpoints/endpoints.tsx')),
    'Endpoints',
  ),
})

const endpoint = createRoute({
  getParentRoute: () => workspace,
  path: '/endpoints/$endpointId',
  validateSearch: readLogSearch,
  loaderDeps: ({ search: { status, type, about, from, to } }) => ({
    status,
    type,
    about,
    hasDays: Boolean(from ?? to),
  }),
  loader({ params, deps: { hasDays, ...filter } }) {
    const { workspaceId, endpointId } = params
    return waitBriefly(
      queryClient.prefetchQuery(api.endpoints.find.queryOptions(params)),
      // The instants of days depend on the workspace's clock, which the page knows.
      ...(hasDays ? [] : [queryClient.prefetchInfiniteQuery(deliveryList(workspaceId, endpointId, filter))]),
    )
  },
  component: lazyRouteComponent(
    withTexts(() => import('./endpoints/endpoint.tsx')),
    'Endpoint',
  ),
})

const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  loader({ params: { workspaceId } }) {
    return waitBriefly(
      queryClient.prefetchQuery(api.workspaces.get.queryOptions({ workspaceId })),
      queryClient.prefetchQuery(api.workspaces.usage.queryOptions({ workspaceId })),
    )
  },
  component: lazyRouteComponent(
    withTexts(() => import('./workspaces/settings.tsx')),
    'Settings',
  ),
})

const people = createRoute({
  getParentRoute: () => workspace,
  path: '/people',
  loader({ params: { workspaceId } }) {
    return waitBriefly(queryClient.prefetchQuery(api.people.list.queryOptions({ workspaceId })))
  },
  component: lazyRouteComponent(
    withTexts(() => import('./people/people.tsx')),
    'People',
  ),
})

const auditLog = createRoute({
  getParentRoute: () => workspace,
  path: '/audit',
  validateSearch: readAuditSearch,
  loaderDeps({ search }) {
    const { entry: _, ...filter } = search
    return filter
  },
  loader({ params: { workspaceId }, deps }) {
    return waitBriefly(queryClient.prefetchInfiniteQuery(auditList(workspaceId, deps)))
  },
  component: lazyRouteComponent(
    withTexts(() => import('./audit-log/audit-log.tsx')),
    'AuditLog',
  ),
})

const system = createRoute({
  getParentRoute: () => workspace,
  path: '/system',
  loader({ params: { workspaceId } }) {
    return waitBriefly(queryClient.prefetchQuery(api.system.examine.queryOptions({ workspaceId, outside: false })))
  },
  component: lazyRouteComponent(
    withTexts(() => import('./system/system.tsx')),
    'System',
  ),
})

const account = createRoute({
  getParentRoute: () => workspace,
  path: '/account',
  component: lazyRouteComponent(
    withTexts(() => import('./account/account.tsx')),
    'Account',
  ),
})

const newWorkspace = createRoute({
  getParentRoute: () => root,
  path: '/new-workspace',
  async beforeLoad() {
    const session = await queryClient.ensureQueryData(api.session.current.queryOptions())
    if (!session) throw redirect({ to: '/sign-in' })
  },
  component: lazyRouteComponent(
    withTexts(() => import('./workspaces/new-workspace.tsx')),
    'NewWorkspace',
  ),
})

/**
 * The previous page stays this long. Most answers come sooner, and React keeps a skeleton for 300 ms once it is shown.
 */
const SKELETON_AFTER_MS = 150

/** How long to wait for what a page shows first. After that it shows a skeleton. */
const waitBriefly = (...answers: Promise<unknown>[]): Promise<unknown> =>
  Promise.race([Promise.all(answers), new Promise((resolve) => setTimeout(resolve, SKELETON_AFTER_MS))])

export const appRouter = createRouter({
  routeTree: root.addChildren([
    signIn,
    welcome,
    home,
    newWorkspace,
    workspace.addChildren([
      overview,
      messages,
      message,
      confirmations,
      confirmation,
      charts,
      phone,
      senders,
      templates,
      newTemplate,
      template,
      codSettings,
      blocked,
      keys,
      endpoints,
      endpoint,
      settings,
      people,
      auditLog,
      system,
      account,
    ]),
  ]),
  basepath: '/dashboard',
  defaultPreload: 'intent',
  /** Without it, pages also get what their `validateSearch` left out: an address can hold anything. */
  search: { strict: true },
  defaultErrorComponent: PageFault,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof appRouter
  }
}
