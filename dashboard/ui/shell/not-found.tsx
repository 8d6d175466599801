import { Container, Stack, Text, Title } from '@mantine/core'
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { codeOf, goToSignIn } from '../../api.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Failed } from '../fallback.tsx'
import { ButtonLink } from '../link.tsx'
import { sectionAt } from '../navigation/sections.ts'
import { SignedOut } from '../workspace.ts'
import { Page } from './page.tsx'

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
    <ButtonLink to="/" w="fit-content">
      {t('page_shell.to_start')}
    </ButtonLink>
  )
}

/** Shown in place of a page that failed, under the name of its section. A missing object looks like an unknown address. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  const queries = useQueryErrorResetBoundary()
  const router = useRouter()
  const { t } = useTexts()
  const isSignedOut = error instanceof SignedOut
  useEffect(() => {
    if (isSignedOut) goToSignIn()
  }, [isSignedOut])
  if (isSignedOut) return null
  if (codeOf(error) === 'NOT_FOUND') return <NotFound />
  const again = (): void => {
    queries.reset()
    reset()
    void router.invalidate()
  }
  return (
    <Page title={t(`page_shell.${sectionAt(router.state.location.pathname)?.name ?? 'failed_title'}`)}>
      <Failed error={error} onAgain={again} />
    </Page>
  )
}
