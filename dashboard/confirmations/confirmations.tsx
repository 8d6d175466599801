import { Anchor, Button, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type Answers, api } from '../api.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { List } from '../ui/list.tsx'
import { ListPages } from '../ui/list-pages.tsx'
import { isFiltered } from '../ui/list-search.ts'
import { useLive } from '../ui/live.ts'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Reference } from '../ui/reference.tsx'
import { SearchForm } from '../ui/search-form.tsx'
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
  const { workspaceId, timeZone } = useWorkspace()
  const { before, ...filter } = useSearch({ from: PAGE })
  const list = useQuery({
    ...api.confirmations.list.queryOptions({ workspaceId, ...filter, ...(before && { cursor: before }) }),
    placeholderData: keepPreviousData,
  })
  return (
    <Page title={text.title} about={`${text.about} ${text.zone} \u2066${timeZone}\u2069.`} live={live}>
      <Filters key={JSON.stringify(filter)} />
      {list.error && <Failed error={list.error} onAgain={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && (
        <Stack aria-busy={list.isPlaceholderData}>
          <Found page={list.data} />
          <Pages page={list.data} />
        </Stack>
      )}
    </Page>
  )
}

function Filters() {
  const text = useWords(confirmationWords)
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const { data: choices } = useQuery(api.confirmations.choices.queryOptions({ workspaceId }))
  const statusChoices = STATUSES.map((value) => ({ value, label: text[value] }))
  const refusalChoices = REFUSALS.map((value) => ({ value, label: text[value] }))
  return (
    <SearchForm
      words={text}
      search={search}
      choices={choices}
      own={[
        { name: 'status', label: text.status, value: search.status, choices: statusChoices },
        { name: 'refusal', label: text.refusal, value: search.refusal, choices: refusalChoices },
      ]}
      onNarrow={(change) => void navigate({ search: withFilter(search, change), resetScroll: false })}
      clear={<Clear />}
    />
  )
}

function Clear() {
  const text = useWords(confirmationWords)
  const navigate = useNavigate({ from: PAGE })
  return (
    <Button variant="subtle" size="compact-sm" w="fit-content" onClick={() => void navigate({ search: {} })}>
      {text.clear}
    </Button>
  )
}

type ListPage = Answers['confirmations']['list']

function Found({ page: { rows, lookedBackTo } }: { page: ListPage }) {
  const text = useWords(confirmationWords)
  const { workspaceId } = useWorkspace()
  const may = useMay()
  const search = useSearch({ from: PAGE })
  if (rows.length > 0) return <ConfirmationList rows={rows} />
  if (lookedBackTo !== null) return null
  if (isFiltered(search)) return <Empty action={<Clear />}>{text.nothing}</Empty>
  const toSettings = (
    <Button renderRoot={(props) => <Link {...props} to="/w/$workspaceId/cod-settings" params={{ workspaceId }} />}>
      {text.toSettings}
    </Button>
  )
  return <Empty action={may.change && toSettings}>{text.empty}</Empty>
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

function Pages({ page: { nextCursor, lookedBackTo } }: { page: ListPage }) {
  const { before, ...filter } = useSearch({ from: PAGE })
  const to = (search: typeof filter & { before?: string }) => (props: object) => (
    <Link {...props} from={PAGE} to="." search={search} />
  )
  return (
    <ListPages
      lookedBackTo={lookedBackTo}
      newest={before === undefined ? undefined : to(filter)}
      older={nextCursor === null ? undefined : to({ ...filter, before: nextCursor })}
    />
  )
}
