import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, queryClient } from './api.ts'
import { readAuditSearch } from './audit-log/search.ts'
import { loadPlot } from './charts/plot.tsx'
import { readChartSearch } from './charts/search.ts'
import { readCodSettingsSearch } from './cod-settings/search.ts'
import { readConfirmationSearch } from './confirmations/search.ts'
import { readLogSearch } from './endpoints/search.ts'
import { readMessageSearch } from './messages/search.ts'
import { loadContent } from './overview/content.ts'
import { readPhoneSearch } from './phone/search.ts'
import { pageQueries } from './queries.ts'
import { readReturn } from './session/search.ts'
import { readNewTemplateSearch, readTemplateSearch } from './templates/search.ts'
import { withTexts } from './texts/load.ts'
import { hasQuickstart } from './ui/navigation/sections.ts'
import { NotFound, PageFault } from './ui/shell/not-found.tsx'
import { Shell } from './ui/shell/shell.tsx'
import { WorkspaceNotices } from './workspaces/notices.tsx'

/**
 * Every page, its path and its file. Search parameters of a list are what its page validates. A loader fetches what the page
 * shows while its script loads, and already when the pointer rests on its link.
 */
const root = createRootRoute({
  notFoundComponent: lazyRouteComponent(() => import('./session/unknown-page.tsx'), 'UnknownPage'),
})

/** `new`: on a page with a list, the dialog that adds to it is open. */
const readNew = (search: Record<string, unknown>): { new?: true } => (search['new'] === true ? { new: true } : {})

/** A page with its texts, which the first load leaves out. */
const pageIn = <Name extends string>(load: () => Promise<Record<Name, () => ReactNode>>, name: Name) =>
  lazyRouteComponent(
    withTexts(async () => ({ Page: (await load())[name] })),
    'Page',
  )

const findSession = () => queryClient.ensureQueryData(api.session.current.queryOptions())

/**
 * The previous page stays this long. Most responses come sooner, and React keeps a skeleton for 300 ms once it is shown.
 */
const SKELETON_AFTER_MS = 150

/** How long to wait for what a page shows first. After that it shows a skeleton. */
const waitBriefly = (...answers: Promise<unknown>[]): Promise<unknown> =>
  Promise.race([Promise.all(answers), new Promise((resolve) => setTimeout(resolve, SKELETON_AFTER_MS))])

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
  /** The person has just signed up. */
  validateSearch: readNew,
  async beforeLoad({ search }) {
    const session = await findSession()
    if (!session) throw redirect({ to: '/sign-in' })
    const first = session.workspaces[0]
    if (!first) throw redirect({ to: '/new-workspace' })
    throw redirect({
      to: search.new && hasQuickstart(first) ? '/w/$workspaceId/quickstart' : '/w/$workspaceId/overview',
      params: { workspaceId: first.workspaceId },
    })
  },
})

const newWorkspace = createRoute({
  getParentRoute: () => root,
  path: '/new-workspace',
  async beforeLoad() {
    if (!(await findSession())) throw redirect({ to: '/sign-in' })
  },
  component: pageIn(() => import('./workspaces/new-workspace.tsx'), 'NewWorkspace'),
})

/** Where a page outside the dashboard leads, which does not know the workspace. */
const messagesOfFirst = createRoute({
  getParentRoute: () => root,
  path: '/messages',
  validateSearch: readMessageSearch,
  async beforeLoad({ search, location }) {
    const session = await findSession()
    if (!session) throw redirect({ to: '/sign-in', search: { back: location.href } })
    const first = session.workspaces[0]
    if (!first) throw redirect({ to: '/new-workspace' })
    throw redirect({ to: '/w/$workspaceId/messages', params: { workspaceId: first.workspaceId }, search })
  },
})

const workspace = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspaceId',
  async beforeLoad({ params, location }) {
    const session = await findSession()
    if (!session) throw redirect({ to: '/sign-in', search: { back: location.href } })
    if (session.workspaces.some(({ workspaceId }) => workspaceId === params.workspaceId)) return
    await queryClient.ensureQueryData(api.session.workspace.queryOptions(params)).catch(() => {}) // then it is not found
  },
  component: () => <Shell notice={<WorkspaceNotices />} />,
  notFoundComponent: NotFound,
})

const inWorkspace = <const Path extends string>(path: Path) => ({ getParentRoute: () => workspace, path })

