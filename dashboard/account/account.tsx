import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { Page } from '../ui/shell/page.tsx'
import { useSession } from '../ui/workspace.ts'
import { Events } from './events.tsx'
import { Name } from './name.tsx'
import { Password } from './password.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

export function Account() {
  const { t } = useTexts()
  const { person } = useSession()
  return (
    <Page title={t('page_account.title')} about={<span className="as-typed">{person.email}</span>}>
      <Stack gap="lg">
        <Section title={t('page_account.name')}>
          <Name />
        </Section>
        <Section title={t('page_account.password')} about={t('page_account.password_about')}>
          <Password />
        </Section>
        <Section title={t('page_account.second_factor')} about={t('page_account.second_factor_about')}>
          <SecondFactor />
        </Section>
        <Section title={t('page_account.sessions')} about={t('page_account.sessions_about')}>
          <Sessions />
        </Section>
        <Section title={t('page_account.events')} about={t('page_account.events_about')}>
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
