import { Alert, Button, Stack, Text } from '@mantine/core'
import { reasonOf } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'

/** The cause of an error, and what the user can do. */
export function Failed({ error, onAgain }: { error: unknown; onAgain?: () => void }) {
  const { t, textOf } = useTexts()
  const why = reasonOf(error)
  return (
    <Alert color="red" title={t('page_shell.failed_title')} role="alert">
      <Stack gap="xs">
        <Text size="sm">{why ? textOf(why) : t('page_shell.unreachable')}</Text>
        {onAgain && (
          <Button size="compact-sm" variant="default" w="fit-content" onClick={onAgain}>
            {t('page_shell.again')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
