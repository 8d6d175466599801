import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { useFaults } from '../ui/faults.ts'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { useSession } from '../ui/workspace.ts'

export function Name() {
  const { t } = useTexts()
  const { person } = useSession()
  const labels = { name: t('page_account.your_name') }
  const faultsIn = useFaults(labels)
  const form = useForm({ initialValues: { name: person.name } })
  const rename = useMutation(
    api.account.rename.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries({ queryKey: api.session.current.queryKey() })
        form.resetDirty()
        notifications.show({ message: t('page_account.saved') })
      },
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  return (
    <form noValidate onSubmit={form.onSubmit((values) => rename.mutate(values))}>
      <Stack gap="xs">
        <FormErrors errors={form.errors} labels={labels} failed={rename.error} />
        <Group align="flex-end">
          <TextInput
            label={t('page_account.your_name')}
            description={t('page_account.name_hint')}
            autoComplete="name"
            required
            miw={240}
            {...form.getInputProps('name')}
          />
          <Button type="submit" variant="default" loading={rename.isPending} disabled={!form.isDirty()}>
            {t('page_account.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
