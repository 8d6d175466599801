import { Button, Container, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.ts'

/** The same for a missing object and for one of another workspace. */
export function NotFound() {
  const { t } = useTexts()
  return (
    <Container size="xs" py="xl">
      <Stack>
        <Title order={1}>{t('page_shell.not_found_title')}</Title>
        <Text>{t('page_shell.not_found')}</Text>
        <ToStart />
      </Stack>
    </Container>
  )
}

export function ToStart() {
  const { t } = useTexts()
  return (
    <Button renderRoot={(props) => <Link {...props} to="/" />} w="fit-content">
      {t('page_shell.to_start')}
    </Button>
  )
}
