import { Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { type RouterOutputs, api } from '../api.ts'
import { actionIn } from '../audit-log/action.ts'
import { useTexts } from '../texts/use-texts.ts'
import { List } from '../ui/list/list.tsx'
import { Time } from '../ui/time.tsx'
import { nameOf } from './sessions.tsx'

type Event = RouterOutputs['account']['events'][number]

export function Events() {
  const texts = useTexts()
  const { t } = texts
  const { data } = useSuspenseQuery(api.account.events.queryOptions())
  if (data.length === 0) return <Text size="sm">{t('page_account.no_events')}</Text>
  return (
    <List
      label={t('page_account.events')}
      rows={data}
      keyOf={({ id }) => id}
      columns={[
        { title: t('page_audit_log.when'), cell: ({ at }) => <Time at={at} kind="real" /> },
        { title: t('page_audit_log.what'), cell: ({ action }) => actionIn(action, texts) },
        { title: t('page_account.where'), cell: (event) => <Where event={event} /> },
      ]}
    />
  )
}

function Where({ event: { after } }: { event: Event }) {
  const address = after?.['address']
  const device = after?.['device']
  const name = nameOf(typeof device === 'string' ? device : null)
  if (typeof address !== 'string') return '–'
  return (
    <>
      {name} <code>{address}</code>
    </>
  )
}
