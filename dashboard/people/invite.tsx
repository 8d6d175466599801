import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { useFaults } from '../ui/faults.ts'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { LinkOnce } from './link-once.tsx'
import type { Member } from './dialog-action.ts'
import { RoleChoice } from './role-choice.tsx'

type Values = { email: string; role: Member['role'] }

export function Invite({ onDone }: { onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const labels = { email: t('page_people.email') }
  const faultsIn = useFaults(labels)
  const form = useForm<Values>({ initialValues: { email: '', role: 'member' } })
  const invite = useMutation(
    api.people.invite.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.people.list.queryKey({ workspaceId }) }),
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  if (invite.data)
    return (
      <LinkOnce {...invite.data} about={t('page_people.invite_once', { email: form.values.email })} onDone={onDone} />
    )
  return (
    <form noValidate onSubmit={form.onSubmit((values) => invite.mutate({ workspaceId, ...values }))}>
      <Stack>
        <FormErrors errors={form.errors} labels={labels} failed={invite.error} />
        <TextInput
          label={t('page_people.email')}
          description={t('page_people.email_hint')}
          type="email"
          required
          data-autofocus
          dir="ltr"
          {...form.getInputProps('email')}
        />
        <RoleChoice {...form.getInputProps('role')} value={form.values.role} />
        <Button type="submit" loading={invite.isPending}>
          {t('page_people.make_link')}
        </Button>
      </Stack>
    </form>
  )
}
