import { Badge, Box, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { RouterOutputs } from '../api.ts'
import { FirstRequest } from '../code-examples/first-request.tsx'
import { ConnectEmulator } from '../senders/connect-emulator.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { AnchorLink, ButtonLink } from '../ui/link.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'

type Steps = RouterOutputs['workspaces']['firstSteps']

/** In the order in which they are done, and where. */
const STEPS = [
  { step: 'account', to: '/w/$workspaceId/senders' },
  { step: 'template', to: '/w/$workspaceId/templates' },
  { step: 'key', to: '/w/$workspaceId/keys' },
  { step: 'endpoint', to: '/w/$workspaceId/endpoints' },
  { step: 'message', to: '/w/$workspaceId/messages' },
] as const satisfies readonly { step: keyof Steps; to: string }[]

export function FirstSteps({ steps }: { steps: Steps }) {
  const { t, n } = useTexts()
  const may = usePermissions()
  const { workspaceId, sandbox } = useWorkspace()
  const titleOf = (step: keyof Steps): string =>
    sandbox && step === 'account' ? t('page_overview.step_account_sandbox') : t(`page_overview.step_${step}`)
  const hintOf = (step: keyof Steps): string => {
    if (sandbox && step === 'account') return t('page_overview.emulator_means')
    if (sandbox && step === 'template') return t('page_overview.step_hint_template_sandbox')
    return t(`page_overview.step_hint_${step}`)
  }
  const next = STEPS.find(({ step }) => !steps[step])?.step
  const done = STEPS.filter(({ step }) => steps[step]).length
  return (
    <Stack component="section" gap="sm" aria-labelledby="first-steps">
      <div>
        <Title order={2} size="h4" id="first-steps">
          {t('page_overview.steps')}
        </Title>
        <Text size="sm" c="dimmed">
          {t('page_overview.steps_about')} {t('page_overview.steps_done', { done: n(done), all: n(STEPS.length) })}
        </Text>
      </div>
      <Stack component="ol" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
        {STEPS.map(({ step, to }, index) => (
          <Paper component="li" withBorder p="md" key={step} aria-current={step === next ? 'step' : undefined}>
            <Group align="flex-start" wrap="nowrap" gap="md">
              <Text fw={600} fz="lg" aria-hidden="true" w={24} ta="center">
                {steps[step] ? '✓' : index + 1}
              </Text>
              <Stack gap={2} flex={1} miw={0}>
                <Group gap="xs">
                  <AnchorLink fw={600} to={to} params={{ workspaceId }}>
                    {titleOf(step)}
                  </AnchorLink>
                  {steps[step] && (
                    <Text span size="sm" c="dimmed">
                      {t('page_overview.done')}
                    </Text>
                  )}
                  {step === next && <Badge variant="light">{t('page_overview.next')}</Badge>}
                </Group>
                <Text size="sm">{hintOf(step)}</Text>
                {step === 'account' && !steps.account && sandbox && may.change && (
                  <Box mt="xs">
                    <ConnectEmulator />
                  </Box>
                )}
                {step === 'message' && !steps.message && <FirstRequest />}
              </Stack>
            </Group>
          </Paper>
        ))}
      </Stack>
      {sandbox && may.change && (
        <Group gap="sm">
          <Text size="sm">{t('page_overview.quickstart_about')}</Text>
          <ButtonLink size="compact-sm" to="/w/$workspaceId/quickstart">
            {t('page_overview.quickstart')}
          </ButtonLink>
        </Group>
      )}
      {sandbox && (
        <Group gap="sm">
          <Text size="sm">{t('page_overview.phone')}</Text>
          <ButtonLink size="compact-sm" variant="default" to="/w/$workspaceId/phone">
            {t('page_overview.to_phone')}
          </ButtonLink>
        </Group>
      )}
    </Stack>
  )
}
