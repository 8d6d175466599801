import { spanOf } from '@doorcode/whatsapp-emulator/phone/clock.ts'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useRouter } from '@tanstack/react-router'
import { plainNumber } from '../../../locales/typed-digits.ts'
import { api, queryClient, reasonOf } from '../../api.ts'
import { useTexts } from '../../texts/use-texts.ts'
import type { SectionName } from '../navigation/sections.ts'
import { SANDBOX_PHONE } from '../sandbox-phone.ts'
import { isOfWorkspace } from '../shell/refetch.ts'
import { showUndo } from '../undo.tsx'
import { useCopyText } from '../use-copy.ts'
import type { Workspace } from '../workspace.ts'
import { recentPages } from './recent.ts'

export type Action = {
  id: string
  label: string
  note?: string
  icon?: SectionName | 'light' | 'dark' | 'language'
  run: () => unknown
}

const HOUR_MS = 3_600_000

/** A typed number, with its plus or without. */
const PHONE = /^\+?\d[\d\s().-]{6,24}$/

const idOf = ({ messageId, confirmationId, endpointId }: Partial<Record<string, string>>): string | undefined =>
  messageId ?? confirmationId ?? endpointId

/** What the person may do here. A member reads, and copies ids. `isOpen`: whether the palette is shown. */
export function useDeeds(workspace: Workspace, query: string, isOpen: boolean): Action[] {
  const { t } = useTexts()
  const params = useParams({ strict: false })
  const id = idOf(params)
  const copy = useCopyId()
  const mayChange = workspace.role !== 'member'
  const retry = useRetry(workspace.workspaceId, params.endpointId, isOpen && mayChange)
  const deeds = useChanges(workspace, query)
  return [
    ...(id === undefined
      ? []
      : [{ id: 'copy-id', label: t('page_keyboard.do_copy_id'), note: id, run: () => copy(id) } satisfies Action]),
    ...(mayChange ? [...retry, ...deeds] : []),
  ]
}

function useCopyId(): (id: string) => Promise<void> {
  const report = useReport()
  const { t } = useTexts()
  const copyText = useCopyText()
  return (id) => report(async () => ((await copyText(id)) ? t('page_shell.copied') : undefined))
}

/** Shows the result of an action, or why it failed. */
function useReport() {
  const { t, textOf } = useTexts()
  return async (act: () => Promise<string | undefined>): Promise<void> => {
    try {
      const message = await act()
      if (message !== undefined) notifications.show({ message })
    } catch (error) {
      const reason = reasonOf(error)
      notifications.show({ color: 'red', message: reason ? textOf(reason) : t('page_shell.unreachable') })
    }
  }
}

function useChanges(workspace: Workspace, query: string): Action[] {
  const { t } = useTexts()
  const { workspaceId, sandbox } = workspace
  const navigate = useNavigate()
  const block = useBlock(workspaceId)
  const number = plainNumber(query)
  const phone = PHONE.test(number) ? number : undefined
  return [
    {
      id: 'create-key',
      label: t('page_keyboard.do_create_key'),
      icon: 'keys',
      run: () => navigate({ to: '/w/$workspaceId/keys', params: { workspaceId }, search: { new: true } }),
    },
    {
      id: 'block',
      label: phone ? t('page_keyboard.do_block_this', { phone }) : t('page_keyboard.do_block'),
      icon: 'blocked',
      run: () =>
        phone
          ? block(phone)
          : navigate({ to: '/w/$workspaceId/blocked', params: { workspaceId }, search: { new: true } }),
    },
    ...useSandboxActions(workspace).filter(() => sandbox),
  ]
}

function useBlock(workspaceId: string): (phone: string) => Promise<void> {
  const { t } = useTexts()
  const report = useReport()
  const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: api.blocked.pathKey() })
  const { mutateAsync: add } = useMutation(api.blocked.add.mutationOptions({ onSuccess: refresh }))
  const { mutateAsync: remove } = useMutation(api.blocked.remove.mutationOptions({ onSuccess: refresh }))
  return (typed) =>
    report(async () => {
      const { phone, added } = await add({ workspaceId, phone: typed })
      if (!added) return t('page_keyboard.was_blocked', { phone })
      showUndo(t('page_keyboard.is_blocked', { phone }), () => remove({ workspaceId, phone }))
      return undefined
    })
}

