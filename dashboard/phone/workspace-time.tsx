import {
  type DueRow,
  type Outcome,
  TimeMachine,
  type TimeSource,
} from '@doorcode/whatsapp-emulator/phone/time-machine.tsx'
import type { Pair } from '@doorcode/whatsapp-emulator/wire/chats.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { coded } from '../../locales/text.ts'
import { visibleText } from '../../locales/visible-text.ts'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/fallback.tsx'
import { isOfWorkspace } from '../ui/shell/refetch.ts'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'

export type PhoneState = RouterOutputs['phone']['state']

type Due = RouterOutputs['phone']['due']['customer'][number]
type Target = { byMs: number } | ({ confirmationId: string; check: Due['check']; timer: Due['timer'] } & Pair)

/** How often the page reads the clock during a move. */
const POLL_INTERVAL_MS = 400

/** The time machine of a sandbox: it moves the clock of the workspace, with its reminders and deadlines. */
export function WorkspaceTimeMachine({ state, customer }: { state: PhoneState; customer: Pair | undefined }) {
  return <TimeMachine source={useWorkspaceTime(state, customer)} title="hidden" />
}

function useWorkspaceTime(state: PhoneState, customer: Pair | undefined): TimeSource {
  const { t, textOf } = useTexts()
  const may = usePermissions()
  const { workspaceId, timeZone } = useWorkspace()
  const { data: due } = useQuery(api.phone.due.queryOptions({ workspaceId, customer: customer ?? null }))
  const jump = useJump(workspaceId)
  const now = useMemo(() => {
    const aheadMs = new Date(state.now).getTime() - Date.now()
    return () => new Date(Date.now() + aheadMs)
  }, [state.now])

  const rowOf = (each: Due): DueRow => {
    const { confirmationId, check, timer, reference } = each
    const what = coded(`page_phone.due_${check}_${timer}`)
    return {
      id: `${confirmationId}/${check}/${timer}`,
      what: textOf(what),
      about: [visibleText(reference)],
      at: new Date(each.at).toISOString(),
      jump:
        may.change && customer
          ? {
              name: coded('page_phone.jump_name', { what, order: visibleText(reference) }),
              inMs: each.inMs,
              run: () => jump({ ...customer, confirmationId, check, timer }),
            }
          : undefined,
    }
  }
  const next = due?.next.map(({ kind, at }) => ({
    id: kind,
    what: t(`page_phone.kinds_${kind}`),
    about: [],
    at: new Date(at).toISOString(),
  }))
  return {
    clockName: t('page_phone.now'),
    now,
    timeZone,
    aheadMs: state.offsetMs,
    lists: [
      {
        title: t('page_phone.due_of_customer'),
        rows: customer === undefined ? [] : due?.customer.map(rowOf),
        nothing: customer === undefined ? t('page_phone.choose_first') : t('page_phone.nothing_due'),
      },
      { title: t('page_phone.next_of_all'), rows: next, nothing: t('page_phone.nothing_next') },
    ],
    move: may.change ? (byMs) => jump({ byMs }) : undefined,
    instead: <p>{t('page_phone.only_admins')}</p>,
    stopped: (span) => t('page_phone.stopped', { span }),
    showError: (error) => <Failed error={error} />,
  }
}

const FIRED = ['reminders', 'deadlines', 'followUpExpiries', 'messages', 'events', 'webhookAttempts'] as const

const FIRED_TEXTS = {
  reminders: 'reminders',
  deadlines: 'deadlines',
  followUpExpiries: 'follow_up_expiries',
  messages: 'messages',
  events: 'events',
  webhookAttempts: 'webhook_attempts',
} as const

/** Moves the clock, and polls its time meanwhile. */
function useJump(workspaceId: string) {
  const advance = useMutation(
    api.phone.advance.mutationOptions({
      onSettled: () => {
        void queryClient.invalidateQueries({ predicate: ({ queryKey }) => isOfWorkspace(queryKey, workspaceId) })
        void queryClient.invalidateQueries({ queryKey: api.session.pathKey() })
      },
    }),
  )
  const refetchInterval = advance.isPending ? POLL_INTERVAL_MS : false
  useQuery({ ...api.phone.state.queryOptions({ workspaceId }), refetchInterval })
  return async (to: Target): Promise<Outcome> => {
    const { requestedMs, advancedBy: movedMs, fired } = await advance.mutateAsync({ workspaceId, to })
    const kinds = FIRED.filter((kind) => fired[kind] > 0)
    const happened = kinds.map((kind) => coded(`page_phone.fired_${FIRED_TEXTS[kind]}`, { count: fired[kind] }))
    return { requestedMs, movedMs, happened }
  }
}
