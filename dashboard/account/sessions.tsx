import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { type Answers, api, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { List } from '../ui/list.tsx'
import { Time } from '../ui/time.tsx'
import { useWords } from '../words.ts'
import { deviceOf } from './device.ts'
import { accountWords } from './words.ts'

type Session = Answers['account']['sessions'][number]

export function Sessions() {
  const text = useWords(accountWords)
  const { data } = useSuspenseQuery(api.account.sessions.queryOptions())
  const end = useMutation(
    api.account.endSession.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.account.pathKey() }),
    }),
  )
  const everywhere = useMutation(
    api.account.signOutEverywhere.mutationOptions({ onSuccess: () => location.assign('/dashboard/sign-in') }),
  )
  const askFirst = (): void => {
    modals.openConfirmModal({
      title: text.everywhere,
      children: <Text size="sm">{text.everywhereAbout}</Text>,
      labels: { confirm: text.everywhere, cancel: text.stay },
      confirmProps: { color: 'red' },
      onConfirm: () => everywhere.mutate(),
    })
  }
  return (
    <Stack gap="sm">
      <List
        label={text.sessions}
        rows={data}
        keyOf={({ sessionId }) => sessionId}
        columns={[
          { title: text.device, cell: (session) => <DeviceCell session={session} /> },
          { title: text.signedInAt, times: true, cell: ({ signedInAt }) => <Time at={signedInAt} /> },
          { title: text.lastUsed, times: true, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
          {
            title: text.actions,
            cell: (session) =>
              session.current ? (
                '–'
              ) : (
                <Button
                  size="compact-sm"
                  variant="default"
                  loading={end.isPending && end.variables?.sessionId === session.sessionId}
                  aria-label={`${text.signOut}: ${nameOf(session.device) ?? text.unknownDevice}`}
                  onClick={() => end.mutate({ sessionId: session.sessionId })}
                >
                  {text.signOut}
                </Button>
              ),
          },
        ]}
      />
      {(end.error ?? everywhere.error) && <Failed error={end.error ?? everywhere.error} />}
      <Button variant="default" w="fit-content" loading={everywhere.isPending} onClick={askFirst}>
        {text.everywhere}
      </Button>
    </Stack>
  )
}

function DeviceCell({ session: { device, address, current } }: { session: Session }) {
  const text = useWords(accountWords)
  return (
    <Group gap="xs">
      <span>
        {nameOf(device) ?? text.unknownDevice} {address && <code>{address}</code>}
      </span>
      {current && (
        <Badge variant="light" style={{ flexShrink: 0 }}>
          <Text span inherit c="var(--mantine-color-text)">
            {text.thisOne}
          </Text>
        </Badge>
      )}
    </Group>
  )
}

/** "Firefox · Windows" */
export function nameOf(userAgent: string | null): string | undefined {
  const { browser, system } = deviceOf(userAgent)
  return [browser, system].filter(Boolean).join(' · ') || undefined
}
