import { Anchor, Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../api.ts'
import { statusMark } from '../timeline/marks.ts'
import { timelineWords } from '../timeline/words.ts'
import { List } from '../ui/list.tsx'
import { useLive } from '../ui/live.ts'
import { Reference } from '../ui/reference.tsx'
import { SearchedList } from '../ui/searched-list.tsx'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { KINDS, type Listed, STATUSES, withFilter } from './search.ts'
import { MessageKind, MessageStatus } from './status.tsx'
import { messageWords } from './words.ts'

const PAGE = '/w/$workspaceId/messages'

export function Messages() {
  const text = useWords(messageWords)
  const statuses = useWords(timelineWords)
  const live = useLive()
  const may = useMay()
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const { before, ...filter } = search
  const { data: choices } = useQuery(api.messages.choices.queryOptions({ workspaceId }))
  const asked = useQuery({
    ...api.messages.list.queryOptions({ workspaceId, ...filter, ...(before && { cursor: before }) }),
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
          choices: STATUSES.map((value) => ({ value, label: statuses[statusMark(value).word] })),
        },
        {
          name: 'kind',
          label: text.kind,
          value: search.kind,
          choices: KINDS.map((value) => ({ value, label: text[value] })),
        },
      ]}
      begin={
        may.change && (
          <Button renderRoot={(props) => <Link {...props} to="/w/$workspaceId/keys" params={{ workspaceId }} />}>
            {text.toKeys}
          </Button>
        )
      }
      onNarrow={(change) => void navigate({ search: withFilter(search, change), resetScroll: false })}
      onClear={() => void navigate({ search: {} })}
      linkTo={(to) => (props) => (
        <Link {...props} from={PAGE} to="." search={{ ...filter, ...(to && { before: to }) }} />
      )}
    >
      {(rows) => <MessageList rows={rows} />}
    </SearchedList>
  )
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
