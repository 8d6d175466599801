import { Anchor, Button, Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type Answers, api } from '../api.ts'
import { statusMark } from '../timeline/marks.ts'
import { timelineWords } from '../timeline/words.ts'
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
import { KINDS, type Listed, STATUSES, withFilter } from './search.ts'
import { MessageKind, MessageStatus } from './status.tsx'
import { messageWords } from './words.ts'

const PAGE = '/w/$workspaceId/messages'

export function Messages() {
  const text = useWords(messageWords)
  const live = useLive()
  const { workspaceId, timeZone } = useWorkspace()
  const { before, ...filter } = useSearch({ from: PAGE })
  const list = useQuery({
    ...api.messages.list.queryOptions({ workspaceId, ...filter, ...(before && { cursor: before }) }),
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
  const text = useWords(messageWords)
  const statuses = useWords(timelineWords)
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const { data: choices } = useQuery(api.messages.choices.queryOptions({ workspaceId }))
  const statusChoices = STATUSES.map((value) => ({ value, label: statuses[statusMark(value).word] }))
  const kindChoices = KINDS.map((value) => ({ value, label: text[value] }))
  return (
    <SearchForm
      words={text}
      search={search}
      choices={choices}
      own={[
        { name: 'status', label: text.status, value: search.status, choices: statusChoices },
        { name: 'kind', label: text.kind, value: search.kind, choices: kindChoices },
      ]}
      onNarrow={(change) => void navigate({ search: withFilter(search, change), resetScroll: false })}
      clear={<Clear />}
    />
  )
}

function Clear() {
  const text = useWords(messageWords)
  const navigate = useNavigate({ from: PAGE })
  return (
    <Button variant="subtle" size="compact-sm" w="fit-content" onClick={() => void navigate({ search: {} })}>
      {text.clear}
    </Button>
  )
}

type ListPage = Answers['messages']['list']

function Found({ page: { rows, lookedBackTo } }: { page: ListPage }) {
  const text = useWords(messageWords)
  const { workspaceId } = useWorkspace()
  const may = useMay()
  const search = useSearch({ from: PAGE })
  if (rows.length > 0) return <MessageList rows={rows} />
  if (lookedBackTo !== null) return null
  if (isFiltered(search)) return <Empty action={<Clear />}>{text.nothing}</Empty>
  const toKeys = (
    <Button renderRoot={(props) => <Link {...props} to="/w/$workspaceId/keys" params={{ workspaceId }} />}>
      {text.toKeys}
    </Button>
  )
  return <Empty action={may.change && toKeys}>{text.empty}</Empty>
}

function MessageList({ rows }: { rows: readonly Listed[] }) {
  const text = useWords(messageWords)
  const { workspaceId } = useWorkspace()
  return (
    <List
      label={text.title}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: text.to,
          cell: ({ id, recipient }) => (
            <Anchor
              size="sm"
              fw={500}
              renderRoot={(props) => (
                <Link {...props} to="/w/$workspaceId/messages/$messageId" params={{ workspaceId, messageId: id }} />
              )}
            >
              <span className="as-typed">{recipient}</span>
            </Anchor>
          ),
        },
        { title: text.status, cell: ({ status }) => <MessageStatus status={status} /> },
        { title: text.kind, cell: (message) => <MessageKind message={message} /> },
        { title: text.reference, cell: ({ reference }) => (reference === null ? '–' : <Reference of={reference} />) },
        {
          title: text.template,
          cell: ({ templateName }) => (templateName === null ? '–' : <code>{templateName}</code>),
        },
        { title: text.sender, cell: ({ senderPhone }) => <span className="as-typed">{senderPhone}</span> },
        { title: text.created, times: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  )
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
