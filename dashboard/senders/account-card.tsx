import type { CodedText } from '../../locales/text.ts'
import { Alert, Anchor, Button, Group, Modal, Paper, PasswordInput, SimpleGrid, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { DangerDialog } from '../ui/dialog/danger-dialog.tsx'
import { Fact } from '../ui/facts.tsx'
import { Failed } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { Status } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { type Account, GRAPH_URL } from './account.ts'
import { SyncState, refreshSenders, useSync, syncSummary } from './sync.tsx'
import { WebhooksVerdict } from './webhooks-verdict.tsx'

export function AccountCard({ account, numbers }: { account: Account; numbers: number }) {
  const { t, textOf } = useTexts()
  const { workspaceId } = useWorkspace()
  const { wabaId, status, statusDetail, syncedAt, syncDueAt, templates, callbackUrl, graphUrl } = account
  const facts: [string, ReactNode][] = [
    [t('page_senders.waba'), <Copyable key="waba" text={wabaId} />],
    [
      t('page_senders.last_sync'),
      syncedAt === null ? t('page_senders.never_synced') : <Time key="synced" at={syncedAt} kind="past" />,
    ],
    [t('page_senders.next_sync'), <Time key="due" at={syncDueAt} kind="due" />],
    [
      t('page_senders.holds'),
      <Anchor
        key="templates"
        size="sm"
        renderRoot={(props) => <Link {...props} to="/w/$workspaceId/templates" params={{ workspaceId }} />}
      >
        {textOf(syncSummary(numbers, templates))}
      </Anchor>,
    ],
    [t('page_senders.callback'), <Copyable key="callback" text={callbackUrl} />],
    ...(graphUrl === GRAPH_URL
      ? []
      : [[t('page_senders.graph_url'), <code key="graph">{graphUrl}</code>] as [string, ReactNode]]),
  ]
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Status of="account" value={status} />
        {status !== 'connected' && (
          <Alert
            color="red"
            title={
              status === 'credentials_unreadable' ? t('page_senders.unreadable_hint') : t('page_senders.invalid_hint')
            }
          >
            <Detail text={statusDetail} />
          </Alert>
        )}
        {status === 'connected' && statusDetail !== null && (
          <Alert color="warning" title={t('page_senders.last_failed')}>
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

function Detail({ text }: { text: CodedText | null }) {
  const { textOf } = useTexts()
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {text && textOf(text)}
    </Text>
  )
}

function Actions({ account, numbers }: { account: Account; numbers: number }) {
  const { t } = useTexts()
  const may = usePermissions()
  const { workspaceId } = useWorkspace()
  const { accountId } = account
  const [renewing, { open, close }] = useDisclosure()
  const sync = useSync(accountId)
  const subscribers = useMutation(api.senders.subscribers.mutationOptions())
  const check = (): void => subscribers.mutate({ workspaceId, accountId })
  if (!may.change) return <SyncState sync={sync} account={account} numbers={numbers} />
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Button size="xs" variant="default" loading={sync.isUnderWay} onClick={sync.start}>
          {t('page_senders.sync')}
        </Button>
        <Button size="xs" variant="default" loading={subscribers.isPending} onClick={check}>
          {t('page_senders.webhooks')}
        </Button>
        <Button size="xs" variant="default" onClick={open}>
          {t('page_senders.renew')}
        </Button>
        <DeleteAccount account={account} />
      </Group>
      <div>
        <SyncState sync={sync} account={account} numbers={numbers} />
        <div role="status">
          {subscribers.data && <WebhooksVerdict account={account} apps={subscribers.data} onChange={check} />}
        </div>
      </div>
      {subscribers.error && <Failed error={subscribers.error} />}
      <Modal opened={renewing} onClose={close} title={t('page_senders.renew_title')} size="lg">
        <Renew accountId={accountId} onDone={close} />
      </Modal>
    </Stack>
  )
}

function DeleteAccount({ account: { accountId, wabaId } }: { account: Account }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const remove = useMutation(
    api.senders.removeAccount.mutationOptions({
      async onSuccess() {
        notifications.show({ message: t('page_senders.deleted') })
        await refreshSenders()
      },
    }),
  )
  return (
    <DangerDialog
      label={t('page_senders.delete')}
      button={{ size: 'xs', variant: 'default', c: 'red', ms: 'auto' }}
      title={t('page_senders.delete_title')}
      name={wabaId}
      yes={t('page_senders.delete')}
      doing={remove}
      onYes={(typed) => remove.mutateAsync({ workspaceId, accountId, wabaId: typed })}
    >
      <Text size="sm">{t('page_senders.delete_loses')}</Text>
      <Text size="sm">{t('page_senders.delete_waiting')}</Text>
      <Text size="sm">{t('page_senders.delete_stays')}</Text>
    </DangerDialog>
  )
}

function Renew({ accountId, onDone }: { accountId: string; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const labels = {
    accessToken: t('page_senders.token'),
    appSecret: t('page_senders.app_secret'),
    verifyToken: t('page_senders.verify_token'),
  }
  const faultsIn = useFaults(labels)
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
        <Text role="status">{t('page_senders.renewed')}</Text>
        <Button w="fit-content" onClick={onDone}>
          {t('page_senders.done')}
        </Button>
      </Stack>
    )
  return (
    <form noValidate onSubmit={form.onSubmit((values) => renew.mutate({ workspaceId, accountId, ...values }))}>
      <Stack>
        <FormErrors errors={form.errors} labels={labels} failed={renew.error} />
        <Text size="sm">{t('page_senders.renew_about')}</Text>
        <PasswordInput
          label={t('page_senders.token')}
          description={t('page_senders.token_hint')}
          dir="ltr"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('accessToken')}
        />
        <PasswordInput
          label={t('page_senders.app_secret')}
          description={t('page_senders.app_secret_hint')}
          dir="ltr"
          autoComplete="off"
          {...form.getInputProps('appSecret')}
        />
        <PasswordInput
          label={t('page_senders.verify_token')}
          description={t('page_senders.verify_token_hint')}
          dir="ltr"
          autoComplete="off"
          {...form.getInputProps('verifyToken')}
        />
        <Button type="submit" w="fit-content" loading={renew.isPending}>
          {t('page_senders.renew')}
        </Button>
      </Stack>
    </form>
  )
}
