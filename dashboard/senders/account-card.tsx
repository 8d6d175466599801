import { Alert, Anchor, Button, Group, Modal, Paper, PasswordInput, SimpleGrid, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Answers, api, faultsOf } from '../api.ts'
import { Label } from '../templates/label.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Fact } from '../ui/facts.tsx'
import { Failed } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { SyncState, refreshSenders, useSync } from './sync.tsx'
import { senderWords } from './words.ts'

type Account = Answers['senders']['accounts'][number]

const GRAPH_URL = 'https://graph.facebook.com'

export function AccountCard({ account, numbers }: { account: Account; numbers: number }) {
  const text = useWords(senderWords)
  const { workspaceId } = useWorkspace()
  const { wabaId, status, statusDetail, syncedAt, syncDueAt, templates, callbackUrl, graphUrl } = account
  const facts: [string, ReactNode][] = [
    [text.waba, <Copyable key="waba" text={wabaId} />],
    [text.lastSync, syncedAt === null ? text.neverSynced : <Time key="synced" at={syncedAt} />],
    [text.nextSync, <Time key="due" at={syncDueAt} />],
    [
      text.holds,
      <Anchor
        key="templates"
        size="sm"
        renderRoot={(props) => <Link {...props} to="/w/$workspaceId/templates" params={{ workspaceId }} />}
      >
        {text.found(numbers, templates)}
      </Anchor>,
    ],
    [text.callback, <Copyable key="callback" text={callbackUrl} />],
    ...(graphUrl === GRAPH_URL ? [] : [[text.graphUrl, <code key="graph">{graphUrl}</code>] as [string, ReactNode]]),
  ]
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Label color={status === 'connected' ? 'teal' : 'red'}>
          <span aria-hidden="true">{status === 'connected' ? '✓ ' : '✕ '}</span>
          {status === 'connected' ? text.connected : text.invalid}
        </Label>
        {status !== 'connected' && (
          <Alert color="red" title={text.invalidHint}>
            <Detail text={statusDetail} />
          </Alert>
        )}
        {status === 'connected' && statusDetail !== null && (
          <Alert color="yellow" title={text.lastFailed}>
            <Detail text={statusDetail} />
          </Alert>
        )}
        <SimpleGrid component="dl" m={0} cols={{ base: 1, sm: 2 }} spacing="sm">
          {facts.map(([title, value]) => (
            <Fact key={title} title={title}>
              {value}
            </Fact>
          ))}
        </SimpleGrid>
        <Actions account={account} numbers={numbers} />
      </Stack>
    </Paper>
  )
}

const Detail = ({ text }: { text: string | null }) => (
  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
    {text}
  </Text>
)

function Actions({ account, numbers }: { account: Account; numbers: number }) {
  const text = useWords(senderWords)
  const may = useMay()
  const { workspaceId } = useWorkspace()
  const { accountId } = account
  const [renewing, { open, close }] = useDisclosure()
  const sync = useSync(accountId)
  const subscribers = useMutation(api.senders.subscribers.mutationOptions())
  if (!may.change) return <SyncState sync={sync} account={account} numbers={numbers} />
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Button size="xs" loading={sync.isUnderWay} onClick={sync.start}>
          {text.sync}
        </Button>
        <Button size="xs" variant="default" onClick={open}>
          {text.renew}
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={subscribers.isPending}
          onClick={() => subscribers.mutate({ workspaceId, accountId })}
        >
          {text.webhooks}
        </Button>
      </Group>
      <div>
        <SyncState sync={sync} account={account} numbers={numbers} />
        <div role="status">
          {subscribers.data && (
            <Text size="sm">
              {subscribers.data.length === 0 ? text.noSubscribers : text.subscribers(subscribers.data)}
            </Text>
          )}
        </div>
      </div>
      {subscribers.error && <Failed error={subscribers.error} />}
      <Modal opened={renewing} onClose={close} title={text.renewTitle} size="lg">
        <Renew accountId={accountId} onDone={close} />
      </Modal>
    </Stack>
  )
}

function Renew({ accountId, onDone }: { accountId: string; onDone: () => void }) {
  const text = useWords(senderWords)
  const { workspaceId } = useWorkspace()
  const faultsIn = useFaults({ accessToken: text.token, appSecret: text.appSecret, verifyToken: text.verifyToken })
  const form = useForm({ initialValues: { accessToken: '', appSecret: '', verifyToken: '' } })
  const renew = useMutation(
    api.senders.renew.mutationOptions({
      onSuccess: refreshSenders,
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  if (renew.data)
    return (
      <Stack>
        <Text role="status">{text.renewed}</Text>
        <Button w="fit-content" onClick={onDone}>
          {text.done}
        </Button>
      </Stack>
    )
  return (
    <form noValidate onSubmit={form.onSubmit((values) => renew.mutate({ workspaceId, accountId, ...values }))}>
      <Stack>
        <Text size="sm">{text.renewAbout}</Text>
        <PasswordInput
          label={text.token}
          description={text.tokenHint}
          dir="ltr"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('accessToken')}
        />
        <PasswordInput
          label={text.appSecret}
          description={text.appSecretHint}
          dir="ltr"
          autoComplete="off"
          {...form.getInputProps('appSecret')}
        />
        <PasswordInput
          label={text.verifyToken}
          description={text.verifyTokenHint}
          dir="ltr"
          autoComplete="off"
          {...form.getInputProps('verifyToken')}
        />
        {renew.error && faultsOf(renew.error).length === 0 && <Failed error={renew.error} />}
        <Button type="submit" w="fit-content" loading={renew.isPending}>
          {text.renew}
        </Button>
      </Stack>
    </form>
  )
}
