import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy } from 'react'
import { visibleText } from '../../locales/visible-text.ts'
import { api } from '../api.ts'
import { listInput, pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Recipient, Reference } from '../ui/as-typed.tsx'
import { ButtonLink, linkTo } from '../ui/link.tsx'
import { hasOtherPages } from '../ui/list/list-search.ts'
import { SearchedList } from '../ui/list/searched-list.tsx'
import { statusWord } from '../ui/state/status.ts'
import { Status, WithFailure } from '../ui/state/status.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { Chosen } from './reschedule.tsx'
import { type ListedConfirmation, REFUSALS, STATUSES, withFilter } from './search.ts'

const Conversation = lazy(() => import('./preview.tsx'))

const PAGE = '/w/$workspaceId/confirmations'

export function Confirmations() {
  const texts = useTexts()
  const { t } = texts
  const may = usePermissions()
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const { before: _, ...filter } = search
  const query = useQuery({ ...pageQueries.confirmations(workspaceId, search), placeholderData: keepPreviousData })
  const { data: counted } = useQuery({
    ...api.confirmations.count.queryOptions(listInput(workspaceId, search)),
    enabled: hasOtherPages(query.data, search),
  })
  return (
    <SearchedList
      list="confirmations"
      search={search}
      query={query}
      counted={counted}
      filters={[
        {
          name: 'status',
          label: t('page_confirmations.status'),
          value: search.status,
          choices: STATUSES.map((value) => ({ value, label: statusWord(texts, 'confirmation', value) })),
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
      columns={[
        { title: t('page_confirmations.order'), cell: ({ reference }) => <Reference of={reference} /> },
        { title: t('page_confirmations.customer'), cell: ({ recipient }) => <Recipient of={recipient} /> },
        {
          title: t('page_confirmations.status'),
          phone: 'status',
          cell: ({ status, failureCode }) => (
            <WithFailure code={failureCode}>
              <Status of="confirmation" value={status} />
            </WithFailure>
          ),
        },
        {
          title: t('page_confirmations.refusal'),
          hideIfAll: ({ refusalStatus }) => refusalStatus,
          from: 'desktop',
          phone: 'none',
          cell: ({ refusalStatus }) => refusalStatus !== null && <Status of="refusal" value={refusalStatus} />,
        },
        {
          title: t('page_confirmations.details'),
          from: 'laptop',
          phone: 'none',
          cell: (row) => hasDetails(row) && <Details row={row} />,
        },
      ]}
      begin={
        may.change && <ButtonLink to="/w/$workspaceId/cod-settings">{t('page_confirmations.to_settings')}</ButtonLink>
      }
      onNarrow={(change) => void navigate({ search: withFilter(search, change), resetScroll: false })}
      onClear={() => void navigate({ search: {} })}
      linkOf={({ id }) =>
        linkTo({ to: '/w/$workspaceId/confirmations/$confirmationId', params: { confirmationId: id }, search })
      }
      preview={(id) => <Conversation confirmationId={id} />}
      pageBefore={(before) => linkTo({ from: PAGE, to: '.', search: { ...filter, ...(before && { before }) } })}
    />
  )
}

const hasDetails = ({ reschedule, refusalReason }: ListedConfirmation): boolean =>
  refusalReason !== null || (reschedule !== null && Object.values(reschedule).some((each) => each !== null))

/** The customer's choices in addition to the status. */
function Details({ row: { reschedule, refusalReason } }: { row: ListedConfirmation }) {
  if (refusalReason !== null) return <bdi>{visibleText(refusalReason)}</bdi>
  return reschedule && <Chosen reschedule={reschedule} />
}