const overview = createRoute({
  ...inWorkspace('/overview'),
  loader: ({ params }) =>
    waitBriefly(
      // A failed call shows its error on the page, which calls again.
      queryClient.fetchQuery(pageQueries.firstSteps(params)).then(loadContent, () => {}),
      queryClient.prefetchQuery(pageQueries.attention(params)),
      queryClient.prefetchQuery(pageQueries.figures(params)),
    ),
  component: lazyRouteComponent(() => import('./overview/overview.tsx'), 'Overview'),
})

const quickstart = createRoute({
  ...inWorkspace('/quickstart'),
  loader: ({ params }) =>
    waitBriefly(
      queryClient.prefetchQuery(pageQueries.phoneState(params)),
      queryClient.prefetchQuery(pageQueries.codSettings(params)),
      queryClient.prefetchQuery(pageQueries.endpoints(params)),
    ),
  component: pageIn(() => import('./quickstart/quickstart.tsx'), 'Quickstart'),
})

const messages = createRoute({
  ...inWorkspace('/messages'),
  validateSearch: readMessageSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) =>
    waitBriefly(
      queryClient.prefetchQuery(pageQueries.messages(params.workspaceId, deps)),
      queryClient.prefetchQuery(pageQueries.choices(params)),
    ),
  component: pageIn(() => import('./messages/messages.tsx'), 'Messages'),
})

const message = createRoute({
  ...inWorkspace('/messages/$messageId'),
  loader: ({ params }) => waitBriefly(queryClient.prefetchQuery(pageQueries.message(params))),
  component: pageIn(() => import('./messages/message.tsx'), 'Message'),
})

const confirmations = createRoute({
  ...inWorkspace('/confirmations'),
  validateSearch: readConfirmationSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) =>
    waitBriefly(
      queryClient.prefetchQuery(pageQueries.confirmations(params.workspaceId, deps)),
      queryClient.prefetchQuery(pageQueries.choices(params)),
    ),
  component: pageIn(() => import('./confirmations/confirmations.tsx'), 'Confirmations'),
})

const confirmation = createRoute({
  ...inWorkspace('/confirmations/$confirmationId'),
  /** The list that the reader came from. */
  validateSearch: readConfirmationSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => {
    void queryClient.prefetchQuery(pageQueries.neighbours(params.workspaceId, params.confirmationId, deps))
    return waitBriefly(queryClient.prefetchQuery(pageQueries.confirmation(params)))
  },
  /** The arrows to the neighbours keep the focus. */
  remountDeps: ({ params }) => params.workspaceId,
  component: pageIn(() => import('./confirmations/confirmation.tsx'), 'Confirmation'),
})

const charts = createRoute({
  ...inWorkspace('/charts'),
  validateSearch: readChartSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) =>
    waitBriefly(queryClient.prefetchQuery(pageQueries.charts(params.workspaceId, deps)), loadPlot()),
  component: pageIn(() => import('./charts/charts.tsx'), 'Charts'),
})

const phone = createRoute({
  ...inWorkspace('/phone'),
  validateSearch: readPhoneSearch,
  component: pageIn(() => import('./phone/phone.tsx'), 'Phone'),
})

const senders = createRoute({
  ...inWorkspace('/senders'),
  loader: ({ params }) =>
    waitBriefly(
      queryClient.prefetchQuery(pageQueries.accounts(params)),
      queryClient.prefetchQuery(pageQueries.senders(params)),
    ),
  component: pageIn(() => import('./senders/senders.tsx'), 'Senders'),
})

const templates = createRoute({
  ...inWorkspace('/templates'),
  validateSearch: readTemplateSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) =>
    waitBriefly(queryClient.prefetchInfiniteQuery(pageQueries.templates(params.workspaceId, deps))),
  component: pageIn(() => import('./templates/templates.tsx'), 'Templates'),
})

const newTemplate = createRoute({
  ...inWorkspace('/templates/new'),
  validateSearch: readNewTemplateSearch,
  component: pageIn(() => import('./templates/new-template.tsx'), 'NewTemplate'),
})

const template = createRoute({
  ...inWorkspace('/templates/$accountId/$name/$language'),
  loader: ({ params }) => waitBriefly(queryClient.prefetchQuery(pageQueries.template(params))),
  component: pageIn(() => import('./templates/template.tsx'), 'Template'),
})

