import {
  Alert,
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  type NativeSelectProps,
  SimpleGrid,
  Stack,
  Text,
} from '@mantine/core'
import { DateTimePicker } from '@mantine/dates'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Calendar } from '../ui/calendar.tsx'
import { Failed } from '../ui/fallback.tsx'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { ProgressNote } from '../ui/progress.tsx'
import { useWorkspaceClock } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { type Choice, type ResendRun, useResendAll } from './resend.ts'
import { EVENT_TYPES, type LogSearch, RESENDABLE, initialChoice } from './search.ts'
import { instantOf } from './zone-time.ts'

/** Chooses deliveries, counts them, and resends exactly the counted ones. */
export function ResendEvents({ endpointId, search }: { endpointId: string; search: LogSearch }) {
  const { t } = useTexts()
  const [opened, { open, close }] = useDisclosure()
  const run = useResendAll(endpointId)
  const end = (): void => {
    run.stop()
    run.forget()
    close()
  }
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('page_endpoints.many')}
      </Button>
      <Modal
        opened={opened}
        onClose={run.isBusy ? () => {} : end}
        withCloseButton={!run.isBusy}
        title={t('page_endpoints.many')}
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

type Choosing = { endpointId: string; search: LogSearch; run: ReturnType<typeof useResendAll> }

function Choosing({ endpointId, search, run }: Choosing) {
  const { t } = useTexts()
  const { workspaceId, timeZone } = useWorkspace()
  const clock = useWorkspaceClock()
  const count = useMutation({
    mutationFn: async (choice: Choice) => ({
      choice,
      ...(await queryClient.fetchQuery({
        ...api.endpoints.countChosen.queryOptions({ workspaceId, endpointId, ...choice }),
        staleTime: 0,
      })),
    }),
  })
  const labels = { statuses: t('page_endpoints.many_which'), to: t('page_endpoints.to') }
  const form = useForm({
    initialValues: initialChoice(search),
    validate: {
      statuses: (value) => (value.length === 0 ? t('page_endpoints.choose_one') : null),
      to: (value, { from }) =>
        value !== '' && from !== '' && value <= from ? t('page_endpoints.range_backwards') : null,
    },
    onValuesChange: () => count.reset(), // the count is only valid for the old values
  })
  const counted = count.data
  const submit = form.onSubmit(({ statuses, type, from, to }) => {
    const [chosenType, fromAt, toAt] = [
      EVENT_TYPES.find((each) => each === type),
      clock.realOf(instantOf(from, timeZone)),
      clock.realOf(instantOf(to, timeZone)),
    ]
    count.mutate({
      statuses: RESENDABLE.filter((status) => statuses.includes(status)),
      ...(chosenType && { type: chosenType }),
      ...(fromAt && { from: fromAt }),
      ...(toAt && { to: toAt }),
    })
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormErrors errors={form.errors} labels={labels} failed={count.error} />
        <Text size="sm">{t('page_endpoints.many_about')}</Text>
        <Checkbox.Group label={t('page_endpoints.many_which')} {...form.getInputProps('statuses')}>
          <Stack gap="xs" mt="xs">
            <Checkbox value="failed" label={t('page_endpoints.many_failed')} />
            <Checkbox value="held" label={t('page_endpoints.many_held')} />
            <Checkbox value="succeeded" label={t('page_endpoints.many_succeeded')} />
          </Stack>
        </Checkbox.Group>
        <TypeSelect {...form.getInputProps('type')} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TimeInput
            label={t('page_endpoints.from')}
            description={t('page_endpoints.in_zone', { zone: timeZone })}
            value={form.values.from}
            onChange={(value) => form.setFieldValue('from', value)}
            error={form.errors['from']}
          />
          <TimeInput
            label={t('page_endpoints.to')}
            description={t('page_endpoints.in_zone', { zone: timeZone })}
            value={form.values.to}
            onChange={(value) => form.setFieldValue('to', value)}
            error={form.errors['to']}
            data-path="to"
          />
        </SimpleGrid>
        {counted && (
          <Alert color={counted.total > 0 ? 'progress' : 'neutral'} role="status">
            {t('page_endpoints.counted', { count: counted.total })}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" variant={counted && counted.total > 0 ? 'default' : 'filled'} loading={count.isPending}>
            {t('page_endpoints.count')}
          </Button>
          {counted && counted.total > 0 && (
            <Button onClick={() => void run.start(counted.choice, async () => counted)}>
              {t('page_endpoints.send_counted', { count: counted.total })}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

export function SendingProgress({ run }: { run: ResendRun }) {
  const { t, n } = useTexts()
  const { phase, resent, total, error } = run.sending
  if (phase === 'idle') return null
  if (run.isBusy) {
    return (
      <ProgressNote
        label={t('page_endpoints.sending')}
        amount={t('page_endpoints.progress', { resent: n(resent), total: n(total) })}
        done={resent}
        all={total}
        isStopping={phase === 'stopping'}
        page="page_endpoints"
        onStop={run.stop}
      />
    )
  }
  return (
    <Stack gap="xs">
      {phase === 'failed' && <Failed error={error} />}
      <Alert
        color={phase === 'done' ? 'success' : 'warning'}
        role="status"
        withCloseButton
        closeButtonLabel={t('page_endpoints.close')}
        onClose={run.forget}
      >
        {phase === 'done'
          ? t('page_endpoints.all_sent', { count: resent })
          : t('page_endpoints.stopped', { count: resent })}
      </Alert>
    </Stack>
  )
}

/** One type of event, or any. */
function TypeSelect(props: NativeSelectProps) {
  const { t } = useTexts()
  const any = { value: '', label: t('page_endpoints.any_type') }
  return (
    <NativeSelect
      label={t('page_endpoints.type')}
      data={[any, ...EVENT_TYPES.map((value) => ({ value, label: value }))]}
      {...props}
    />
  )
}

type Props = {
  label: string
  description: string
  /** For example `2026-05-03T14:30`; empty if none is chosen. */
  value: string
  onChange: (value: string) => void
  error?: ReactNode
  'data-path'?: string
}

/** A day and a time of day, picked or typed by keyboard, in the reader's language. */
function TimeInput({ value, onChange, ...field }: Props) {
  const { t } = useTexts()
  return (
    <Calendar>
      {(calendar) => (
        <DateTimePicker
          {...calendar}
          {...field}
          clearable
          clearButtonProps={{ 'aria-label': t('page_endpoints.clear_time') }}
          submitButtonProps={{ 'aria-label': t('page_endpoints.set_time') }}
          timePickerProps={{
            hoursInputLabel: t('page_endpoints.hours'),
            minutesInputLabel: t('page_endpoints.minutes'),
          }}
          popoverProps={{ withRoles: false }} // its dialog would have no name
          valueFormat="YYYY-MM-DD HH:mm"
          value={value === '' ? null : `${value.replace('T', ' ')}:00`}
          onChange={(picked) => onChange(picked === null ? '' : picked.slice(0, 16).replace(' ', 'T'))}
        />
      )}
    </Calendar>
  )
}
