import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { Failed } from '../ui/failed.tsx'
import { useWords } from '../words.ts'
import type { SendAllRun } from './use-send-all.ts'
import { endpointWords } from './words.ts'

/** How far a run is, and what came of it. */
export function SendingProgress({ run }: { run: SendAllRun }) {
  const text = useWords(endpointWords)
  const { phase, resent, total, error } = run.sending
  if (phase === 'idle') return null
  if (run.isBusy) {
    const share = total === 0 ? 0 : Math.min(100, (resent / total) * 100)
    return (
      <Stack gap="xs" role="status">
        <Progress value={share} aria-label={text.progress(resent, total)} />
        <Group justify="space-between">
          <Text size="sm">{phase === 'stopping' ? text.stopping : text.progress(resent, total)}</Text>
          <Button size="compact-sm" variant="default" onClick={run.stop} disabled={phase === 'stopping'}>
            {text.stop}
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          {text.keepOpen}
        </Text>
      </Stack>
    )
  }
  return (
    <Stack gap="xs">
      {phase === 'failed' && <Failed error={error} />}
      <Alert
        color={phase === 'done' ? 'teal' : 'yellow'}
        role="status"
        withCloseButton
        closeButtonLabel={text.close}
        onClose={run.forget}
      >
        {phase === 'done' ? text.allSent(resent) : text.stopped(resent)}
      </Alert>
    </Stack>
  )
}
