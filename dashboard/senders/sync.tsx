import { Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type CodedText, asWritten, coded } from '../../locales/text.ts'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { type T, useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/fallback.tsx'
import { StepProgress } from '../ui/progress.tsx'
import { useWorkspace } from '../ui/workspace.ts'

export type Account = RouterOutputs['senders']['accounts'][number]

type Progress = RouterOutputs['senders']['syncs'][number]
type Result = RouterOutputs['senders']['sync']

/** How often the page reads the progress of a sync. */
const POLL_INTERVAL_MS = 700
/** Longer than a sync takes. Afterwards the page still hears when something changes. */
const MAX_WATCHED_MS = 10 * 60_000

export const refreshSenders = async (): Promise<void> => {
  await queryClient.invalidateQueries({ queryKey: api.senders.pathKey() })
  await queryClient.invalidateQueries({ queryKey: api.templates.pathKey() })
}

/** The account's sync, started by anyone on any node; it continues when the page is left. */
export function useSync(accountId: string) {
  const { workspaceId } = useWorkspace()
  const [hasEnded, setEnded] = useState(false)
  const watchedSince = useRef<number | undefined>(undefined)
  const sync = useMutation(api.senders.sync.mutationOptions({ onSettled: refreshSenders }))
  const mine = (each: Progress): boolean => each.accountId === accountId
  const pollIntervalMs = (isRunning: boolean): number | false => {
    watchedSince.current = isRunning ? (watchedSince.current ?? Date.now()) : undefined
    return watchedSince.current !== undefined && Date.now() - watchedSince.current < MAX_WATCHED_MS && POLL_INTERVAL_MS
  }
  const { data: progress } = useQuery({
    ...api.senders.syncs.queryOptions({ workspaceId }),
    select: (syncs) => syncs.find(mine),
    refetchInterval: ({ state }) => pollIntervalMs(sync.isPending || state.data?.some(mine) === true),
  })
  const isUnderWay = sync.isPending || progress !== undefined
  useEffect(() => {
    if (!isUnderWay) return
    setEnded(false)
    return () => {
      setEnded(true)
      void refreshSenders()
    }
  }, [isUnderWay])
  return {
    start: (): void => sync.mutate({ workspaceId, accountId }),
    isUnderWay,
    hasEnded,
    progress: progress ?? NOTHING_READ,
    result: sync.data,
    error: sync.error,
  }
}

export const syncSummary = (numbers: number, templates: number): CodedText =>
  coded('page_senders.found', {
    numbers: coded('page_senders.numbers_found', { count: numbers }),
    templates: coded('page_senders.templates_found', { count: templates }),
  })

const NOTHING_READ: Omit<Progress, 'accountId'> = { step: 'numbers', numbers: 0, templates: 0 }

type SyncStateProps = { sync: ReturnType<typeof useSync>; account: Account; numbers: number }

export function SyncState({
  sync: { isUnderWay, hasEnded, progress, result, error },
  account,
  numbers,
}: SyncStateProps) {
  const { t, textOf } = useTexts()
  const summary = syncSummary(numbers, account.templates)
  return (
    <>
      {isUnderWay && <SyncProgress progress={progress} />}
      <div role="status">
        {!isUnderWay && result && <SyncResult result={result} />}
        {hasEnded && !result && !error && account.statusDetail === null && (
          <Text size="sm" fw={600}>
            {t('page_senders.synced')}
            {t('page_shell.colon')}
            {textOf(summary)}
          </Text>
        )}
      </div>
      {!isUnderWay && error && (
        <>
          <Failed error={error} />
          <Text size="sm">{t('page_senders.sync_kept', { found: summary })}</Text>
        </>
      )}
    </>
  )
}

const STEPS = ['numbers', 'templates', 'storing'] as const

function SyncProgress({ progress: { step, numbers, templates } }: { progress: Omit<Progress, 'accountId'> }) {
  const { t } = useTexts()
  const stepNumber = STEPS.indexOf(step) + 1
  const announcement = t('page_senders.sync_step', {
    step: stepNumber,
    steps: STEPS.length,
    what: coded(`page_senders.sync_steps_${step}`),
  })
  return (
    <StepProgress
      label={t('page_senders.syncing')}
      amount={`${announcement} ${t('page_senders.read_so_far', { found: syncSummary(numbers, templates) })}`}
      announcement={announcement}
      step={stepNumber}
      steps={STEPS.length}
    />
  )
}

function SyncResult({ result: { numbers, templates } }: { result: Result }) {
  const { t, textOf } = useTexts()
  const lines = [...linesOf(t, numbers), ...linesOf(t, templates)]
  return (
    <Stack gap={2}>
      <Text size="sm" fw={600}>
        {t('page_senders.synced')}
        {t('page_shell.colon')}
        {textOf(syncSummary(numbers.total, templates.total))}
      </Text>
      {lines.length === 0 && <Text size="sm">{t('page_senders.nothing_new')}</Text>}
      {lines.map((line) => (
        <Text key={line} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {line}
        </Text>
      ))}
    </Stack>
  )
}

const MAX_NAMES_SHOWN = 5

const namesOf = (names: readonly string[]) => ({
  names: [...names.slice(0, MAX_NAMES_SHOWN), ...(names.length > MAX_NAMES_SHOWN ? ['…'] : [])].map(asWritten),
  number: names.length,
})

const linesOf = (t: T, { added, changed, gone }: Result['numbers']): string[] => [
  ...(added.length > 0 ? [t('page_senders.added', namesOf(added))] : []),
  ...(changed.length > 0 ? [t('page_senders.changed', namesOf(changed))] : []),
  ...(gone.length > 0 ? [t('page_senders.gone', namesOf(gone))] : []),
]
