import { type Source, Unreachable } from '@doorcode/whatsapp-emulator/phone/source.ts'
import { QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { TRPCClientError, createTRPCClient, httpBatchLink } from '@trpc/client'
import type { inferRouterOutputs } from '@trpc/server'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import type { CodedText } from '../locales/text.ts'
import type { DashboardRouter } from '../src/admin/router.ts'

/** The one file that fetches: the dashboard's calls, and signing in and out. */
const FRESH_MS = 5_000
const MAX_BATCH = 10

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (count, error) => count < 2 && !isAnswered(error),
      refetchOnWindowFocus: true,
    },
  },
  queryCache: new QueryCache({
    onError(error) {
      if (codeOf(error) === 'UNAUTHORIZED') goToSignIn()
    },
  }),
})

const BASE = '/dashboard'

/** The sign-in page returns to the page where the session ended. */
export function goToSignIn(): void {
  const { pathname, search } = location
  location.assign(`${BASE}/sign-in?back=${encodeURIComponent(pathname.slice(BASE.length) + search)}`)
}

const client = createTRPCClient<DashboardRouter>({
  links: [
    httpBatchLink({
      url: '/dashboard/calls',
      maxItems: MAX_BATCH,
      methodOverride: 'POST', // proxies log addresses, and the text of a search may be a phone number
    }),
  ],
})

/** `useQuery(api.keys.list.queryOptions({ workspaceId }))`, `useMutation(api.keys.create.mutationOptions())`. */
export const api = createTRPCOptionsProxy<DashboardRouter>({ client, queryClient: queryClient })

/** What a one-time link is for. The token is in the body, because proxies log the addresses of requests. */
export const checkLink = (token: string) =>
  queryOptions({
    queryKey: ['link', token],
    queryFn: () => client.session.link.mutate({ token }),
    enabled: token !== '',
    staleTime: Infinity,
  })

/** The emulator through this server. Its errors have the message that the phone shows. */
export function phoneSource(
  workspaceId: string,
  { textOf, sentenceOf }: Record<'textOf' | 'sentenceOf', (text: CodedText) => string>,
): Source {
  const throwReason = (error: unknown): never => {
    const reason = reasonOf(error)
    throw reason ? new Error(textOf(reason)) : new Unreachable()
  }
  return {
    list: ({ phone, number }) => client.phone.chat.query({ workspaceId, phone, number }).catch(throwReason),
    async normalize(typed) {
      const read = await client.phone.normalize.query({ workspaceId, typed }).catch(throwReason)
      return 'phone' in read ? read : { fault: sentenceOf(read.fault) }
    },
    act: (act) => client.phone.act.mutate({ workspaceId, act }).catch(throwReason),
    liveUrl: `/dashboard/emulator/${workspaceId}/live`,
  }
}

export type RouterOutputs = inferRouterOutputs<DashboardRouter>

/** The server rejected the call: a retry would get the same response. */
const isAnswered = (error: unknown): boolean => {
  const code = codeOf(error)
  return code !== undefined && code !== 'SERVICE_UNAVAILABLE'
}

/** The error of a rejected call. Returns undefined if no response came. */
function errorData(error: unknown): { code: string; text: CodedText; faults: FormFault[] } | undefined {
  const data: unknown = error instanceof TRPCClientError ? error.data : undefined
  return typeof data === 'object' && data !== null && 'code' in data
    ? (data as ReturnType<typeof errorData>)
    : undefined
}

export const codeOf = (error: unknown): string | undefined => errorData(error)?.code

/** The reason, in the reader's language. */
export const reasonOf = (error: unknown): CodedText | undefined => errorData(error)?.text

type FormFault = { path: string; text: CodedText }

/** What the server found wrong with the fields of a form. */
export const faultsOf = (error: unknown): FormFault[] => errorData(error)?.faults ?? []

/** `code` is the reason of a rejection, such as INVALID_CODE; UNREACHABLE: no response came. */
export type SignInResponse = { ok: boolean; code: string | undefined; body: Record<string, unknown> }

/** `callSignIn('sign-in/email', { email, password })`; src/admin/auth/sign-in.ts has the table of calls. */
export async function callSignIn(path: string, body: object = {}): Promise<SignInResponse> {
  const response = await fetch(`${BASE}/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => undefined)
  const content = (await response?.json().catch(() => ({}))) as Record<string, unknown> | null | undefined
  const code = typeof content?.['code'] === 'string' ? content['code'] : 'UNREACHABLE'
  return { ok: response?.ok === true, code: response?.ok ? undefined : code, body: content ?? {} }
}
