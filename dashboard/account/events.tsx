import { Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { type Answers, api } from '../api.ts'
import { actionIn } from '../audit-log/action.ts'
import { auditWords } from '../audit-log/words.ts'
import { List } from '../ui/list.tsx'
import { Time } from '../ui/time.tsx'
import { useWords } from '../words.ts'
import { nameOf } from './sessions.tsx'
import { accountWords } from './words.ts'

type Event = Answers['account']['events'][number]

export function Events() {
  const text = useWords(accountWords)
  const audit = useWords(auditWords)
  const { data } = useSuspenseQuery(api.account.events.queryOptions())
  if (data.length === 0) return <Text size="sm">{text.noEvents}</Text>
  return (
    <List
      label={text.events}
      rows={data}
      keyOf={({ id }) => id}
      columns={[
        { title: audit.when, times: true, cell: ({ at }) => <Time at={at} /> },
        { title: audit.what, cell: ({ action }) => actionIn(action, audit.actions) },
        { title: text.where, cell: (event) => <Where event={event} /> },
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
      <code>{address}</code> {name}
    </>
  )
}
