import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'

/** Passwords are left to right in every language. */
export function PasswordField(props: PasswordInputProps) {
  const { t } = useTexts()
  return (
    <PasswordInput
      required
      dir="ltr"
      visibilityToggleButtonProps={{ 'aria-label': t('page_session.show_password'), tabIndex: 0 }}
      {...props}
    />
  )
}
