import { Text } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'

/** In place of a key, for requests sent from the phone page (src/admin/phone/phone.ts). */
const SENT_BY_HAND = 'dashboard'

/** The API key of a request: its name and its public part. */
export function MadeBy({ apiKeyId, apiKeyName }: { apiKeyId: string; apiKeyName: string | null }) {
  const { t } = useTexts()
  if (apiKeyId === SENT_BY_HAND) return t('page_keys.by_hand')
  return (
    <>
      <bdi>{apiKeyName ?? t('page_keys.unknown_key')}</bdi>{' '}
      <Text span size="xs" c="dimmed">
        <code>dck_{apiKeyId}_…</code>
      </Text>
    </>
  )
}
