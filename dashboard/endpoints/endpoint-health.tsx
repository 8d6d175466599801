import type { RouterOutputs } from '../api.ts'
import { type PageTexts, useTexts } from '../texts/use-texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { Time } from '../ui/time.tsx'

export type EndpointData = RouterOutputs['endpoints']['find']

/** The share of the latest deliveries that arrived. */
export function recentSuccessText({ t, n }: PageTexts, health: EndpointData['health']): string {
  if (!health || health.attempted === 0) return t('page_endpoints.nothing_yet')
  const percent = Math.floor((health.arrived / health.attempted) * 100)
  return t('page_endpoints.lately_of', { percent, attempted: n(health.attempted) })
}

export function EndpointHealth({ endpoint }: { endpoint: EndpointData }) {
  const texts = useTexts()
  const { t, n } = texts
  const { url, eventTypes, health, maxCounted } = endpoint
  const count = (value = 0): string =>
    value > maxCounted ? t('page_endpoints.more_than', { max: n(maxCounted) }) : n(value)
  return (
    <Facts label={t('page_endpoints.endpoint')}>
      <Fact title={t('page_endpoints.url')} wide>
        <Copyable text={url} />
      </Fact>
      <Fact title={t('page_endpoints.events')}>
        {eventTypes ? <code>{eventTypes.join(', ')}</code> : t('page_endpoints.events_all')}
      </Fact>
      <Fact title={t('page_endpoints.lately')}>{recentSuccessText(texts, health)}</Fact>
      <Fact title={t('page_endpoints.last_success')}>
        {health?.lastSuccessAt ? (
          <Time at={health.lastSuccessAt} kind="past" form="relative" />
        ) : (
          t('page_endpoints.no_success')
        )}
      </Fact>
      <Fact title={t('page_endpoints.waiting')}>{count(health?.waiting)}</Fact>
      <Fact title={t('page_endpoints.held')}>{count(health?.held)}</Fact>
      <Fact title={t('page_endpoints.failed_deliveries')}>{count(health?.failed)}</Fact>
    </Facts>
  )
}
