import { Alert, Stack } from '@mantine/core'
import { useTexts } from '../../texts/use-texts.ts'
import { Failed } from '../../ui/failed.tsx'
import { ProgressNote } from '../../ui/running.tsx'
import type { ResendRun } from './use-resend-all.ts'

export function SendingProgress({ run }: { run: ResendRun }) {
  const { t, n } = useTexts()
  const { phase, resent, total, error } = run.sending
  if (phase === 'idle') return null
  if (run.isBusy) {
    return (
      <ProgressNote
        label={t('page_endpoints.sending')}
        amount={t('page_endpoints.progress', { resent: n(resent), total: n(total) })}
        done={resent}
        all={total}
        isStopping={phase === 'stopping'}
        page="page_endpoints"
        onStop={run.stop}
      />
    )
  }
  return (
    <Stack gap="xs">
      {phase === 'failed' && <Failed error={error} />}
      <Alert
        color={phase === 'done' ? 'success' : 'warning'}
        role="status"
        withCloseButton
        closeButtonLabel={t('page_endpoints.close')}
        onClose={run.forget}
      >
        {phase === 'done'
          ? t('page_endpoints.all_sent', { count: resent })
          : t('page_endpoints.stopped', { count: resent })}
      </Alert>
    </Stack>
  )
}
