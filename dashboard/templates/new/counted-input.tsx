import { Group, Text, TextInput, type TextInputProps, Textarea } from '@mantine/core'
import { lengthOf } from '../../../src/accounts/templates/draft.ts'
import { tidy } from '../../../src/providers/whatsapp/template-text.ts'
import { useTexts } from '../../texts/use-texts.ts'

type Counted = Pick<TextInputProps, 'label' | 'description' | 'dir' | 'lang'> & {
  value: string
  max: number
  error: string | undefined
  rows?: number
  onWrite: (text: string) => void
}

/** A field with a character counter. Text over the limit stays, so that it can be shortened. */
export function CountedInput({ value, max, rows, error, onWrite, description, ...rest }: Counted) {
  const { t, n } = useTexts()
  const used = lengthOf(tidy(value))
  const hint = (
    <Group component="span" justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <span>{description}</span>
      <Text
        span
        inherit
        {...(used > max && { c: 'var(--mantine-color-error)', fw: 700 })}
        style={{ whiteSpace: 'nowrap' }}
      >
        {t('page_templates.used_of', { used: n(used), max: n(max) })}
      </Text>
    </Group>
  )
  const shared = {
    ...rest,
    value,
    error,
    description: hint,
    autoComplete: 'off',
    spellCheck: rest.dir !== 'ltr',
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onWrite(currentTarget.value),
  }
  return rows === undefined ? <TextInput {...shared} /> : <Textarea {...shared} autosize minRows={rows} maxRows={14} />
}
