import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { api, faultsOf, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { blockedWords } from './words.ts'

export const forgetBlocked = (): Promise<void> => queries.invalidateQueries({ queryKey: api.blocked.pathKey() })

export function BlockNumber({ onDone }: { onDone: () => void }) {
  const text = useWords(blockedWords)
  const { workspaceId } = useWorkspace()
  const faultsIn = useFaults({ phone: text.phone, reason: text.reason })
  const form = useForm({ initialValues: { phone: '', reason: '' } })
  const add = useMutation(
    api.blocked.add.mutationOptions({
      async onSuccess({ phone, added }) {
        await forgetBlocked()
        notifications.show({ message: added ? text.blockedNow(phone) : text.blockedAlready(phone) })
        onDone()
      },
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate({ workspaceId, ...values }))}>
      <Stack>
        <TextInput
          label={text.phone}
          description={text.phoneHint}
          type="tel"
          dir="ltr"
          data-autofocus
          {...form.getInputProps('phone')}
        />
        <TextInput label={text.reason} description={text.reasonHint} dir="auto" {...form.getInputProps('reason')} />
        {add.error && faultsOf(add.error).length === 0 && <Failed error={add.error} />}
        <Button type="submit" loading={add.isPending}>
          {text.blockIt}
        </Button>
      </Stack>
    </form>
  )
}
