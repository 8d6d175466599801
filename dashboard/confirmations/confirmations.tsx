import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { visibleText } from '../../locales/visible-text.ts'
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
import { Status as StatusBadge } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { Chosen } from './reschedule.tsx'
import { type ListedConfirmation, REFUSALS, STATUSES, listInput, withFilter } from './search.ts'

const PAGE = '/w/$workspaceId/confirmations'

export function Confirmations() {
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
    ...api.confirmations.list.queryOptions(listInput(workspaceId, search)),
    placeholderData: keepPreviousData,
  })
  const { data: counted } = useQuery({
    ...api.confirmations.count.queryOptions(listInput(workspaceId, search)),
    enabled: hasOtherPages(query.data, search),
  })
  return (
    <SearchedList
      page="page_confirmations"
      exportAs="orders"
      live={live}
      search={search}
      query={query}
      counted={counted}
      choices={choices && { ...choices, templates: choices.codTemplates }}
      own={[
        {
          name: 'status',
          label: t('page_confirmations.status'),
          value: search.status,
          choices: STATUSES.map((value) => ({ value, label: statusWord(texts, 'order', value) })),
        },
        {
          name: 'refusal',
          label: t('page_confirmations.refusal'),
          value: search.refusal,
          choices: REFUSALS.map((value) => ({
            value,
            label: value === 'none' ? t('page_confirmations.none') : statusWord(texts, 'refusal', value),
          })),
        },
      ]}
      begin={
        may.change && (
          <Button
            renderRoot={(props) => <Link {...props} to="/w/$workspaceId/cod-settings" params={{ workspaceId }} />}
          >
            {t('page_confirmations.to_settings')}
          </Button>
        )
      }
      onNarrow={(change) => void navigate({ search: withFilter(search, change), resetScroll: false })}
      onClear={() => void navigate({ search: {} })}
      linkTo={(to) => (props) => (
        <Link {...props} from={PAGE} to="." search={{ ...filter, ...(to && { before: to }) }} />
      )}
    >
      {(rows) => <ConfirmationList rows={rows} ofSenders={hasSeveralSenders(choices)} />}
    </SearchedList>
  )
}

function ConfirmationList({ rows, ofSenders }: { rows: readonly ListedConfirmation[]; ofSenders: boolean }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  return (
    <List
      label={t('page_confirmations.title')}
      rows={rows}
      keyOf={({ id }) => id}
      linkOf={({ id }) =>
        (props) => (
          <Link
            {...props}
            to="/w/$workspaceId/confirmations/$confirmationId"
            params={{ workspaceId, confirmationId: id }}
          />
        )}
      columns={[
        {
          title: t('page_confirmations.order'),
          cell: ({ reference }) => <Reference of={reference} />,
        },
        {
          title: t('page_confirmations.customer'),
          cell: ({ recipient }) => <Recipient of={recipient} />,
        },
        {
          title: t('page_confirmations.status'),
          cell: ({ status, failureCode }) => (
            <FailureBelow code={failureCode}>
              <StatusBadge of="order" value={status} />
            </FailureBelow>
          ),
        },
        {
          title: t('page_confirmations.refusal'),
          hideIfAll: ({ refusalStatus }) => refusalStatus,
          cell: ({ refusalStatus }) =>
            refusalStatus === null ? '–' : <StatusBadge of="refusal" value={refusalStatus} />,
        },
        {
          title: t('page_confirmations.answer'),
          wide: true,
          cell: (row) => (hasAnswer(row) ? <Answered row={row} /> : '–'),
        },
        {
          title: t('page_confirmations.template'),
          hideIfAll: ({ templateName }) => templateName,
          cell: ({ templateName }) => <code>{templateName}</code>,
        },
        ...(ofSenders
          ? [
              {
                title: t('page_confirmations.sender'),
                hideIfAll: ({ senderPhone }: ListedConfirmation) => senderPhone,
                cell: ({ senderPhone }: ListedConfirmation) => <span className="as-typed">{senderPhone}</span>,
              },
            ]
          : []),
        {
          title: t('page_confirmations.created'),
          cell: ({ createdAt }) => <Time at={createdAt} kind="workspace" form="relative" />,
        },
      ]}
    />
  )
}

const hasAnswer = ({ reschedule, refusalReason }: ListedConfirmation): boolean =>
  refusalReason !== null || reschedule !== null

/** The customer's choices in addition to the status. */
function Answered({ row: { reschedule, refusalReason } }: { row: ListedConfirmation }) {
  if (refusalReason !== null) return <bdi>{visibleText(refusalReason)}</bdi>
  return reschedule && <Chosen reschedule={reschedule} />
}
