import { Stack } from '@mantine/core'
import type { RouterOutputs } from '../api.ts'
import { type PageTexts, useTexts } from '../texts/use-texts.ts'
import { Copyable } from '../ui/as-typed.tsx'
import { Facts } from '../ui/facts.tsx'
import { useScreen } from '../ui/screen.ts'
import type { StatusValue } from '../ui/state/status.ts'
import { Status } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import type { State } from './endpoint-state.ts'
import { Separated } from '../ui/separated.tsx'
import type { Delivery } from './search.ts'

export type EndpointData = RouterOutputs['endpoints']['find']

/** The share of the latest deliveries that arrived. */
export function recentSuccessText({ t, n }: PageTexts, health: EndpointData['health']): string {
  if (!health || health.attempted === 0) return t('page_endpoints.nothing_yet')
  const percent = Math.floor((health.arrived / health.attempted) * 100)
  return t('page_endpoints.lately_of', { percent, attempted: n(health.attempted) })
}

/** Counts stop at a maximum. */
export const countText = ({ t, n }: PageTexts, count: number | undefined, max: number): string =>
  count !== undefined && count > max ? t('page_endpoints.more_than', { max: n(max) }) : n(count ?? 0)

export function LastSuccess({ health }: Pick<EndpointData, 'health'>) {
  const { t } = useTexts()
  if (!health?.lastSuccessAt) return t('page_endpoints.no_success')
  return <Time at={health.lastSuccessAt} kind="past" form="relative" />
}

export function EndpointHealth({ endpoint }: { endpoint: EndpointData }) {
  const texts = useTexts()
  const { t } = texts
  const { url, eventTypes, health, maxCounted } = endpoint
  const isPhone = useScreen() === 'phone'
  const count = (value: number | undefined): string => countText(texts, value, maxCounted)
  if (isPhone)
    return (
      <Stack gap={4} component="section" aria-label={t('page_endpoints.endpoint')}>
        <Copyable text={url} />
        <Separated
          c="dimmed"
          of={[
            eventTypes
              ? t('page_endpoints.events_count', { count: eventTypes.length })
              : t('page_endpoints.events_all'),
            recentSuccessText(texts, health),
            t('page_endpoints.waiting_now', { number: count(health?.waiting) }),
            health?.held && t('page_endpoints.held_now', { number: count(health.held) }),
            health?.failed && t('page_endpoints.failed_now', { number: count(health.failed) }),
          ]}
        />
      </Stack>
    )
  return (
    <Facts
      label={t('page_endpoints.endpoint')}
      of={[
        [t('page_endpoints.url'), <Copyable text={url} />, 'wide'],
        [
          t('page_endpoints.events'),
          eventTypes ? <code>{eventTypes.join(', ')}</code> : t('page_endpoints.events_all'),
        ],
        [t('page_endpoints.lately'), recentSuccessText(texts, health)],
        [t('page_endpoints.last_success'), <LastSuccess health={health} />],
        [t('page_endpoints.waiting'), count(health?.waiting)],
        [t('page_endpoints.held'), count(health?.held)],
        [t('page_endpoints.failed_deliveries'), count(health?.failed)],
      ]}
    />
  )
}

export const StateBadge = ({ state }: { state: State }) => <Status of="endpoint" value={state} />

type DeliveryState = Pick<Delivery, 'status' | 'attempts'> & Partial<Pick<Delivery, 'underWay' | 'nextAttempt'>>

/** `underWay`: whether an attempt is in flight, if known. */
export const StatusBadge = ({ delivery }: { delivery: DeliveryState }) => (
  <Status of="delivery" value={statusOf(delivery)} />
)

/** A resend starts a new schedule: the event is retrying only if an attempt has failed since then. */
function statusOf({ status, underWay = false, attempts, nextAttempt }: DeliveryState): StatusValue<'delivery'> {
  if (underWay) return 'in_progress'
  const isRetry = nextAttempt ? nextAttempt.number > 1 : attempts > 0
  return status === 'pending' && isRetry ? 'retrying' : status
}
