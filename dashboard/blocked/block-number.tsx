import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { useFaults } from '../ui/faults.ts'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { useWorkspace } from '../ui/workspace.ts'

export const refreshBlocked = (): Promise<void> => queryClient.invalidateQueries({ queryKey: api.blocked.pathKey() })

export function BlockNumber({ onDone }: { onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const labels = { phone: t('page_blocked.phone'), reason: t('page_blocked.reason') }
  const faultsIn = useFaults(labels)
  const form = useForm({ initialValues: { phone: '', reason: '' } })
  const add = useMutation(
    api.blocked.add.mutationOptions({
      async onSuccess({ phone, added }) {
        await refreshBlocked()
        notifications.show({
          message: added ? t('page_blocked.blocked_now', { phone }) : t('page_blocked.blocked_already', { phone }),
        })
        onDone()
      },
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  return (
    <form noValidate onSubmit={form.onSubmit((values) => add.mutate({ workspaceId, ...values }))}>
      <Stack>
        <FormErrors errors={form.errors} labels={labels} failed={add.error} />
        <TextInput
          label={t('page_blocked.phone')}
          description={t('page_blocked.phone_hint')}
          type="tel"
          dir="ltr"
          data-autofocus
          {...form.getInputProps('phone')}
        />
        <TextInput
          label={t('page_blocked.reason')}
          description={t('page_blocked.reason_hint')}
          dir="auto"
          {...form.getInputProps('reason')}
        />
        <Button type="submit" loading={add.isPending}>
          {t('page_blocked.block_it')}
        </Button>
      </Stack>
    </form>
  )
}
