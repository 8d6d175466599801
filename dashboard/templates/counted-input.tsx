import { Group, Text, TextInput, type TextInputProps, Textarea } from '@mantine/core'
import { lengthOf, tidy } from '../../src/templates/draft.ts'
import { useWords } from '../words.ts'
import { templateWords } from './words.ts'

type Counted = Pick<TextInputProps, 'label' | 'description' | 'dir' | 'lang'> & {
  value: string
  most: number
  error: string | undefined
  rows?: number
  onWrite: (text: string) => void
}

/** A field that shows how much of its limit is used. What is too long stays, so that it can be shortened. */
export function CountedInput({ value, most, rows, error, onWrite, description, ...rest }: Counted) {
  const text = useWords(templateWords)
  const used = lengthOf(tidy(value))
  const hint = (
    <Group component="span" justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <span>{description}</span>
      <Text
        span
        inherit
        {...(used > most && { c: 'var(--mantine-color-error)', fw: 700 })}
        style={{ whiteSpace: 'nowrap' }}
      >
        {text.count(used, most)}
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
