import { Button, Stack, Text, Title } from '@mantine/core'
import { Copyable } from '../ui/copy.tsx'
import { useWords } from '../words.ts'
import { endpointWords } from './words.ts'

/** The lines of docs/webhooks.md, as short as they can be. */
const VERIFY = `import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET)
// body: the raw bytes of the request, before anything parses them
const event = webhook.verify(body, request.headers) // throws unless a signature fits`

/** A secret that nobody sees again, and what it is for. */
export function SecretOnce({ secret, onDone }: { secret: string; onDone: () => void }) {
  const text = useWords(endpointWords)
  return (
    <Stack>
      <Title order={3} size="h5">
        {text.secretTitle}
      </Title>
      <Copyable text={secret} block />
      <Text size="sm">{text.secretOnce}</Text>
      <Title order={3} size="h5">
        {text.verifyTitle}
      </Title>
      <Text size="sm">{text.verify}</Text>
      <Copyable text={VERIFY} block />
      <Text size="sm" c="dimmed">
        {text.verifyMore}
      </Text>
      <Button onClick={onDone}>{text.copied}</Button>
    </Stack>
  )
}