const codSettings = createRoute({
  ...inWorkspace('/cod-settings'),
  validateSearch: readCodSettingsSearch,
  loader: ({ params }) => waitBriefly(queryClient.prefetchQuery(pageQueries.codSettings(params))),
  component: pageIn(() => import('./cod-settings/cod-settings.tsx'), 'CodSettings'),
})

const blocked = createRoute({
  ...inWorkspace('/blocked'),
  validateSearch: readNew,
  component: pageIn(() => import('./blocked/blocked.tsx'), 'Blocked'),
})

const keys = createRoute({
  ...inWorkspace('/keys'),
  validateSearch: readNew,
  loader: ({ params }) => waitBriefly(queryClient.prefetchQuery(pageQueries.keys(params))),
  component: pageIn(() => import('./keys/keys.tsx'), 'Keys'),
})

const hooks = createRoute({
  ...inWorkspace('/hooks'),
  loader: ({ params }) => waitBriefly(queryClient.prefetchQuery(pageQueries.hooks(params))),
  component: pageIn(() => import('./hooks/hooks.tsx'), 'Hooks'),
})

const endpoints = createRoute({
  ...inWorkspace('/endpoints'),
  loader: ({ params }) => waitBriefly(queryClient.prefetchQuery(pageQueries.endpoints(params))),
  component: pageIn(() => import('./endpoints/endpoints.tsx'), 'Endpoints'),
})

const endpoint = createRoute({
  ...inWorkspace('/endpoints/$endpointId'),
  validateSearch: readLogSearch,
  loaderDeps: ({ search: { status, type, about, from, to } }) => ({
    filter: { status, type, about },
    hasDays: Boolean(from ?? to),
  }),
  loader: ({ params, deps: { filter, hasDays } }) =>
    waitBriefly(
      queryClient.prefetchQuery(pageQueries.endpoint(params)),
      // The instants of days depend on the workspace's clock, which the page knows.
      ...(hasDays ? [] : [queryClient.prefetchInfiniteQuery(pageQueries.deliveries(params, filter))]),
    ),
  component: pageIn(() => import('./endpoints/endpoint.tsx'), 'Endpoint'),
})

const settings = createRoute({
  ...inWorkspace('/settings'),
  loader: ({ params }) =>
    waitBriefly(
      queryClient.prefetchQuery(pageQueries.workspace(params)),
      queryClient.prefetchQuery(pageQueries.usage(params)),
    ),
  component: pageIn(() => import('./workspaces/settings.tsx'), 'Settings'),
})

const people = createRoute({
  ...inWorkspace('/people'),
  loader: ({ params }) => waitBriefly(queryClient.prefetchQuery(pageQueries.people(params))),
  component: pageIn(() => import('./people/people.tsx'), 'People'),
})

const auditLog = createRoute({
  ...inWorkspace('/audit'),
  validateSearch: readAuditSearch,
  loaderDeps({ search }) {
    const { entry: _, ...filter } = search
    return filter
  },
  loader: ({ params, deps }) =>
    waitBriefly(queryClient.prefetchInfiniteQuery(pageQueries.auditLog(params.workspaceId, deps))),
  component: pageIn(() => import('./audit-log/audit-log.tsx'), 'AuditLog'),
})

const system = createRoute({
  ...inWorkspace('/system'),
  loader: ({ params }) => waitBriefly(queryClient.prefetchQuery(pageQueries.system({ ...params, outside: false }))),
  component: pageIn(() => import('./system/system.tsx'), 'System'),
})

const account = createRoute({
  ...inWorkspace('/account'),
  component: pageIn(() => import('./account/account.tsx'), 'Account'),
})

export const appRouter = createRouter({
  routeTree: root.addChildren([
    signIn,
    welcome,
    home,
    newWorkspace,
    messagesOfFirst,
    workspace.addChildren([
      overview,
      quickstart,
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
      hooks,
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
  /** What a page has found, or was told, belongs to what its path names. Only the frame stays when that changes. */
  defaultRemountDeps: ({ routeId, params }) => (routeId === workspace.id ? undefined : params),
  /** Without it, pages also get what their `validateSearch` left out: an address can hold anything. */
  search: { strict: true },
  defaultErrorComponent: PageFault,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof appRouter
  }
}
