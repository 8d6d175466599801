import { Button, Stack, Text } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { Secret } from '../ui/dialog/secret-dialog.tsx'

/** Shown only once, in a SecretDialog. */
export function BackupCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useTexts()
  return (
    <Stack>
      <Text fw={600}>{t('page_account.backup_codes')}</Text>
      <Text size="sm">{t('page_account.backup_codes_about')}</Text>
      <Secret text={codes.join('\n')} />
      <Button onClick={onDone}>{t('page_account.kept')}</Button>
    </Stack>
  )
}

export const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
