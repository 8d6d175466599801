import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { FAILURE_CODES, failurePart } from '../../src/providers/failure-codes.ts'
import { api } from '../api.ts'
import { listInput, pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Recipient, Reference } from '../ui/as-typed.tsx'
import { ButtonLink, linkTo } from '../ui/link.tsx'
import { hasOtherPages } from '../ui/list/list-search.ts'
import { SearchedList } from '../ui/list/searched-list.tsx'
import { lazyPart } from '../ui/shell/lazy-part.ts'
import { statusWord } from '../ui/state/status.ts'
import { Status, WithFailure } from '../ui/state/status.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { KINDS, STATUSES, VERIFICATIONS, withFilter } from './search.ts'
import { MessageKind } from './status.tsx'

const MessagePreview = lazyPart(async () => (await import('./preview.tsx')).MessagePreview)
/** Only an empty list shows it. */
const FirstRequest = lazyPart(async () => (await import('../code-examples/first-request.tsx')).FirstRequest)

const PAGE = '/w/$workspaceId/messages'

export function Messages() {
  const texts = useTexts()
  const { t, textOf } = texts
  const may = usePermissions()
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const { before: _, ...filter } = search
  const query = useQuery({ ...pageQueries.messages(workspaceId, search), placeholderData: keepPreviousData })
  const { data: counted } = useQuery({
    ...api.messages.count.queryOptions(listInput(workspaceId, search)),
    enabled: hasOtherPages(query.data, search),
  })
  return (
    <SearchedList
      list="messages"
      search={search}
      query={query}
      counted={counted}
      filters={[
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
        {
          name: 'verification',
          label: t('page_messages.verification'),
          value: search.verification,
          choices: VERIFICATIONS.map((value) => ({ value, label: t(`page_messages.verification_${value}`) })),
        },
        {
          name: 'failureCode',
          label: t('page_messages.failure'),
          value: search.failureCode,
          choices: FAILURE_CODES.map((value) => ({ value, label: textOf(failurePart(value, 'short')) })),
        },
      ]}
      columns={[
        { title: t('page_messages.to'), cell: ({ recipient }) => <Recipient of={recipient} /> },
        {
          title: t('page_messages.status'),
          phone: 'status',
          cell: ({ status, failureCode }) => (
            <WithFailure code={failureCode}>
              <Status of="message" value={status} />
            </WithFailure>
          ),
        },
        {
          title: t('page_messages.kind'),
          cell: (message) => (
            <span style={{ whiteSpace: 'nowrap' }}>
              <MessageKind message={message} />
            </span>
          ),
        },
        {
          title: t('page_messages.reference'),
          from: 'laptop',
          phone: 'none',
          cell: ({ reference }) => (reference === null ? '–' : <Reference of={reference} />),
        },
      ]}
      begin={
        may.change && (
          <>
            <ButtonLink to="/w/$workspaceId/keys">{t('page_messages.to_keys')}</ButtonLink>
            <Suspense>
              <FirstRequest />
            </Suspense>
          </>
        )
      }
      onNarrow={(change) => void navigate({ search: withFilter(search, change), resetScroll: false })}
      onClear={() => void navigate({ search: {} })}
      linkOf={({ id }) => linkTo({ to: '/w/$workspaceId/messages/$messageId', params: { messageId: id } })}
      preview={(id) => <MessagePreview messageId={id} />}
      pageBefore={(before) => linkTo({ from: PAGE, to: '.', search: { ...filter, ...(before && { before }) } })}
    />
  )
}
