import { Alert, Stack } from '@mantine/core'
import { Failed } from '../ui/failed.tsx'
import { Running } from '../ui/running.tsx'
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
      <Running
        label={text.sending}
        amount={text.progress(resent, total)}
        done={resent}
        all={total}
        isStopping={phase === 'stopping'}
        words={text}
        onStop={run.stop}
      />
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
