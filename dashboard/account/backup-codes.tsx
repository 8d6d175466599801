import { Button, Stack, Text } from '@mantine/core'
import { Copyable } from '../ui/copy.tsx'
import { useWords } from '../words.ts'
import { accountWords } from './words.ts'

/** Shown this once. */
export function BackupCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const text = useWords(accountWords)
  return (
    <Stack>
      <Text fw={600}>{text.backupCodes}</Text>
      <Text size="sm">{text.backupCodesAbout}</Text>
      <Copyable text={codes.join('\n')} block />
      <Button onClick={onDone}>{text.kept}</Button>
    </Stack>
  )
}

export const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
