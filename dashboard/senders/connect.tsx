import { Alert, Button, Collapse, Group, List, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type Answers, api, faultsOf, queries } from '../api.ts'
import { Copyable } from '../ui/copy.tsx'
import { Failed } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { madeVerifyToken } from './verify-token.ts'
import { senderWords } from './words.ts'

const EMPTY = { wabaId: '', accessToken: '', appSecret: '', verifyToken: '', graphUrl: '' }

export function ConnectAccount({ onDone }: { onDone: () => void }) {
  const text = useWords(senderWords)
  const { workspaceId, sandbox } = useWorkspace()
  const faultsIn = useFaults({
    wabaId: text.waba,
    accessToken: text.token,
    appSecret: text.appSecret,
    verifyToken: text.verifyToken,
    graphUrl: text.graphUrl,
  })
  const form = useForm({ initialValues: EMPTY })
  const [advanced, { open: showAdvanced, toggle }] = useDisclosure(sandbox)
  const connect = useMutation(
    api.senders.connect.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries({ queryKey: api.senders.pathKey() })
        await queries.invalidateQueries({ queryKey: api.templates.pathKey() })
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
        <Text size="sm">{text.connectAbout}</Text>
        <TextInput
          label={text.waba}
          description={text.wabaHint}
          inputMode="numeric"
          data-autofocus
          {...typed}
          {...form.getInputProps('wabaId')}
        />
        <PasswordInput
          label={text.token}
          description={text.tokenHint}
          {...typed}
          {...form.getInputProps('accessToken')}
        />
        <PasswordInput
          label={text.appSecret}
          description={text.appSecretHint}
          {...typed}
          {...form.getInputProps('appSecret')}
        />
        <Stack gap={6}>
          <TextInput
            label={text.verifyToken}
            description={text.verifyTokenHint}
            {...typed}
            {...form.getInputProps('verifyToken')}
          />
          <Button
            variant="default"
            size="compact-sm"
            w="fit-content"
            onClick={() => form.setFieldValue('verifyToken', madeVerifyToken())}
          >
            {text.make}
          </Button>
        </Stack>
        <Button variant="subtle" size="compact-sm" w="fit-content" aria-expanded={advanced} onClick={toggle}>
          {text.advanced}
        </Button>
        <Collapse expanded={advanced}>
          <TextInput
            label={text.graphUrl}
            description={text.graphHint}
            placeholder="https://graph.facebook.com"
            type="url"
            {...typed}
            {...form.getInputProps('graphUrl')}
          />
        </Collapse>
        {connect.error && faultsOf(connect.error).length === 0 && <Failed error={connect.error} />}
        <Group>
          <Button type="submit" loading={connect.isPending}>
            {text.connectNow}
          </Button>
          <Text size="sm" role="status">
            {connect.isPending && text.connecting}
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
  connected: Answers['senders']['connect']
  verifyToken: string
  onDone: () => void
}) {
  const text = useWords(senderWords)
  const { callbackUrl, known, numbers, templates } = connected
  return (
    <Stack>
      <Alert color="teal" title={text.doneTitle} role="status">
        {known && `${text.doneKnown} `}
        {text.doneFound(numbers, templates)}
      </Alert>
      <Title order={3} size="h5">
        {text.lastStep}
      </Title>
      <List type="ordered" spacing={6} size="sm" withPadding>
        {text.steps.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
      <Text size="sm" fw={600}>
        {text.callback}
      </Text>
      <Copyable text={callbackUrl} block />
      {!callbackUrl.startsWith('https://') && <Alert color="yellow">{text.localCallback}</Alert>}
      <Text size="sm" fw={600}>
        {text.verifyOnce}
      </Text>
      <Copyable text={verifyToken} block />
      <Button w="fit-content" onClick={onDone}>
        {text.done}
      </Button>
    </Stack>
  )
}
