import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { api, faultsOf, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { LinkOnce } from './link-once.tsx'
import type { Member } from './people.tsx'
import { RoleChoice } from './role-choice.tsx'
import { peopleWords } from './words.ts'

type Values = { email: string; role: Member['role'] }

export function Invite({ onDone }: { onDone: () => void }) {
  const text = useWords(peopleWords)
  const { workspaceId } = useWorkspace()
  const faultsIn = useFaults({ email: text.email })
  const form = useForm<Values>({ initialValues: { email: '', role: 'member' } })
  const invite = useMutation(
    api.people.invite.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.people.list.queryKey({ workspaceId }) }),
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  if (invite.data) return <LinkOnce {...invite.data} about={text.inviteOnce(form.values.email)} onDone={onDone} />
  return (
    <form noValidate onSubmit={form.onSubmit((values) => invite.mutate({ workspaceId, ...values }))}>
      <Stack>
        <TextInput
          label={text.email}
          description={text.emailHint}
          type="email"
          required
          data-autofocus
          dir="ltr"
          {...form.getInputProps('email')}
        />
        <RoleChoice {...form.getInputProps('role')} value={form.values.role} />
        {invite.error && faultsOf(invite.error).length === 0 && <Failed error={invite.error} />}
        <Button type="submit" loading={invite.isPending}>
          {text.makeLink}
        </Button>
      </Stack>
    </form>
  )
}
