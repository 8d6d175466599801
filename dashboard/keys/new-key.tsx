import { Button, NativeSelect, type NativeSelectProps, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { useFaults } from '../ui/faults.ts'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { ShownOnce } from './shown-once.tsx'

/** In days; the empty one never expires. */
const EXPIRIES = ['', '30', '90', '180', '365'] as const

export const daysOf = (chosen: string): number | null => (chosen === '' ? null : Number(chosen))

export function NewKey({ onDone }: { onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const labels = { name: t('page_keys.name') }
  const faultsIn = useFaults(labels)
  const form = useForm({ initialValues: { name: '', expiry: '' } })
  const create = useMutation(
    api.keys.create.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.keys.list.queryKey({ workspaceId }) }),
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  if (create.data) return <ShownOnce apiKey={create.data.apiKey} onDone={onDone} />
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ name, expiry }) =>
        create.mutate({ workspaceId, name, expiresInDays: daysOf(expiry) }),
      )}
    >
      <Stack>
        <FormErrors errors={form.errors} labels={labels} failed={create.error} />
        <TextInput
          label={t('page_keys.name')}
          description={t('page_keys.name_hint')}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <ExpirySelect {...form.getInputProps('expiry')} />
        <Button type="submit" loading={create.isPending}>
          {t('page_keys.create')}
        </Button>
      </Stack>
    </form>
  )
}

export function ExpirySelect(props: NativeSelectProps) {
  const { t } = useTexts()
  return (
    <NativeSelect
      label={t('page_keys.expiry')}
      description={t('page_keys.expiry_hint')}
      data={EXPIRIES.map((days) => ({
        value: days,
        label: days === '' ? t('page_keys.no_expiry') : t('page_keys.after_days', { count: Number(days) }),
      }))}
      {...props}
    />
  )
}
