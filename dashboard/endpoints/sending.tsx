import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { Failed } from '../ui/failed.tsx'
import { Leaving } from '../ui/leaving.tsx'
import { ShareProgress } from '../ui/progress.tsx'
import { useWords } from '../words.ts'
import type { SendAllRun } from './use-send-all.ts'
import { endpointWords } from './words.ts'

/** How far a run is, and what came of it. */
export function SendingProgress({ run }: { run: SendAllRun }) {
  const text = useWords(endpointWords)
  const { phase, resent, total, error } = run.sending
  if (phase === 'idle') return null
  if (run.isBusy) {
    return (
      <Stack gap="xs">
        <ShareProgress
          label={phase === 'stopping' ? text.stopping : text.sending}
          amount={text.progress(resent, total)}
          done={resent}
          all={total}
        />
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {text.keepOpen}
          </Text>
          <Button size="compact-sm" variant="default" onClick={run.stop} disabled={phase === 'stopping'}>
            {text.stop}
          </Button>
        </Group>
        <Leaving loses words={text} />
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
