import { Button, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { PasswordField } from '../session/password-field.tsx'
import { useSession } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { useAskingOfAccount } from './asking.ts'
import { Problem } from './problem.tsx'
import { accountWords } from './words.ts'

const NOTHING = { currentPassword: '', newPassword: '' }

export function Password() {
  const text = useWords(accountWords)
  const { person } = useSession()
  const { problem, busy, ask } = useAskingOfAccount()
  const form = useForm({ initialValues: NOTHING })
  const change = async (values: typeof NOTHING): Promise<void> => {
    const answer = await ask('change-password', values)
    if (!answer.ok) return
    form.setValues(NOTHING)
    notifications.show({ message: text.passwordChanged })
  }
  return (
    <form onSubmit={form.onSubmit((values) => void change(values))}>
      <Stack maw={360}>
        <input type="email" autoComplete="username" value={person.email} readOnly hidden />
        <Problem>{problem}</Problem>
        <PasswordField
          label={text.currentPassword}
          autoComplete="current-password"
          {...form.getInputProps('currentPassword')}
        />
        <PasswordField
          label={text.newPassword}
          description={text.passwordHint}
          autoComplete="new-password"
          {...form.getInputProps('newPassword')}
        />
        <Button type="submit" variant="default" loading={busy} w="fit-content">
          {text.changePassword}
        </Button>
      </Stack>
    </form>
  )
}
