import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useWords } from '../words.ts'
import { sessionWords } from './words.ts'

/** Passwords are typed from left to right in every language, and can be looked at. */
export function PasswordField(props: PasswordInputProps) {
  const text = useWords(sessionWords)
  return (
    <PasswordInput
      required
      dir="ltr"
      visibilityToggleButtonProps={{ 'aria-label': text.showPassword, tabIndex: 0 }}
      {...props}
    />
  )
}
