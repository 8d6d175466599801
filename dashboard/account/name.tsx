import { Button, Group, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { api, faultsOf, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { useSession } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { accountWords } from './words.ts'

export function Name() {
  const text = useWords(accountWords)
  const { person } = useSession()
  const faultsIn = useFaults({ name: text.yourName })
  const form = useForm({ initialValues: { name: person.name } })
  const rename = useMutation(
    api.account.rename.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries({ queryKey: api.session.current.queryKey() })
        form.resetDirty()
        notifications.show({ message: text.saved })
      },
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  return (
    <form onSubmit={form.onSubmit((values) => rename.mutate(values))}>
      <Group align="flex-end">
        <TextInput
          label={text.yourName}
          description={text.nameHint}
          autoComplete="name"
          required
          miw={240}
          {...form.getInputProps('name')}
        />
        <Button type="submit" variant="default" loading={rename.isPending} disabled={!form.isDirty()}>
          {text.save}
        </Button>
      </Group>
      {rename.error && faultsOf(rename.error).length === 0 && <Failed error={rename.error} />}
    </form>
  )
}
