import { Button, Stack, Text } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { Time } from '../ui/time.tsx'

/** A one-time link, under the address of this browser, to be sent by the person who created it. */
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
      <Copyable text={`${location.origin}/dashboard/welcome#${token}`} block />
      <Text size="sm">
        {t('page_people.valid_until')} <Time at={expiresAt} kind="due" />
      </Text>
      <Button onClick={onDone}>{t('page_people.copied_it')}</Button>
    </Stack>
  )
}
