import { Container, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { LanguageSwitch } from '../ui/shell/language-switch.tsx'

/** The frame of the pages before sign-in. */
export function Frame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Doorcode`
  }, [title])
  return (
    <Container component="main" size={440} py="xl" px="md">
      <Stack>
        <Group justify="space-between">
          <Text fw={700}>Doorcode</Text>
          <LanguageSwitch />
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
