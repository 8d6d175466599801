import { Button, Container, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useLanguage, useWords } from '../words.ts'
import { shellWords } from '../ui/shell-words.ts'

/** What surrounds the pages that are seen before anybody is signed in. */
export function Frame({ title, children }: { title: string; children: ReactNode }) {
  const text = useWords(shellWords)
  const { language, choose } = useLanguage()
  const other = language === 'en' ? 'ar' : 'en'
  useEffect(() => {
    document.title = `${title} · Doorcode`
  }, [title])
  return (
    <Container component="main" size={440} py="xl" px="md">
      <Stack>
        <Group justify="space-between">
          <Text fw={700}>Doorcode</Text>
          <Button variant="subtle" size="compact-md" lang={other} onClick={() => choose(other)}>
            {text.language}
          </Button>
        </Group>
        <Paper withBorder p="lg">
          <Stack>
            <Title order={1} size="h2">
              {title}
            </Title>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Container>
  )
}
