import { Text } from '@mantine/core'
import { useWords } from '../words.ts'
import { keyWords } from './words.ts'

/** In place of a key, where somebody sent from the page of the phone (src/dashboard/phone.ts). */
const SENT_BY_HAND = 'dashboard'

/** What a request came with: its key's name, and the part of the key that is no secret. */
export function MadeBy({ apiKeyId, apiKeyName }: { apiKeyId: string; apiKeyName: string | null }) {
  const text = useWords(keyWords)
  if (apiKeyId === SENT_BY_HAND) return text.byHand
  return (
    <>
      <bdi>{apiKeyName ?? text.unknownKey}</bdi>{' '}
      <Text span size="xs" c="dimmed">
        <code>dck_{apiKeyId}_…</code>
      </Text>
    </>
  )
}
