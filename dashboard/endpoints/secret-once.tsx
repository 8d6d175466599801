import { Button, Stack, Text, Title } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { Copyable } from '../ui/copy.tsx'

/** The shortest form of the example in docs/webhooks.md. */
const VERIFY = `import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET)
// body: the raw bytes of the request, before anything parses them
const event = webhook.verify(body, request.headers) // throws unless a signature fits`

/** A secret that is shown once, and how to use it. */
export function SecretOnce({ secret, onDone }: { secret: string; onDone: () => void }) {
  const { t } = useTexts()
  return (
    <Stack>
      <Title order={3} size="h5">
        {t('page_endpoints.secret_title')}
      </Title>
      <Copyable text={secret} block />
      <Text size="sm">{t('page_endpoints.secret_once')}</Text>
      <Title order={3} size="h5">
        {t('page_endpoints.verify_title')}
      </Title>
      <Text size="sm">{t('page_endpoints.verify')}</Text>
      <Copyable text={VERIFY} block />
      <Text size="sm" c="dimmed">
        {t('page_endpoints.verify_more')}
      </Text>
      <Button onClick={onDone}>{t('page_endpoints.copied')}</Button>
    </Stack>
  )
}
