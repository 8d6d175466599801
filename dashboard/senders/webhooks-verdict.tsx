import { Alert, Button, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/failed.tsx'
import { OutcomeBanner } from '../ui/state/outcome.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { type Account, GRAPH_URL } from './account.ts'

type Verdict = {
  account: Account
  /** The apps that get the account's webhooks. */
  apps: readonly string[]
  onChange: () => void
}

/** Whether the account's webhooks arrive, and what to do if they do not. */
export function WebhooksVerdict({ account: { accountId, callbackUrl, graphUrl }, apps, onChange }: Verdict) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const subscribe = useMutation(api.senders.subscribe.mutationOptions({ onSuccess: onChange }))
  if (apps.length === 0)
    return (
      <OutcomeBanner
        tone="warning"
        title={t('page_senders.webhooks_off')}
        action={
          <Button
            size="xs"
            variant="default"
            loading={subscribe.isPending}
            onClick={() => subscribe.mutate({ workspaceId, accountId })}
          >
            {t('page_senders.webhooks_turn_on')}
          </Button>
        }
      >
        <Text size="sm">{t('page_senders.webhooks_off_means')}</Text>
        {subscribe.error && <Failed error={subscribe.error} />}
      </OutcomeBanner>
    )
  if (graphUrl === GRAPH_URL && !callbackUrl.startsWith('https://'))
    return (
      <Alert color="warning" title={t('page_senders.webhooks_unreachable')}>
        {t('page_senders.local_callback')}
      </Alert>
    )
  return (
    <Alert color="success" title={t('page_senders.webhooks_on')}>
      {t('page_senders.webhooks_on_means', { apps: apps.join(', ') })}
    </Alert>
  )
}
