import { Anchor, Button, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../api.ts'
import { List } from '../ui/list.tsx'
import { useLive } from '../ui/live.ts'
import { Reference } from '../ui/reference.tsx'
import { SearchedList } from '../ui/searched-list.tsx'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { Chosen } from './reschedule.tsx'
import { type Listed, REFUSALS, type RefusalStatus, type Status, STATUSES, withFilter } from './search.ts'
import { CheckStatus } from './status.tsx'
import { confirmationWords } from './words.ts'

const PAGE = '/w/$workspaceId/confirmations'

export function Confirmations() {
  const text = useWords(confirmationWords)
  const live = useLive()
  const may = useMay()
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const { before, ...filter } = search
  const { data: choices } = useQuery(api.confirmations.choices.queryOptions({ workspaceId }))
  const asked = useQuery({
    ...api.confirmations.list.queryOptions({ workspaceId, ...filter, ...(before && { cursor: before }) }),
    placeholderData: keepPreviousData,
  })
  return (
    <SearchedList
      words={text}
      live={live}
      search={search}
      asked={asked}
      choices={choices}
      own={[
        {
          name: 'status',
          label: text.status,
          value: search.status,
          choices: STATUSES.map((value) => ({ value, label: text[value] })),
        },
        {
          name: 'refusal',
          label: text.refusal,
          value: search.refusal,
          choices: REFUSALS.map((value) => ({ value, label: text[value] })),
        },
      ]}
      begin={
        may.change && (
          <Button
            renderRoot={(props) => <Link {...props} to="/w/$workspaceId/cod-settings" params={{ workspaceId }} />}
          >
            {text.toSettings}
          </Button>
        )
      }
      onNarrow={(change) => void navigate({ search: withFilter(search, change), resetScroll: false })}
      onClear={() => void navigate({ search: {} })}
      linkTo={(to) => (props) => (
        <Link {...props} from={PAGE} to="." search={{ ...filter, ...(to && { before: to }) }} />
      )}
    >
      {(rows) => <ConfirmationList rows={rows} />}
    </SearchedList>
  )
}

function ConfirmationList({ rows }: { rows: readonly Listed[] }) {
  const text = useWords(confirmationWords)
  const { workspaceId } = useWorkspace()
  return (
    <List
      label={text.title}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: text.order,
          cell: ({ id, reference }) => (
            <Anchor
              size="sm"
              fw={500}
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/w/$workspaceId/confirmations/$confirmationId"
                  params={{ workspaceId, confirmationId: id }}
                />
              )}
            >
              <Reference of={reference} />
            </Anchor>
          ),
        },
        { title: text.customer, cell: ({ recipient }) => <span className="as-typed">{recipient}</span> },
        {
          title: text.status,
          cell: ({ status, refusalStatus }) => <Statuses status={status} refusal={refusalStatus} />,
        },
        { title: text.answer, cell: (row) => <Answered row={row} /> },
        { title: text.template, cell: ({ templateName }) => <code>{templateName}</code> },
        { title: text.created, times: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  )
}

function Statuses({ status, refusal }: { status: Status; refusal: RefusalStatus | null }) {
  const text = useWords(confirmationWords)
  return (
    <Stack gap={4} align="flex-start">
      <CheckStatus status={status} />
      {refusal !== null && (
        <>
          <Text span size="xs" c="dimmed">
            {text.refusal}
          </Text>
          <CheckStatus status={refusal} />
        </>
      )}
    </Stack>
  )
}

/** What the customer chose or told, beyond the status. */
function Answered({ row: { reschedule, refusalReason } }: { row: Listed }) {
  if (refusalReason !== null) return <bdi>{refusalReason}</bdi>
  return reschedule ? <Chosen reschedule={reschedule} /> : '–'
}
