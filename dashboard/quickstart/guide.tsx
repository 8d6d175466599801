import { OnePhone } from '@doorcode/whatsapp-emulator/phone/phone.tsx'
import { useScreen } from '@doorcode/whatsapp-emulator/phone/use-screen.ts'
import type { Pair } from '@doorcode/whatsapp-emulator/wire/chats.ts'
import { Anchor, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type RouterOutputs, api } from '../api.ts'
import { usePhoneClock } from '../phone/clock.ts'
import style from '../phone/phone.module.css'
import { usePhoneSource } from '../phone/source.ts'
import type { PhoneState } from '../phone/workspace-time.tsx'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Timeline } from '../timeline/timeline.tsx'
import { Failed } from '../ui/fallback.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { SANDBOX_PHONE } from '../ui/sandbox-phone.ts'
import { QuietOutcome } from '../ui/state/status.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import classes from './quickstart.module.css'
import { type ConfirmationStatus, progressOf } from './progress.ts'
import { RequestPanel } from './request-panel.tsx'
import { Steps } from './steps.tsx'
import { WebhookPanel, useReceived } from './webhooks.tsx'

type Props = {
  state: PhoneState
  /** The id of the business number whose customer is shown. */
  number: string
  /** Those of the COD settings. */
  languages: readonly string[]
  apiKey: string | undefined
  onKey: (apiKey: string) => void
}

/** The phone, the request and its webhook, and below them everything that happens, whether it was sent here or from the reader's terminal. */
export function Guide({ state, number, languages, apiKey, onKey }: Props) {
  const { workspaceId } = useWorkspace()
  const pair = useMemo(() => ({ phone: SANDBOX_PHONE, number }), [number])
  const { data: confirmations, error } = useQuery(api.phone.confirmations.queryOptions({ workspaceId, ...pair }))
  const confirmationId = confirmations?.[0]?.confirmationId
  const { data: conversation } = useQuery({
    ...pageQueries.confirmation({ workspaceId, confirmationId: confirmationId ?? '' }),
    enabled: confirmationId !== undefined,
  })
  const received = useReceived(conversation?.webhooks ?? [])
  const status = conversation?.confirmation.status
  const progress = progressOf(status, received)
  return (
    <Stack gap="xl">
      <Steps done={progress} webhookId={WEBHOOK_ID} />
      {error && <Failed error={error} />}
      <div className={classes['split']}>
        <div className={classes['request']}>
          <RequestPanel state={state} pair={pair} languages={languages} apiKey={apiKey} onKey={onKey}>
            {status && <Outcome of={status} isVerified={progress.webhook} />}
          </RequestPanel>
        </div>
        <div className={`${style.colours} ${classes['phone']}`}>
          <CustomersPhone pair={pair} moves={state.moves} />
        </div>
        <div className={classes['webhook']}>
          <WebhookPanel id={WEBHOOK_ID} received={received} receiverUrl={state.testReceiverUrl} status={status} />
        </div>
      </div>
      <div className={classes['timeline']}>{conversation ? <Happened of={conversation} /> : <NothingYet />}</div>
    </Stack>
  )
}

const WEBHOOK_ID = 'webhook'

/** Apart from the rest: while a month is made, others get many messages each second. */
function CustomersPhone({ pair, moves }: { pair: Pair; moves: PhoneState['moves'] }) {
  const screen = useScreen(usePhoneSource(), pair)
  return <OnePhone phone={screen} clock={usePhoneClock(moves)} pair={pair} />
}

function Happened({ of: { timeline, confirmation } }: { of: RouterOutputs['confirmations']['get'] }) {
  const { t } = useTexts()
  return (
    <Stack gap="xs">
      <Timeline entries={timeline} />
      <AnchorLink
        size="sm"
        to="/w/$workspaceId/confirmations/$confirmationId"
        params={{ confirmationId: confirmation.id }}
      >
        {t('page_quickstart.open_order')}
      </AnchorLink>
    </Stack>
  )
}

function NothingYet() {
  const { t } = useTexts()
  return (
    <Stack gap="sm" component="section" aria-labelledby="what-happened">
      <Title order={2} size="h4" id="what-happened">
        {t('page_timeline.title')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('page_quickstart.nothing_yet')}
      </Text>
    </Stack>
  )
}

/** How the order stands, in one sentence, and where to go from there. */
function Outcome({ of, isVerified }: { of: ConfirmationStatus; isVerified: boolean }) {
  const { t } = useTexts()
  const sentence = t(`page_quickstart.outcome_${of}`)
  return (
    <div role="status">
      {isVerified ? (
        <QuietOutcome tone="success">
          {sentence} {t('page_quickstart.finished')}
        </QuietOutcome>
      ) : (
        <Text size="sm">{sentence}</Text>
      )}
      {isVerified && (
        <Group gap="md" mt="xs">
          <Anchor size="sm" href="/docs/guides/quickstart-orders" target="_blank" rel="noreferrer">
            {t('page_quickstart.guide_orders')}
          </Anchor>
          <Anchor size="sm" href="/docs/guides/quickstart-codes" target="_blank" rel="noreferrer">
            {t('page_quickstart.guide_codes')}
          </Anchor>
          <AnchorLink size="sm" to="/w/$workspaceId/overview">
            {t('page_quickstart.to_overview')}
          </AnchorLink>
        </Group>
      )}
    </div>
  )
}
