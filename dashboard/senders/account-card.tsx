import { Alert, Button, Group, Modal, Paper, PasswordInput, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { type CodedText, asWritten } from '../../locales/text.ts'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Copyable } from '../ui/as-typed.tsx'
import { DangerDialog } from '../ui/dialog/confirm-dialog.tsx'
import { type Fact, FactItem } from '../ui/facts.tsx'
import { Failed } from '../ui/fallback.tsx'
import { ServerForm, useServerForm } from '../ui/form/server-form.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { colourOf, toneOf } from '../ui/state/status.ts'
import { OutcomeBanner, Status } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { GRAPH_URL, isAtMeta } from './graph-url.ts'
import { type Account, SyncState, refreshSenders, syncSummary, useSync } from './sync.tsx'

export function AccountCard({ account, numbers }: { account: Account; numbers: number }) {
  const { t, textOf } = useTexts()
  const { wabaId, status, statusDetail, syncedAt, syncDueAt, templates, callbackUrl, graphUrl } = account
  const facts: Fact[] = [
    [t('page_senders.waba'), <Copyable text={wabaId} />],
    [
      t('page_senders.last_sync'),
      syncedAt === null ? t('page_senders.never_synced') : <Time at={syncedAt} kind="past" />,
    ],
    [t('page_senders.next_sync'), <Time at={syncDueAt} kind="due" />],
    [
      t('page_senders.holds'),
      <AnchorLink size="sm" to="/w/$workspaceId/templates">
        {textOf(syncSummary(numbers, templates))}
      </AnchorLink>,
    ],
    [t('page_senders.callback'), <Copyable text={callbackUrl} />],
  ]
  if (graphUrl !== GRAPH_URL) facts.push([t('page_senders.graph_url'), <code>{graphUrl}</code>])
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Status of="account" value={status} />
        {status !== 'connected' && (
          <Alert
            color={toneOf(colourOf('account', status))}
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
          {facts.map((fact) => (
            <FactItem key={fact[0]} fact={fact} />
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
        <Renew account={account} onDone={close} />
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

function Renew({ account: { accountId, graphUrl }, onDone }: { account: Account; onDone: () => void }) {
  const { t } = useTexts()
  /** The hints say where Meta shows the values. */
  const hasHints = isAtMeta(graphUrl)
  const { workspaceId } = useWorkspace()
  const labels = {
    accessToken: t('page_senders.token'),
    appSecret: t('page_senders.app_secret'),
    verifyToken: t('page_senders.verify_token'),
  }
  const form = useServerForm(labels, { accessToken: '', appSecret: '', verifyToken: '' })
  const renew = useMutation(
    api.senders.renew.mutationOptions({
      onSuccess: refreshSenders,
      onError: form.showFaults,
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
    <ServerForm form={form} call={renew} onSubmit={(values) => renew.mutate({ workspaceId, accountId, ...values })}>
      <Text size="sm">{t('page_senders.renew_about')}</Text>
      <PasswordInput
        description={hasHints && t('page_senders.token_hint')}
        dir="ltr"
        autoComplete="off"
        data-autofocus
        {...form.field('accessToken')}
      />
      <PasswordInput
        description={hasHints && t('page_senders.app_secret_hint')}
        dir="ltr"
        autoComplete="off"
        {...form.field('appSecret')}
      />
      <PasswordInput
        description={hasHints && t('page_senders.verify_token_hint')}
        dir="ltr"
        autoComplete="off"
        {...form.field('verifyToken')}
      />
      <Button type="submit" w="fit-content" loading={renew.isPending}>
        {t('page_senders.renew')}
      </Button>
    </ServerForm>
  )
}

type Verdict = {
  account: Account
  /** The apps that get the account's webhooks. */
  apps: readonly string[]
  onChange: () => void
}

/** Whether the account's webhooks arrive, and what to do if they do not. */
function WebhooksVerdict({ account: { accountId, callbackUrl, graphUrl }, apps, onChange }: Verdict) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const subscribe = useMutation(api.senders.subscribe.mutationOptions({ onSuccess: onChange }))
  if (apps.length === 0)
    return (
      <OutcomeBanner
        tone="warning"
        title={t('page_senders.webhooks_off')}
        action={
          <Button
            size="xs"
            variant="default"
            loading={subscribe.isPending}
            onClick={() => subscribe.mutate({ workspaceId, accountId })}
          >
            {t('page_senders.webhooks_turn_on')}
          </Button>
        }
      >
        <Text size="sm">{t('page_senders.webhooks_off_means')}</Text>
        {subscribe.error && <Failed error={subscribe.error} />}
      </OutcomeBanner>
    )
  if (isAtMeta(graphUrl) && !callbackUrl.startsWith('https://'))
    return (
      <Alert color="warning" title={t('page_senders.webhooks_unreachable')}>
        {t('page_senders.local_callback')}
      </Alert>
    )
  return (
    <Alert color="success" title={t('page_senders.webhooks_on')}>
      {t('page_senders.webhooks_on_means', { apps: apps.map(asWritten) })}
    </Alert>
  )
}
