import { Container, Group, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { LANGUAGES, LANGUAGE_NAMES } from '../../locales/text.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Mark } from '../ui/shell/shell.tsx'

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
            <Text fw={600}>Doorcode</Text>
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

function LanguageSwitch() {
  const { t, language, choose } = useTexts()
  return (
    <NativeSelect
      aria-label={t('page_shell.language')}
      w={116}
      value={language}
      data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
      onChange={({ currentTarget }) => {
        const chosen = LANGUAGES.find((each) => each === currentTarget.value)
        if (chosen) void choose(chosen)
      }}
    />
  )
}
