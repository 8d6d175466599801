import {
  Alert,
  Anchor,
  Button,
  Collapse,
  Group,
  List,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { DialogFoot, Secret } from '../ui/dialog/secret-dialog.tsx'
import { Loading } from '../ui/fallback.tsx'
import { ServerForm, useServerForm } from '../ui/form/server-form.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { ConnectEmulator } from './connect-emulator.tsx'
import { GRAPH_URL, isAtMeta } from './graph-url.ts'
import { syncSummary } from './sync.tsx'

/** A sandbox gets an account of the emulator with one click, which its empty page offers itself, or another by credentials. */
export function ConnectAccount({ hasAccount, onDone }: { hasAccount: boolean; onDone: () => void }) {
  const { t } = useTexts()
  const { sandbox } = useWorkspace()
  const [byHand, { open: enterCredentials }] = useDisclosure()
  if (!sandbox || !hasAccount || byHand) return <ConnectByHand onDone={onDone} />
  return (
    <Stack>
      <Text size="sm">
        {t('page_overview.emulator_means')} {t('page_senders.emulator_again')}
      </Text>
      <ConnectEmulator onDone={onDone} />
      <Button variant="subtle" size="compact-sm" w="fit-content" onClick={enterCredentials}>
        {t('page_senders.emulator_other')}
      </Button>
    </Stack>
  )
}

function ConnectByHand({ onDone }: { onDone: () => void }) {
  const { workspaceId, sandbox } = useWorkspace()
  const emulator = useQuery({ ...api.senders.emulatorUrl.queryOptions({ workspaceId }), enabled: sandbox })
  if (sandbox && emulator.isPending) return <Loading as="form" />
  return <ConnectForm emulatorUrl={emulator.data ?? null} onDone={onDone} />
}

function ConnectForm({ emulatorUrl, onDone }: { emulatorUrl: string | null; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId, sandbox } = useWorkspace()
  const labels = {
    wabaId: t('page_senders.waba'),
    accessToken: t('page_senders.token'),
    appSecret: t('page_senders.app_secret'),
    verifyToken: t('page_senders.verify_token'),
    graphUrl: t('page_senders.graph_url'),
  }
  const form = useServerForm(labels, {
    wabaId: '',
    accessToken: '',
    appSecret: '',
    verifyToken: '',
    graphUrl: emulatorUrl ?? '',
  })
  const [advanced, { open: showAdvanced, toggle }] = useDisclosure()
  const connect = useMutation(
    api.senders.connect.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries({ queryKey: api.senders.pathKey() })
        await queryClient.invalidateQueries({ queryKey: api.templates.pathKey() })
      },
      onError(error) {
        if (form.showFaults(error)['graphUrl'] !== undefined) showAdvanced()
      },
    }),
  )
  if (connect.data) return <Connected connected={connect.data} form={form.values} onDone={onDone} />
  /** These say where Meta shows the values. */
  const hint = (name: 'waba_hint' | 'token_hint' | 'app_secret_hint' | 'verify_token_hint') =>
    emulatorUrl === null && t(`page_senders.${name}`)
  const typed = { dir: 'ltr', autoComplete: 'off', spellCheck: false } as const
  const graphUrl = (
    <TextInput
      description={
        emulatorUrl === null ? t('page_senders.graph_hint', { url: GRAPH_URL }) : t('page_senders.graph_hint_emulator')
      }
      type="url"
      {...typed}
      {...form.field('graphUrl')}
    />
  )
  return (
    <ServerForm form={form} call={connect} onSubmit={(values) => connect.mutate({ workspaceId, ...values })}>
      <Text size="sm">
        {emulatorUrl === null ? (
          t('page_senders.connect_about')
        ) : (
          <>
            {t('page_senders.connect_about_emulator')}{' '}
            <Anchor
              inherit
              underline="always"
              href={`${emulatorUrl}/control/accounts`}
              target="_blank"
              rel="noreferrer"
            >
              {t('page_senders.emulator_accounts')}
            </Anchor>
          </>
        )}
      </Text>
      <TextInput
        description={hint('waba_hint')}
        inputMode="numeric"
        data-autofocus
        autoFocus
        {...typed}
        {...form.field('wabaId')}
      />
      <PasswordInput description={hint('token_hint')} {...typed} {...form.field('accessToken')} />
      <PasswordInput description={hint('app_secret_hint')} {...typed} {...form.field('appSecret')} />
      <Stack gap={6}>
        <TextInput description={hint('verify_token_hint')} {...typed} {...form.field('verifyToken')} />
        <Button
          variant="default"
          size="compact-sm"
          w="fit-content"
          onClick={() => form.setFieldValue('verifyToken', createVerifyToken())}
        >
          {t('page_senders.make')}
        </Button>
      </Stack>
      {sandbox ? (
        graphUrl
      ) : (
        <>
          <Button variant="subtle" size="compact-sm" w="fit-content" aria-expanded={advanced} onClick={toggle}>
            {t('page_senders.advanced')}
          </Button>
          <Collapse expanded={advanced}>{graphUrl}</Collapse>
        </>
      )}
      <DialogFoot>
        <Group>
          <Button type="submit" loading={connect.isPending}>
            {t('page_senders.connect_now')}
          </Button>
          <Text size="sm" role="status">
            {connect.isPending && t('page_senders.connecting')}
          </Text>
        </Group>
      </DialogFoot>
    </ServerForm>
  )
}

type Connection = {
  connected: RouterOutputs['senders']['connect']
  form: { wabaId: string; verifyToken: string; graphUrl: string }
  onDone: () => void
}

function Connected({ connected: { callbackUrl, known, numbers, templates }, form, onDone }: Connection) {
  const { t } = useTexts()
  const [wabaId, verifyToken, graphUrl] = [form.wabaId.trim(), form.verifyToken.trim(), form.graphUrl.trim()]
  const isEmulator = !isAtMeta(graphUrl)
  return (
    <Stack>
      <Alert color="success" title={t('page_senders.done_title')} role="status">
        {known && `${t('page_senders.done_known')} `}
        {t('page_senders.done_found', { found: syncSummary(numbers, templates) })}
      </Alert>
      <Title order={3} size="h5">
        {isEmulator ? t('page_senders.last_step_emulator') : t('page_senders.last_step')}
      </Title>
      {isEmulator ? (
        <CodeBlock
          label={t('page_senders.copy_command')}
          text={`curl -X PATCH ${graphUrl}/control/accounts/${wabaId} \\\n  -d '{"callbackUrl":"${callbackUrl}"}'`}
        />
      ) : (
        <List type="ordered" spacing={6} size="sm" withPadding>
          {([1, 2, 3, 4] as const).map((step) => (
            <List.Item key={step}>{t(`page_senders.steps_${step}`)}</List.Item>
          ))}
        </List>
      )}
      <Text size="sm" fw={600}>
        {t('page_senders.callback')}
      </Text>
      <CodeBlock text={callbackUrl} />
      {!isEmulator && !callbackUrl.startsWith('https://') && (
        <Alert color="warning">{t('page_senders.local_callback')}</Alert>
      )}
      <Text size="sm" fw={600}>
        {t('page_senders.verify_once')}
      </Text>
      <Secret text={verifyToken} />
      <Button w="fit-content" onClick={onDone}>
        {t('page_senders.done')}
      </Button>
    </Stack>
  )
}

const BYTES = 24

/** Unguessable, in letters and digits only. */
const createVerifyToken = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join('')
