import { Button, Group, Stack, Text } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { Leaving } from './shell/leaving.tsx'
import { ShareProgress } from './progress.tsx'

/** Work in batches: progress, a stop button, and a question before leaving the page. */
export function ProgressNote({
  label,
  amount,
  done,
  all,
  isStopping,
  page,
  onStop,
}: {
  label: string
  amount: string
  done: number
  all: number
  isStopping: boolean
  page: 'page_blocked' | 'page_endpoints'
  onStop: () => void
}) {
  const { t } = useTexts()
  return (
    <Stack gap="xs">
      <ShareProgress label={isStopping ? t(`${page}.stopping`) : label} amount={amount} done={done} all={all} />
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t(`${page}.keep_open`)}
        </Text>
        <Button size="compact-sm" variant="default" onClick={onStop} disabled={isStopping}>
          {t(`${page}.stop`)}
        </Button>
      </Group>
      <Leaving loses page={page} />
    </Stack>
  )
}
