import { QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { TRPCClientError, createTRPCClient, httpBatchLink } from '@trpc/client'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import type { inferRouterOutputs } from '@trpc/server'
import type { DashboardRouter } from '../src/dashboard/router.ts'
import { type Language, firstLanguage } from './words.ts'

/** The one file that fetches: the dashboard's calls, and signing in and out. */
const FRESH_MS = 5_000
const BATCH_MOST = 10

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (count, error) => count < 2 && !isAnswered(error),
      refetchOnWindowFocus: true,
    },
  },
  queryCache: new QueryCache({
    onError(error) {
      if (codeOf(error) === 'UNAUTHORIZED') location.assign(signInAddress(location))
    },
  }),
})

const BASE = '/dashboard'

/** The sign-in page, which leads back to where somebody was when their session ended. */
export const signInAddress = ({ pathname, search }: { pathname: string; search: string }): string =>
  `${BASE}/sign-in?back=${encodeURIComponent(pathname.slice(BASE.length) + search)}`

let language = firstLanguage()

/** In which the server answers. Whatever it said in another one is asked for anew. */
export function answerIn(chosen: Language): void {
  language = chosen
  void queries.invalidateQueries()
}

const client = createTRPCClient<DashboardRouter>({
  links: [
    httpBatchLink({
      url: '/dashboard/calls',
      maxItems: BATCH_MOST,
      headers: () => ({ 'accept-language': language }),
    }),
  ],
})

/** `useQuery(api.keys.list.queryOptions({ workspaceId }))`, `useMutation(api.keys.create.mutationOptions())`. */
export const api = createTRPCOptionsProxy<DashboardRouter>({ client, queryClient: queries })

/** What a one-time link is for. In the address of the request, proxies would write its token down. */
export const aboutLink = (token: string) =>
  queryOptions({
    queryKey: ['link', token],
    queryFn: () => client.session.link.mutate({ token }),
    enabled: token !== '',
    staleTime: Infinity,
  })

export type Answers = inferRouterOutputs<DashboardRouter>

/** The server said no: asking again would get the same answer. */
const isAnswered = (error: unknown): boolean => {
  const code = codeOf(error)
  return code !== undefined && code !== 'SERVICE_UNAVAILABLE'
}

export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof TRPCClientError)) return undefined
  const data: unknown = error.data
  return typeof data === 'object' && data !== null && 'code' in data ? String(data.code) : undefined
}

export type FormFault = { path: string; message: string }

/** What the server found wrong with the fields of a form. */
export function faultsOf(error: unknown): FormFault[] {
  if (!(error instanceof TRPCClientError)) return []
  const data: unknown = error.data
  return typeof data === 'object' && data !== null && 'faults' in data && Array.isArray(data.faults)
    ? (data.faults as FormFault[])
    : []
}

/** Answers of the sign-in calls. `code` says why not, such as INVALID_CODE; UNREACHABLE: no answer came. */
export type SignInAnswer = { ok: boolean; code: string | undefined; body: Record<string, unknown> }

/** `askSignIn('sign-in/email', { email, password })`; src/dashboard/sign-in.ts has the table of what answers. */
export async function askSignIn(path: string, body: object = {}): Promise<SignInAnswer> {
  const response = await fetch(`${BASE}/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => undefined)
  const answer = (await response?.json().catch(() => ({}))) as Record<string, unknown> | null | undefined
  const code = typeof answer?.['code'] === 'string' ? answer['code'] : 'UNREACHABLE'
  return { ok: response?.ok === true, code: response?.ok ? undefined : code, body: answer ?? {} }
}
