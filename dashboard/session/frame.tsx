import { Container, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { LanguageSwitch } from '../ui/shell/language-switch.tsx'
import { Mark } from '../ui/shell/mark.tsx'

/** The frame of the pages before sign-in. */
export function Frame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Doorcode`
  }, [title])
  return (
    <Container component="main" size={440} py="xl" px="md">
      <Stack>
        <Group justify="space-between">
          <Group gap={8}>
            <Mark />
            <Text fw={700}>Doorcode</Text>
          </Group>
          <LanguageSwitch />
        </Group>
        <Paper withBorder p="lg">
          <Stack>
            <Title order={1}>{title}</Title>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Container>
  )
}
