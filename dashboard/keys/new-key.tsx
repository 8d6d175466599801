import { Button, NativeSelect, type NativeSelectProps, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { api, faultsOf, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { ShownOnce } from './shown-once.tsx'
import { keyWords } from './words.ts'

/** In days; the empty one never expires. */
const EXPIRIES = ['', '30', '90', '180', '365'] as const

export const daysOf = (chosen: string): number | null => (chosen === '' ? null : Number(chosen))

export function NewKey({ onDone }: { onDone: () => void }) {
  const text = useWords(keyWords)
  const { workspaceId } = useWorkspace()
  const faultsIn = useFaults({ name: text.name })
  const form = useForm({ initialValues: { name: '', expiry: '' } })
  const create = useMutation(
    api.keys.create.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.keys.list.queryKey({ workspaceId }) }),
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  if (create.data) return <ShownOnce apiKey={create.data.apiKey} onDone={onDone} />
  return (
    <form
      onSubmit={form.onSubmit(({ name, expiry }) =>
        create.mutate({ workspaceId, name, expiresInDays: daysOf(expiry) }),
      )}
    >
      <Stack>
        <TextInput label={text.name} description={text.nameHint} data-autofocus {...form.getInputProps('name')} />
        <ExpirySelect {...form.getInputProps('expiry')} />
        {create.error && faultsOf(create.error).length === 0 && <Failed error={create.error} />}
        <Button type="submit" loading={create.isPending}>
          {text.create}
        </Button>
      </Stack>
    </form>
  )
}

export function ExpirySelect(props: NativeSelectProps) {
  const text = useWords(keyWords)
  return (
    <NativeSelect
      label={text.expiry}
      description={text.expiryHint}
      data={EXPIRIES.map((days) => ({
        value: days,
        label: days === '' ? text.noExpiry : text.afterDays(Number(days)),
      }))}
      {...props}
    />
  )
}
