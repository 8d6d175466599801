import { Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type Answers, api, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { StepProgress } from '../ui/progress.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { type SenderText, senderWords } from './words.ts'

type Account = Answers['senders']['accounts'][number]
type Progress = Answers['senders']['syncs'][number]
type Result = Answers['senders']['sync']

/** How often the page looks how far a sync is. */
const LOOK_EVERY_MS = 700
/** Longer than a sync takes. Afterwards the page still hears when something changes. */
const WATCHED_MOST_MS = 10 * 60_000

export const refreshSenders = async (): Promise<void> => {
  await queries.invalidateQueries({ queryKey: api.senders.pathKey() })
  await queries.invalidateQueries({ queryKey: api.templates.pathKey() })
}

/** The account's sync, whoever began it and wherever it runs: it goes on when the page is left. */
export function useSync(accountId: string) {
  const { workspaceId } = useWorkspace()
  const [hasEnded, setEnded] = useState(false)
  const watchedSince = useRef(0)
  const sync = useMutation(api.senders.sync.mutationOptions({ onSettled: refreshSenders }))
  const mine = (each: Progress): boolean => each.accountId === accountId
  const mayLook = (): boolean => Date.now() - watchedSince.current < WATCHED_MOST_MS
  const { data: progress } = useQuery({
    ...api.senders.syncs.queryOptions({ workspaceId }),
    select: (syncs) => syncs.find(mine),
    refetchInterval: ({ state }) => ((sync.isPending || state.data?.some(mine)) && mayLook() ? LOOK_EVERY_MS : false),
  })
  const isUnderWay = sync.isPending || progress !== undefined
  useEffect(() => {
    if (!isUnderWay) return
    watchedSince.current = Date.now()
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

const NOTHING_READ: Omit<Progress, 'accountId'> = { step: 'numbers', numbers: 0, templates: 0 }

/** How far the sync is, and what came of it. */
export function SyncState({
  sync: { isUnderWay, hasEnded, progress, result, error },
  account,
  numbers,
}: {
  sync: ReturnType<typeof useSync>
  account: Account
  numbers: number
}) {
  const text = useWords(senderWords)
  const known = text.found(numbers, account.templates)
  return (
    <>
      {isUnderWay && <SyncProgress progress={progress} />}
      <div role="status">
        {!isUnderWay && result && <SyncResult result={result} />}
        {hasEnded && !result && !error && account.statusDetail === null && (
          <Text size="sm" fw={600}>
            {text.synced}: {known}
          </Text>
        )}
      </div>
      {!isUnderWay && error && (
        <>
          <Failed error={error} />
          <Text size="sm">{text.syncKept(known)}</Text>
        </>
      )}
    </>
  )
}

const STEPS = ['numbers', 'templates', 'storing'] as const

function SyncProgress({ progress: { step, numbers, templates } }: { progress: Omit<Progress, 'accountId'> }) {
  const text = useWords(senderWords)
  const place = STEPS.indexOf(step) + 1
  const said = text.syncStep(place, STEPS.length, text.syncSteps[step])
  return (
    <StepProgress
      label={text.syncing}
      amount={`${said} ${text.readSoFar(text.found(numbers, templates))}`}
      said={said}
      step={place}
      steps={STEPS.length}
    />
  )
}

function SyncResult({ result: { numbers, templates } }: { result: Result }) {
  const text = useWords(senderWords)
  const lines = [...linesOf(text, numbers), ...linesOf(text, templates)]
  return (
    <Stack gap={2}>
      <Text size="sm" fw={600}>
        {text.synced}: {text.found(numbers.total, templates.total)}
      </Text>
      {lines.length === 0 && <Text size="sm">{text.nothingNew}</Text>}
      {lines.map((line) => (
        <Text key={line} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {line}
        </Text>
      ))}
    </Stack>
  )
}

const linesOf = (text: SenderText, { added, changed, gone }: Result['numbers']): string[] => [
  ...(added.length > 0 ? [text.added(added)] : []),
  ...(changed.length > 0 ? [text.changed(changed)] : []),
  ...(gone.length > 0 ? [text.gone(gone)] : []),
]
