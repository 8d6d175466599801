import { Button, Stack, Text } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { Secret } from '../ui/dialog/secret-dialog.tsx'
import { Time } from '../ui/time.tsx'

/** A one-time link, under the address of this browser, to be sent by the person who created it: for a SecretDialog. */
export function LinkOnce({
  token,
  expiresAt,
  about,
  onDone,
}: {
  token: string
  expiresAt: string
  about: string
  onDone: () => void
}) {
  const { t } = useTexts()
  return (
    <Stack>
      <Text size="sm">{about}</Text>
      <Secret text={`${location.origin}/dashboard/welcome#${token}`} />
      <Text size="sm">
        {t('page_people.valid_until')} <Time at={expiresAt} kind="due" />
      </Text>
      <Button onClick={onDone}>{t('page_people.copied_it')}</Button>
    </Stack>
  )
}
