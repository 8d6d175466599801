import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Page } from '../ui/page.tsx'
import { useSession } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { Events } from './events.tsx'
import { Name } from './name.tsx'
import { Password } from './password.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'
import { accountWords } from './words.ts'

export function Account() {
  const text = useWords(accountWords)
  const { person } = useSession()
  return (
    <Page title={text.title} about={<span className="as-typed">{person.email}</span>}>
      <Stack gap="lg">
        <Section title={text.name}>
          <Name />
        </Section>
        <Section title={text.password} about={text.passwordAbout}>
          <Password />
        </Section>
        <Section title={text.secondFactor} about={text.secondFactorAbout}>
          <SecondFactor />
        </Section>
        <Section title={text.sessions} about={text.sessionsAbout}>
          <Sessions />
        </Section>
        <Section title={text.events} about={text.eventsAbout}>
          <Events />
        </Section>
      </Stack>
    </Page>
  )
}

function Section({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  return (
    <Paper component="section" withBorder p="md" aria-label={title}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {about !== undefined && (
          <Text size="sm" c="dimmed" maw={640}>
            {about}
          </Text>
        )}
        {children}
      </Stack>
    </Paper>
  )
}
