import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Recipient } from '../ui/recipient.tsx'
import { List } from '../ui/list/list.tsx'
import { useLive } from '../ui/shell/live.ts'
import { Reference } from '../ui/reference.tsx'
import { hasOtherPages } from '../ui/list/position.ts'
import { SearchedList, hasSeveralSenders } from '../ui/list/searched-list.tsx'
import { statusWord } from '../ui/state/status.ts'
import { FailureBelow } from '../ui/state/code-link.tsx'
import { Status } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { KINDS, type ListedMessage, STATUSES, listInput, withFilter } from './search.ts'
import { MessageKind } from './status.tsx'

const PAGE = '/w/$workspaceId/messages'

export function Messages() {
  const texts = useTexts()
  const { t } = texts
  const live = useLive()
  const may = usePermissions()
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const { before: _, ...filter } = search
  const { data: choices } = useQuery(api.workspaces.choices.queryOptions({ workspaceId }))
  const query = useQuery({
    ...api.messages.list.queryOptions(listInput(workspaceId, search)),
    placeholderData: keepPreviousData,
  })
  const { data: counted } = useQuery({
    ...api.messages.count.queryOptions(listInput(workspaceId, search)),
    enabled: hasOtherPages(query.data, search),
  })
  return (
    <SearchedList
      page="page_messages"
      exportAs="messages"
      live={live}
      search={search}
      query={query}
      counted={counted}
      choices={choices}
      own={[
        {
          name: 'status',
          label: t('page_messages.status'),
          value: search.status,
          choices: STATUSES.map((value) => ({ value, label: statusWord(texts, 'message', value) })),
        },
        {
          name: 'kind',
          label: t('page_messages.kind'),
          value: search.kind,
          choices: KINDS.map((value) => ({ value, label: t(`page_messages.${value}`) })),
        },
      ]}
      begin={
        may.change && (
          <Button renderRoot={(props) => <Link {...props} to="/w/$workspaceId/keys" params={{ workspaceId }} />}>
            {t('page_messages.to_keys')}
          </Button>
        )
      }
      onNarrow={(change) => void navigate({ search: withFilter(search, change), resetScroll: false })}
      onClear={() => void navigate({ search: {} })}
      linkTo={(to) => (props) => (
        <Link {...props} from={PAGE} to="." search={{ ...filter, ...(to && { before: to }) }} />
      )}
    >
      {(rows) => <MessageList rows={rows} ofSenders={hasSeveralSenders(choices)} />}
    </SearchedList>
  )
}

function MessageList({ rows, ofSenders }: { rows: readonly ListedMessage[]; ofSenders: boolean }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  return (
    <List
      label={t('page_messages.title')}
      rows={rows}
      keyOf={({ id }) => id}
      linkOf={({ id }) =>
        (props) => <Link {...props} to="/w/$workspaceId/messages/$messageId" params={{ workspaceId, messageId: id }} />}
      columns={[
        {
          title: t('page_messages.to'),
          cell: ({ recipient }) => <Recipient of={recipient} />,
        },
        {
          title: t('page_messages.status'),
          cell: ({ status, failureCode }) => (
            <FailureBelow code={failureCode}>
              <Status of="message" value={status} />
            </FailureBelow>
          ),
        },
        { title: t('page_messages.kind'), wide: true, cell: (message) => <MessageKind message={message} /> },
        {
          title: t('page_messages.reference'),
          cell: ({ reference }) => (reference === null ? '–' : <Reference of={reference} />),
        },
        {
          title: t('page_messages.template'),
          hideIfAll: ({ templateName }) => templateName,
          cell: ({ templateName }) => (templateName === null ? '–' : <code>{templateName}</code>),
        },
        ...(ofSenders
          ? [
              {
                title: t('page_messages.sender'),
                hideIfAll: ({ senderPhone }: ListedMessage) => senderPhone,
                cell: ({ senderPhone }: ListedMessage) => <span className="as-typed">{senderPhone}</span>,
              },
            ]
          : []),
        {
          title: t('page_messages.created'),
          cell: ({ createdAt }) => <Time at={createdAt} kind="workspace" form="relative" />,
        },
      ]}
    />
  )
}
