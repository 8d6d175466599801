import {
  Alert,
  Group,
  PasswordInput,
  type PasswordInputProps,
  Text,
  TextInput,
  type TextInputProps,
  Textarea,
} from '@mantine/core'
import { useTexts } from '../../texts/use-texts.ts'

/** The share of the limit from which the counter is shown. */
const NEAR = 0.8
const MAX_ROWS = 14

type CountedInputProps = Pick<
  TextInputProps,
  'label' | 'aria-label' | 'description' | 'dir' | 'lang' | 'id' | 'flex'
> & {
  /** The field's path in its form. */
  'data-path': string
  value: string
  /** How many characters count. */
  used: number
  max: number
  error: string | undefined
  rows?: number
  onWrite: (text: string) => void
}

/** A text with a limit. The counter appears near the limit. Text over the limit stays, so that it can be shortened. */
export function CountedInput({ used, max, rows, error, onWrite, description, ...rest }: CountedInputProps) {
  const { t, n } = useTexts()
  const counter = used >= max * NEAR && (
    <Text
      span
      inherit
      {...(used > max && { c: 'var(--mantine-color-error)', fw: 600 })}
      style={{ whiteSpace: 'nowrap' }}
    >
      {t('page_shell.used_of', { used: n(used), max: n(max) })}
    </Text>
  )
  const hint = (
    <Group component="span" justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <span>{description}</span>
      {counter}
    </Group>
  )
  const shared = {
    ...rest,
    error,
    description: description || counter ? hint : undefined,
    // A counter without a hint comes below: above, it would move the input while a person types.
    ...(!description && { inputWrapperOrder: BELOW }),
    autoComplete: 'off',
    spellCheck: rest.dir !== 'ltr',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onWrite(currentTarget.value),
  }
  return rows === undefined ? (
    <TextInput {...shared} />
  ) : (
    <Textarea {...shared} autosize minRows={rows} maxRows={MAX_ROWS} />
  )
}

const BELOW: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error']

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

/** Why a form was not accepted, if the cause is not a single field. */
export function FormProblem({ children }: { children: string | undefined }) {
  if (children === undefined) return null
  return (
    <Alert color="failure" role="alert">
      {children}
    </Alert>
  )
}
