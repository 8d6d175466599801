import { Button, Stack, Text } from '@mantine/core'
import { Copyable } from '../ui/copy.tsx'
import { Time } from '../ui/time.tsx'
import { useWords } from '../words.ts'
import { peopleWords } from './words.ts'

/** A one-time link, to be sent by whoever made it. Under the address that this browser reaches us by. */
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
  const text = useWords(peopleWords)
  return (
    <Stack>
      <Text size="sm">{about}</Text>
      <Copyable text={`${location.origin}/dashboard/welcome#${token}`} block />
      <Text size="sm">
        {text.validUntil} <Time at={expiresAt} />
      </Text>
      <Button onClick={onDone}>{text.copiedIt}</Button>
    </Stack>
  )
}
