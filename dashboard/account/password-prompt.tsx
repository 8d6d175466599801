import { Button, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { PasswordField } from '../session/password-field.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { FormProblem } from '../ui/form/form-problem.tsx'
import { useAccountCall } from './use-account-call.ts'

/** Asks for the password again: an unattended browser is not enough. */
export function PasswordPrompt({
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
  const { t } = useTexts()
  const { problem, busy, call } = useAccountCall()
  const form = useForm({ initialValues: { password: '' } })
  const go = async (values: { password: string }): Promise<void> => {
    const answer = await call(path, values)
    if (answer.ok) onDone(answer.body)
  }
  return (
    <form onSubmit={form.onSubmit((values) => void go(values))}>
      <Stack>
        <Text size="sm">{about}</Text>
        <FormProblem>{problem}</FormProblem>
        <PasswordField
          label={t('page_account.current_password')}
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
