import { Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { PasswordField } from '../session/password-field.tsx'
import { useWords } from '../words.ts'
import { useAskingOfAccount } from './asking.ts'
import { Problem } from './problem.tsx'
import { accountWords } from './words.ts'

/** What takes the password once more: a browser left open is not enough. */
export function PasswordFirst({
  about,
  path,
  action,
  colour,
  onDone,
}: {
  about: string
  path: string
  action: string
  colour?: string
  onDone: (body: Readonly<Record<string, unknown>>) => void
}) {
  const text = useWords(accountWords)
  const { problem, busy, ask } = useAskingOfAccount()
  const form = useForm({ initialValues: { password: '' } })
  const go = async (values: { password: string }): Promise<void> => {
    const answer = await ask(path, values)
    if (answer.ok) onDone(answer.body)
  }
  return (
    <form onSubmit={form.onSubmit((values) => void go(values))}>
      <Stack>
        <Text size="sm">{about}</Text>
        <Problem>{problem}</Problem>
        <PasswordField
          label={text.currentPassword}
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={busy} {...(colour !== undefined && { color: colour })}>
          {action}
        </Button>
      </Stack>
    </form>
  )
}