/** Of the page's endpoint, or of all. Offered only if one of them fails: then its webhooks wait for their next attempt. */
function useRetry(workspaceId: string, endpointId: string | undefined, enabled: boolean): Action[] {
  const { t } = useTexts()
  const report = useReport()
  const { data } = useQuery({ ...api.endpoints.list.queryOptions({ workspaceId }), enabled })
  const { mutateAsync: retry } = useMutation(api.endpoints.retryWaiting.mutationOptions())
  const failing = (data?.endpoints ?? [])
    .filter(({ status, failingSince }) => status === 'enabled' && failingSince !== null)
    .map((each) => each.endpointId)
    .filter((id) => endpointId === undefined || id === endpointId)
  if (failing.length === 0) return []
  const run = (): Promise<void> =>
    report(async () => {
      let count = 0
      for (const each of failing) count += (await retry({ workspaceId, endpointId: each })).waiting
      await queryClient.invalidateQueries({ queryKey: api.endpoints.pathKey() })
      return t('page_keyboard.retried', { count })
    })
  const label = t(endpointId === undefined ? 'page_keyboard.do_retry_all' : 'page_keyboard.do_retry')
  return [{ id: 'retry', label, icon: 'endpoints', run }]
}

function useSandboxActions({ workspaceId }: Workspace): Action[] {
  const { t, language } = useTexts()
  const report = useReport()
  const navigate = useNavigate()
  const refresh = async (): Promise<void> => {
    await queryClient.invalidateQueries({ predicate: ({ queryKey }) => isOfWorkspace(queryKey, workspaceId) })
    await queryClient.invalidateQueries({ queryKey: api.session.pathKey() })
  }
  const { mutateAsync: advance } = useMutation(api.phone.advance.mutationOptions({ onSettled: refresh }))
  const { mutateAsync: send } = useMutation(api.phone.sendOtp.mutationOptions({ onSettled: refresh }))
  const move = (byMs: number) => () =>
    report(async () => {
      const { advancedBy } = await advance({ workspaceId, to: { byMs } })
      if (advancedBy === byMs) return t('page_keyboard.clock_moved')
      return t('page_phone.stopped', { span: spanOf(byMs - advancedBy, language) })
    })
  return [
    {
      id: 'send-code',
      label: t('page_keyboard.do_send_code'),
      icon: 'messages',
      run: () =>
        report(async () => {
          const facts = await queryClient.fetchQuery(api.keys.firstRequest.queryOptions({ workspaceId, language }))
          if (facts.missing !== null) return t('page_keyboard.cannot_send')
          const { senderId, template } = facts
          await send({ workspaceId, body: { to: SANDBOX_PHONE, senderId, template, code: someCode() } })
          const senders = await queryClient.fetchQuery(api.senders.list.queryOptions({ workspaceId }))
          const number = senders.find((each) => each.senderId === senderId)?.phoneNumberId
          await navigate({
            to: '/w/$workspaceId/phone',
            params: { workspaceId },
            search: number === undefined ? {} : { phone: SANDBOX_PHONE, number },
          })
          return t('page_keyboard.code_sent')
        }),
    },
    { id: 'clock-hour', label: t('page_keyboard.do_clock_hour'), icon: 'phone', run: move(HOUR_MS) },
    { id: 'clock-day', label: t('page_keyboard.do_clock_day'), icon: 'phone', run: move(24 * HOUR_MS) },
    {
      id: 'clock',
      label: t('page_keyboard.do_clock'),
      icon: 'phone',
      run: () => navigate({ to: '/w/$workspaceId/phone', params: { workspaceId }, search: { tab: 'clock' } }),
    },
  ]
}

/** Six digits. */
const someCode = (): string => String(Math.floor(Math.random() * 1_000_000)).padStart(6, '0')

/** Without a query. */
const MAX_RECENT_SHOWN = 5

export function useRecent({ workspaceId }: Workspace): Action[] {
  const router = useRouter()
  return recentPages(workspaceId, router.state.location.pathname)
    .slice(0, MAX_RECENT_SHOWN)
    .map(({ path, title }) => ({
      id: `recent ${path}`,
      label: title,
      run: () => router.history.push(router.basepath + path),
    }))
}
