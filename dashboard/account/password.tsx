import { Button, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { PasswordField } from '../session/password-field.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { FormProblem } from '../ui/form/form-problem.tsx'
import { useSession } from '../ui/workspace.ts'
import { useAccountCall } from './use-account-call.ts'

const NOTHING = { currentPassword: '', newPassword: '' }

export function Password() {
  const { t } = useTexts()
  const { person } = useSession()
  const { problem, busy, call } = useAccountCall()
  const form = useForm({ initialValues: NOTHING })
  const change = async (values: typeof NOTHING): Promise<void> => {
    const answer = await call('change-password', values)
    if (!answer.ok) return
    form.setValues(NOTHING)
    notifications.show({ message: t('page_account.password_changed') })
  }
  return (
    <form onSubmit={form.onSubmit((values) => void change(values))}>
      <Stack maw={360}>
        <input type="email" autoComplete="username" value={person.email} readOnly hidden />
        <FormProblem>{problem}</FormProblem>
        <PasswordField
          label={t('page_account.current_password')}
          autoComplete="current-password"
          {...form.getInputProps('currentPassword')}
        />
        <PasswordField
          label={t('page_account.new_password')}
          description={t('page_account.password_hint')}
          autoComplete="new-password"
          {...form.getInputProps('newPassword')}
        />
        <Button type="submit" variant="default" loading={busy} w="fit-content">
          {t('page_account.change_password')}
        </Button>
      </Stack>
    </form>
  )
}
