import { Anchor, Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Answers } from '../api.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { overviewWords } from './words.ts'

type Steps = Answers['workspaces']['firstSteps']

/** In the order in which they are done, and where. */
const STEPS = [
  { step: 'account', to: '/w/$workspaceId/senders' },
  { step: 'template', to: '/w/$workspaceId/templates' },
  { step: 'key', to: '/w/$workspaceId/keys' },
  { step: 'endpoint', to: '/w/$workspaceId/endpoints' },
  { step: 'message', to: '/w/$workspaceId/messages' },
] as const satisfies readonly { step: keyof Steps; to: string }[]

export function FirstSteps({ steps }: { steps: Steps }) {
  const text = useWords(overviewWords)
  const { workspaceId, sandbox } = useWorkspace()
  return (
    <Stack component="section" gap="sm" aria-labelledby="first-steps">
      <div>
        <Title order={2} size="h4" id="first-steps">
          {text.steps}
        </Title>
        <Text size="sm" c="dimmed">
          {text.stepsAbout}
        </Text>
      </div>
      <Stack component="ol" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
        {STEPS.map(({ step, to }, place) => (
          <Paper component="li" withBorder p="md" key={step}>
            <Group align="flex-start" wrap="nowrap" gap="md">
              <Text fw={700} fz="lg" aria-hidden="true" w={24} ta="center">
                {steps[step] ? '✓' : place + 1}
              </Text>
              <Stack gap={2} flex={1}>
                <Group gap="xs">
                  <Anchor fw={600} renderRoot={(props) => <Link {...props} to={to} params={{ workspaceId }} />}>
                    {text.step[step]}
                  </Anchor>
                  <Badge variant={steps[step] ? 'light' : 'outline'} color={steps[step] ? 'teal' : 'gray'}>
                    <Text span inherit c="var(--mantine-color-text)">
                      {steps[step] ? text.done : text.toDo}
                    </Text>
                  </Badge>
                </Group>
                <Text size="sm">{text.stepHint[step]}</Text>
              </Stack>
            </Group>
          </Paper>
        ))}
      </Stack>
      {sandbox && (
        <Group gap="sm">
          <Text size="sm">{text.phone}</Text>
          <Button
            size="compact-sm"
            variant="default"
            renderRoot={(props) => <Link {...props} to="/w/$workspaceId/phone" params={{ workspaceId }} />}
          >
            {text.toPhone}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
