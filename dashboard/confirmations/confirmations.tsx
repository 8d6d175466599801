import { Group, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { visibleText } from '../../locales/visible-text.ts'
import { api } from '../api.ts'
import { listInput, pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Recipient, Reference } from '../ui/as-typed.tsx'
import { ButtonLink, linkTo } from '../ui/link.tsx'
import { hasOtherPages } from '../ui/list/list-search.ts'
import { SearchedList } from '../ui/list/searched-list.tsx'
import { lazyPart } from '../ui/shell/lazy-part.ts'
import { type StatusValue, statusWord } from '../ui/state/status.ts'
import { CodeLink, Status } from '../ui/state/status.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { Chosen, NewTime } from './reschedule.tsx'
import { type ListedConfirmation, REFUSALS, STATUSES, withFilter } from './search.ts'

const Conversation = lazyPart(async () => (await import('./preview.tsx')).Conversation)

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
          cell: ({ status }) => <Status of="confirmation" value={status} />,
        },
        {
          title: t('page_confirmations.details'),
          phone: 'line',
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

const hasDetails = ({ failureCode, reschedule, refusalStatus }: ListedConfirmation): boolean =>
  [failureCode, reschedule, refusalStatus].some((each) => each !== null)

/** Why it failed, or the new time; then the refusal check with its reason. */
function Details({ row }: { row: ListedConfirmation }) {
  const { failureCode, status, reschedule, refusalStatus, refusalReason } = row
  return (
    <Group gap="0 0.75rem">
      {failureCode !== null && (
        <Text span size="xs">
          <CodeLink code={failureCode} />
        </Text>
      )}
      {reschedule && (
        <span>
          {status === 'rescheduled' ? <NewTime reschedule={reschedule} /> : <Chosen reschedule={reschedule} />}
        </span>
      )}
      {refusalStatus !== null && <Refusal status={refusalStatus} reason={refusalReason} />}
    </Group>
  )
}

/** The words of an answer say what it is about; those of the other statuses are the confirmation's, too. */
function Refusal({ status, reason }: { status: StatusValue<'refusal'>; reason: string | null }) {
  const { t } = useTexts()
  const isAnswered = status === 'refusal_confirmed' || status === 'denied'
  return (
    <Group gap="0 0.5rem">
      {!isAnswered && `${t('page_confirmations.refusal')}${t('page_shell.colon')}`}
      <Status of="refusal" value={status} />
      {reason !== null && <bdi>{visibleText(reason)}</bdi>}
    </Group>
  )
}
