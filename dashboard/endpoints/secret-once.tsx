import { Stack, Text, Title } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { CodeTabs } from '../ui/code-block.tsx'
import { CopiedButton, Secret } from '../ui/dialog/secret-dialog.tsx'
import { VERIFY } from './verify.ts'

/** A secret that is shown once, and how to use it. */
export function SecretOnce({ secret, onDone }: { secret: string; onDone: () => void }) {
  const { t } = useTexts()
  return (
    <Stack>
      <Title order={3} size="h5">
        {t('page_endpoints.secret_title')}
      </Title>
      <Secret text={secret} />
      <Text size="sm">{t('page_endpoints.secret_once')}</Text>
      <Title order={3} size="h5">
        {t('page_endpoints.verify_title')}
      </Title>
      <Text size="sm">{t('page_endpoints.verify')}</Text>
      <CodeTabs label={t('page_endpoints.verify_title')} of={VERIFY} />
      <CopiedButton onClick={onDone}>{t('page_endpoints.copied')}</CopiedButton>
    </Stack>
  )
}
