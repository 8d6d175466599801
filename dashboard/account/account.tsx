import { Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, queryClient } from '../api.ts'
import { useAccountCall } from '../session/sign-in-call.ts'
import { useTexts } from '../texts/use-texts.ts'
import { FormProblem, PasswordField } from '../ui/form/fields.tsx'
import { ServerForm, useServerForm } from '../ui/form/server-form.tsx'
import { Page } from '../ui/shell/page.tsx'
import { useSession } from '../ui/workspace.ts'
import { SecondFactor } from './second-factor.tsx'
import { Events, Sessions } from './sessions.tsx'

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

export function Name() {
  const { t } = useTexts()
  const { person } = useSession()
  const labels = { name: t('page_account.your_name') }
  const form = useServerForm(labels, { name: person.name })
  const rename = useMutation(
    api.account.rename.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries({ queryKey: api.session.pathKey() })
        form.resetDirty()
        notifications.show({ message: t('page_account.saved') })
      },
      onError: form.showFaults,
    }),
  )
  return (
    <ServerForm form={form} call={rename} gap="xs" onSubmit={(values) => rename.mutate(values)}>
      <Group align="flex-end">
        <TextInput
          description={t('page_account.name_hint')}
          autoComplete="name"
          required
          miw={240}
          {...form.field('name')}
        />
        <Button type="submit" variant="default" loading={rename.isPending} disabled={!form.isDirty()}>
          {t('page_account.save')}
        </Button>
      </Group>
    </ServerForm>
  )
}

const NOTHING = { currentPassword: '', newPassword: '' }

export function Password() {
  const { t } = useTexts()
  const { person } = useSession()
  const { problem, busy, call } = useAccountCall()
  const form = useForm({ initialValues: NOTHING })
  const change = async (values: typeof NOTHING): Promise<void> => {
    const answer = await call('change-password', values)
    if (!answer.ok) return
    form.setValues(NOTHING)
    notifications.show({ message: t('page_account.password_changed') })
  }
  return (
    <form onSubmit={form.onSubmit((values) => void change(values))}>
      <Stack maw={360}>
        <input type="email" autoComplete="username" value={person.email} readOnly hidden />
        <FormProblem>{problem}</FormProblem>
        <PasswordField
          label={t('page_account.current_password')}
          autoComplete="current-password"
          {...form.getInputProps('currentPassword')}
        />
        <PasswordField
          label={t('page_account.new_password')}
          description={t('page_account.password_hint')}
          autoComplete="new-password"
          {...form.getInputProps('newPassword')}
        />
        <Button type="submit" variant="default" loading={busy} w="fit-content">
          {t('page_account.change_password')}
        </Button>
      </Stack>
    </form>
  )
}
