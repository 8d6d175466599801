import { Box, Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { translateWord, useTexts } from '../texts/use-texts.ts'
import { Copyable, PhoneNumber } from '../ui/as-typed.tsx'
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx'
import { Failed } from '../ui/fallback.tsx'
import { List } from '../ui/list/list.tsx'
import { phoneText } from '@doorcode/whatsapp-emulator/wire/phone-groups.ts'
import { slowPolling } from '../ui/shell/refetch.ts'
import { Status } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { showUndo } from '../ui/undo.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'

type Sender = RouterOutputs['senders']['list'][number]

export function SenderList({ senders }: { senders: readonly Sender[] }) {
  const { t, n } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const { data: traffic } = useQuery({
    ...api.senders.traffic.queryOptions({ workspaceId }),
    ...slowPolling, // counts all messages of the day
  })
  const todayOf = (senderId: string): string => {
    if (!traffic) return '…'
    const { messages = 0, failed = 0 } = traffic.senders.find((each) => each.senderId === senderId) ?? {}
    if (!traffic.isComplete) return t('page_senders.today_at_least', { messages: n(messages) })
    return failed === 0
      ? t('page_senders.sent_today', { count: messages })
      : t('page_senders.sent_today_failed', { count: messages, failed: n(failed) })
  }
  return (
    <List
      label={t('page_senders.numbers')}
      rows={senders}
      keyOf={({ senderId }) => senderId}
      columns={[
        {
          title: t('page_senders.number'),
          cell: ({ phoneNumber, verifiedName }) => (
            <Stack gap={0}>
              <Text size="sm" fw={600}>
                <PhoneNumber of={phoneNumber} />
              </Text>
              <Text size="sm">
                <bdi>{verifiedName}</bdi>
              </Text>
            </Stack>
          ),
        },
        { title: t('page_senders.sender_id'), phone: 'line', cell: ({ senderId }) => <SenderId of={senderId} /> },
        { title: t('page_senders.can_send'), phone: 'line', cell: (sender) => <CanSend sender={sender} /> },
        { title: t('page_senders.health'), phone: 'line', cell: (sender) => <Health sender={sender} /> },
        { title: t('page_senders.today'), from: 'laptop', cell: ({ senderId }) => todayOf(senderId) },
        ...(may.change
          ? [
              {
                title: t('page_senders.actions'),
                phone: 'status' as const,
                cell: (sender: Sender) => <PauseOrResume sender={sender} />,
              },
            ]
          : []),
      ]}
    />
  )
}

/** Two lines on a tablet. */
const SenderId = ({ of }: { of: string }) => (
  <Box miw="11.5rem">
    <Copyable text={of} />
  </Box>
)

function CanSend({ sender }: { sender: Sender }) {
  const texts = useTexts()
  const { t } = texts
  const { obstacle, status, pausedAt, breakerOpenUntil } = sender
  return (
    <Stack gap={4} maw={320}>
      <Status of="sender" value={obstacle === null ? 'can_send' : obstacle === 'paused' ? 'paused' : 'cannot_send'} />
      {obstacle !== null && <Text size="sm">{t(`page_senders.why_${obstacle}`)}</Text>}
      {(obstacle === 'status' || status !== 'CONNECTED') && (
        <Text size="xs" c="dimmed">
          {translateWord(texts, 'page_senders.statuses', status)} (<code>{status}</code>)
        </Text>
      )}
      {pausedAt !== null && (
        <Text size="xs" c="dimmed">
          {t('page_senders.paused_since')} <Time at={pausedAt} kind="past" />
        </Text>
      )}
      {obstacle === null && status === 'FLAGGED' && <Text size="sm">{t('page_senders.flagged')}</Text>}
      {obstacle === null && breakerOpenUntil !== null && (
        <Text size="sm">
          {t('page_senders.breaker_open_until')} <Time at={breakerOpenUntil} kind="due" />
        </Text>
      )}
    </Stack>
  )
}

function Health({ sender: { quality, throughput } }: { sender: Sender }) {
  const texts = useTexts()
  const { t } = texts
  return (
    <Stack gap={2} maw={240}>
      <Text size="sm">
        {t('page_senders.quality')}
        {t('page_shell.colon')}
        {translateWord(texts, 'page_senders.qualities', quality ?? 'UNKNOWN')}
      </Text>
      {quality === 'YELLOW' && <Text size="sm">{t('page_senders.quality_hints_yellow')}</Text>}
      {quality === 'RED' && <Text size="sm">{t('page_senders.quality_hints_red')}</Text>}
      <Text size="xs" c="dimmed">
        {t('page_senders.throughput')}
        {t('page_shell.colon')}
        {throughput === null ? t('page_senders.pace_unknown') : translateWord(texts, 'page_senders.paces', throughput)}
      </Text>
    </Stack>
  )
}

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: api.senders.pathKey() })

function PauseOrResume({ sender }: { sender: Sender }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { senderId, phoneNumber, pausedAt, goneAt } = sender
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
          {t('page_senders.resume')}
        </Button>
        {resume.error && <Failed error={resume.error} />}
      </Stack>
    )
  if (goneAt !== null) return null
  return (
    <ConfirmDialog
      label={t('page_senders.pause')}
      button={{ size: 'compact-sm', variant: 'default' }}
      title={t('page_senders.pause_title', { phone: phoneText(phoneNumber) })}
      doing={pause}
      yes={t('page_senders.pause')}
      onYes={async () => {
        await pause.mutateAsync({ workspaceId, senderId })
        showUndo(t('page_senders.paused_now', { phone: phoneText(phoneNumber) }), () =>
          resume.mutateAsync({ workspaceId, senderId }),
        )
      }}
    >
      <Text size="sm">{t('page_senders.pause_ask')}</Text>
    </ConfirmDialog>
  )
}
