import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type Answers, api, queries } from '../api.ts'
import { Label } from '../templates/label.tsx'
import { wordIn } from '../templates/status.tsx'
import { AskFirst } from '../ui/ask-first.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Failed } from '../ui/failed.tsx'
import { List } from '../ui/list.tsx'
import { slowly } from '../ui/live.ts'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { senderWords } from './words.ts'

type Sender = Answers['senders']['list'][number]

export function SenderList({ senders }: { senders: readonly Sender[] }) {
  const text = useWords(senderWords)
  const { workspaceId } = useWorkspace()
  const may = useMay()
  const { data: traffic } = useQuery({
    ...api.senders.traffic.queryOptions({ workspaceId }),
    ...slowly, // counts all messages of the day
  })
  const todayOf = (senderId: string): string => {
    if (!traffic) return '…'
    const { messages = 0, failed = 0 } = traffic.senders.find((each) => each.senderId === senderId) ?? {}
    return traffic.isWhole ? text.todayOf(messages, failed) : text.todayAtLeast(messages)
  }
  return (
    <List
      label={text.numbers}
      rows={senders}
      keyOf={({ senderId }) => senderId}
      columns={[
        {
          title: text.number,
          cell: ({ shownNumber, verifiedName }) => (
            <Stack gap={0}>
              <Text size="sm" fw={600} style={{ whiteSpace: 'nowrap' }}>
                <bdi className="as-typed">{shownNumber}</bdi>
              </Text>
              <Text size="sm">
                <bdi>{verifiedName}</bdi>
              </Text>
            </Stack>
          ),
        },
        { title: text.senderId, cell: ({ senderId }) => <Copyable text={senderId} /> },
        { title: text.canSend, cell: (sender) => <CanSend sender={sender} /> },
        { title: text.health, cell: (sender) => <Health sender={sender} /> },
        { title: text.today, cell: ({ senderId }) => todayOf(senderId) },
        ...(may.change ? [{ title: text.actions, cell: (sender: Sender) => <PauseOrResume sender={sender} /> }] : []),
      ]}
    />
  )
}

function CanSend({ sender }: { sender: Sender }) {
  const text = useWords(senderWords)
  const { obstacle, status, pausedAt, heldUntil } = sender
  return (
    <Stack gap={4} maw={320}>
      <Label color={obstacle === null ? 'teal' : 'red'}>
        <span aria-hidden="true">{obstacle === null ? '✓ ' : '✕ '}</span>
        {obstacle === null ? text.yes : text.no}
      </Label>
      {obstacle !== null && <Text size="sm">{text.why[obstacle]}</Text>}
      {(obstacle === 'status' || status !== 'CONNECTED') && (
        <Text size="xs" c="dimmed">
          {wordIn(text.statuses, status)} (<code>{status}</code>)
        </Text>
      )}
      {pausedAt !== null && (
        <Text size="xs" c="dimmed">
          {text.pausedSince} <Time at={pausedAt} />
        </Text>
      )}
      {obstacle === null && status === 'FLAGGED' && <Text size="sm">{text.flagged}</Text>}
      {obstacle === null && heldUntil !== null && (
        <Text size="sm">
          {text.heldUntil} <Time at={heldUntil} />
        </Text>
      )}
    </Stack>
  )
}

function Health({ sender: { quality, throughput } }: { sender: Sender }) {
  const text = useWords(senderWords)
  const hint = quality === 'YELLOW' || quality === 'RED' ? text.qualityHints[quality] : undefined
  return (
    <Stack gap={2} maw={240}>
      <Text size="sm">
        {text.quality}: {wordIn(text.qualities, quality ?? 'UNKNOWN')}
      </Text>
      {hint !== undefined && <Text size="sm">{hint}</Text>}
      <Text size="xs" c="dimmed">
        {text.throughput}: {throughput === null ? text.paceUnknown : wordIn(text.paces, throughput)}
      </Text>
    </Stack>
  )
}

const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: api.senders.pathKey() })

function PauseOrResume({ sender }: { sender: Sender }) {
  const text = useWords(senderWords)
  const { workspaceId } = useWorkspace()
  const { senderId, shownNumber, pausedAt, goneAt } = sender
  const pause = useMutation(api.senders.pause.mutationOptions({ onSuccess: refresh }))
  const resume = useMutation(api.senders.resume.mutationOptions({ onSuccess: refresh }))
  if (pausedAt !== null)
    return (
      <Stack gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          w="fit-content"
          loading={resume.isPending}
          onClick={() => resume.mutate({ workspaceId, senderId })}
        >
          {text.resume}
        </Button>
        {resume.error && <Failed error={resume.error} />}
      </Stack>
    )
  if (goneAt !== null) return null
  return (
    <AskFirst
      label={text.pause}
      button={{ size: 'compact-sm', variant: 'default' }}
      title={text.pauseTitle(shownNumber)}
      doing={pause}
      yes={text.pause}
      no={text.cancel}
      onYes={() => pause.mutateAsync({ workspaceId, senderId })}
    >
      <Text size="sm">{text.pauseAsk}</Text>
    </AskFirst>
  )
}
