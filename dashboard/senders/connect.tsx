import { Alert, Button, Collapse, Group, List, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { useFaults } from '../ui/faults.ts'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { createVerifyToken } from './verify-token.ts'

const EMPTY = { wabaId: '', accessToken: '', appSecret: '', verifyToken: '', graphUrl: '' }

export function ConnectAccount({ onDone }: { onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId, sandbox } = useWorkspace()
  const labels = {
    wabaId: t('page_senders.waba'),
    accessToken: t('page_senders.token'),
    appSecret: t('page_senders.app_secret'),
    verifyToken: t('page_senders.verify_token'),
    graphUrl: t('page_senders.graph_url'),
  }
  const faultsIn = useFaults(labels)
  const form = useForm({ initialValues: EMPTY })
  const [advanced, { open: showAdvanced, toggle }] = useDisclosure(sandbox)
  const connect = useMutation(
    api.senders.connect.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries({ queryKey: api.senders.pathKey() })
        await queryClient.invalidateQueries({ queryKey: api.templates.pathKey() })
      },
      onError(error) {
        const faults = faultsIn(error)
        form.setErrors(faults)
        if (faults['graphUrl'] !== undefined) showAdvanced()
      },
    }),
  )
  if (connect.data)
    return <Connected connected={connect.data} verifyToken={form.values.verifyToken.trim()} onDone={onDone} />
  const typed = { dir: 'ltr', autoComplete: 'off', spellCheck: false } as const
  return (
    <form noValidate onSubmit={form.onSubmit((values) => connect.mutate({ workspaceId, ...values }))}>
      <Stack>
        <FormErrors errors={form.errors} labels={labels} failed={connect.error} />
        <Text size="sm">{t('page_senders.connect_about')}</Text>
        <TextInput
          label={t('page_senders.waba')}
          description={t('page_senders.waba_hint')}
          inputMode="numeric"
          data-autofocus
          {...typed}
          {...form.getInputProps('wabaId')}
        />
        <PasswordInput
          label={t('page_senders.token')}
          description={t('page_senders.token_hint')}
          {...typed}
          {...form.getInputProps('accessToken')}
        />
        <PasswordInput
          label={t('page_senders.app_secret')}
          description={t('page_senders.app_secret_hint')}
          {...typed}
          {...form.getInputProps('appSecret')}
        />
        <Stack gap={6}>
          <TextInput
            label={t('page_senders.verify_token')}
            description={t('page_senders.verify_token_hint')}
            {...typed}
            {...form.getInputProps('verifyToken')}
          />
          <Button
            variant="default"
            size="compact-sm"
            w="fit-content"
            onClick={() => form.setFieldValue('verifyToken', createVerifyToken())}
          >
            {t('page_senders.make')}
          </Button>
        </Stack>
        <Button variant="subtle" size="compact-sm" w="fit-content" aria-expanded={advanced} onClick={toggle}>
          {t('page_senders.advanced')}
        </Button>
        <Collapse expanded={advanced}>
          <TextInput
            label={t('page_senders.graph_url')}
            description={t('page_senders.graph_hint')}
            placeholder="https://graph.facebook.com"
            type="url"
            {...typed}
            {...form.getInputProps('graphUrl')}
          />
        </Collapse>
        <Group>
          <Button type="submit" loading={connect.isPending}>
            {t('page_senders.connect_now')}
          </Button>
          <Text size="sm" role="status">
            {connect.isPending && t('page_senders.connecting')}
          </Text>
        </Group>
      </Stack>
    </form>
  )
}

function Connected({
  connected,
  verifyToken,
  onDone,
}: {
  connected: RouterOutputs['senders']['connect']
  verifyToken: string
  onDone: () => void
}) {
  const { t } = useTexts()
  const { callbackUrl, known, numbers, templates } = connected
  return (
    <Stack>
      <Alert color="teal" title={t('page_senders.done_title')} role="status">
        {known && `${t('page_senders.done_known')} `}
        {t('page_senders.done_found', { numbers, templates })}
      </Alert>
      <Title order={3} size="h5">
        {t('page_senders.last_step')}
      </Title>
      <List type="ordered" spacing={6} size="sm" withPadding>
        {([1, 2, 3, 4] as const).map((step) => (
          <List.Item key={step}>{t(`page_senders.steps_${step}`)}</List.Item>
        ))}
      </List>
      <Text size="sm" fw={600}>
        {t('page_senders.callback')}
      </Text>
      <Copyable text={callbackUrl} block />
      {!callbackUrl.startsWith('https://') && <Alert color="yellow">{t('page_senders.local_callback')}</Alert>}
      <Text size="sm" fw={600}>
        {t('page_senders.verify_once')}
      </Text>
      <Copyable text={verifyToken} block />
      <Button w="fit-content" onClick={onDone}>
        {t('page_senders.done')}
      </Button>
    </Stack>
  )
}
