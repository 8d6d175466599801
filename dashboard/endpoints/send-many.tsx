import { Alert, Button, Checkbox, Group, Modal, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { api, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { EVENT_TYPES, type LogSearch } from './search.ts'
import { SendingProgress } from './sending.tsx'
import { type Choice, useSendAll } from './use-send-all.ts'
import { endpointWords } from './words.ts'
import { instantOf, localIn } from './zone-time.ts'

/** Chooses what is sent again, counts it, and sends exactly what was counted. */
export function SendMany({ endpointId, search }: { endpointId: string; search: LogSearch }) {
  const text = useWords(endpointWords)
  const [opened, { open, close }] = useDisclosure()
  const run = useSendAll(endpointId)
  const end = (): void => {
    run.stop()
    run.forget()
    close()
  }
  return (
    <>
      <Button variant="default" onClick={open}>
        {text.many}
      </Button>
      <Modal
        opened={opened}
        onClose={run.isBusy ? () => {} : end}
        withCloseButton={!run.isBusy}
        title={text.many}
        size="lg"
      >
        {run.sending.phase === 'idle' ? (
          <Choosing endpointId={endpointId} search={search} run={run} />
        ) : (
          <SendingProgress run={run} />
        )}
      </Modal>
    </>
  )
}

type Choosing = { endpointId: string; search: LogSearch; run: ReturnType<typeof useSendAll> }

function Choosing({ endpointId, search, run }: Choosing) {
  const text = useWords(endpointWords)
  const { workspaceId, timeZone } = useWorkspace()
  const count = useMutation({
    mutationFn: async (choice: Choice) => ({
      choice,
      ...(await queries.fetchQuery({
        ...api.endpoints.countChosen.queryOptions({ workspaceId, endpointId, ...choice }),
        staleTime: 0,
      })),
    }),
  })
  const form = useForm({
    initialValues: {
      statuses: statusesOf(search),
      type: search.type ?? '',
      from: search.from ? localIn(search.from, timeZone) : '',
      to: search.to ? localIn(search.to, timeZone) : '',
    },
    validate: {
      statuses: (value) => (value.length === 0 ? text.chooseOne : null),
      to: (value, { from }) => (value !== '' && from !== '' && value <= from ? text.rangeBackwards : null),
    },
    onValuesChange: () => count.reset(), // a count is of what it was made for
  })
  const counted = count.data
  const submit = form.onSubmit(({ statuses, type, from, to }) => {
    const [chosenType, fromAt, toAt] = [
      EVENT_TYPES.find((each) => each === type),
      instantOf(from, timeZone),
      instantOf(to, timeZone),
    ]
    count.mutate({
      statuses: ALL.filter((status) => statuses.includes(status)),
      ...(chosenType && { type: chosenType }),
      ...(fromAt && { from: fromAt }),
      ...(toAt && { to: toAt }),
    })
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">{text.manyAbout}</Text>
        <Checkbox.Group label={text.manyWhich} {...form.getInputProps('statuses')}>
          <Stack gap="xs" mt="xs">
            <Checkbox value="failed" label={text.manyFailed} />
            <Checkbox value="held" label={text.manyHeld} />
            <Checkbox value="succeeded" label={text.manySucceeded} />
          </Stack>
        </Checkbox.Group>
        <NativeSelect
          label={text.type}
          data={[{ value: '', label: text.anyType }, ...EVENT_TYPES.map((value) => ({ value, label: value }))]}
          {...form.getInputProps('type')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            type="datetime-local"
            label={text.from}
            description={text.inZone(timeZone)}
            dir="ltr"
            {...form.getInputProps('from')}
          />
          <TextInput
            type="datetime-local"
            label={text.to}
            description={text.inZone(timeZone)}
            dir="ltr"
            {...form.getInputProps('to')}
          />
        </SimpleGrid>
        {count.error && <Failed error={count.error} />}
        {counted && (
          <Alert color={counted.total > 0 ? 'blue' : 'gray'} role="status">
            {text.counted(counted.total)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" variant={counted && counted.total > 0 ? 'default' : 'filled'} loading={count.isPending}>
            {text.count}
          </Button>
          {counted && counted.total > 0 && (
            <Button onClick={() => void run.start(counted.choice, async () => counted)}>
              {text.sendCounted(counted.total)}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

const ALL = ['failed', 'held', 'succeeded'] as const

/** What never arrived, unless the log shows something else. */
function statusesOf({ status }: LogSearch): Choice['statuses'] {
  const shown = ALL.find((each) => each === status)
  return shown ? [shown] : ['failed', 'held']
}
