import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type Finding, findingText, fixText } from '../../src/operations/doctor/finding.ts'
import { useTexts } from '../texts/use-texts.ts'
import { ToneBadge } from '../ui/state/status.tsx'

/** What is wrong, failures first, each with its fix. */
export function Findings({ all, wasOutside }: { all: readonly Finding[]; wasOutside: boolean }) {
  const { t, textOf } = useTexts()
  const problems = all.flatMap((finding) => {
    const fix = fixText(finding)
    return fix ? [{ finding, fix }] : []
  })
  if (problems.length === 0)
    return <Text role="status">✓ {t(wasOutside ? 'page_system.fine' : 'page_system.fine_inside')}</Text>
  return (
    <Stack component="section" gap="sm" aria-label={t('page_system.findings')}>
      <Title order={2} size="h4">
        {t('page_system.findings')}
      </Title>
      <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
        {problems.map(({ finding, fix }) => (
          <li key={JSON.stringify(finding)}>
            <Paper withBorder p="md">
              <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
                <Group gap="xs">
                  <ToneBadge tone={finding.level === 'failure' ? 'failure' : 'warning'}>
                    {t(finding.level === 'failure' ? 'page_system.level_failure' : 'page_system.level_warning')}
                  </ToneBadge>
                  <Text size="sm" c="dimmed">
                    {t(`doctor.check_${finding.check}`)}
                  </Text>
                </Group>
                <Text fw={600}>{textOf(findingText(finding))}</Text>
                <Text size="sm">{textOf(fix)}</Text>
              </Stack>
            </Paper>
          </li>
        ))}
      </Stack>
    </Stack>
  )
}
