import { Button, Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { api } from '../../api.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { PhoneNumber } from '../as-typed.tsx'
import { Empty, Failed, Loading } from '../fallback.tsx'
import type { LinkOf } from '../link.tsx'
import { isolatedPhoneText } from '@doorcode/whatsapp-emulator/wire/phone-groups.ts'
import { Page } from '../shell/page.tsx'
import { Time } from '../time.tsx'
import { RowPreview } from '../keyboard/row-preview.tsx'
import { useWorkspace } from '../workspace.ts'
import { ExportButton } from './export-button.tsx'
import { type Filter, FilterBar } from './filter-bar.tsx'
import { KeptSince, ListPages } from './list-pages.tsx'
import { type Count, type ListSearch, isFiltered, positionOf } from './list-search.ts'
import { type Column, List } from './list.tsx'

/** What a row has in both lists. */
type ListedRow = { id: string; templateName: string | null; senderPhone: string; createdAt: string }

type ListPage<Row> = { rows: readonly Row[]; nextCursor: string | null; searchedBackTo: string | null }

type ListQuery<Row> = {
  data: ListPage<Row> | undefined
  error: unknown
  isPending: boolean
  isPlaceholderData: boolean
  refetch: () => unknown
}

type Props<Row> = {
  list: 'messages' | 'confirmations'
  search: ListSearch
  query: ListQuery<Row>
  /** Requested only if `hasOtherPages`. */
  counted: Count | undefined
  /** The list's own filters, before the common ones. */
  filters: readonly Filter[]
  /** The list's own columns, before the common ones. */
  columns: readonly Column<Row>[]
  /** Shown if the workspace has no rows yet. */
  begin: ReactNode
  onNarrow: (change: Record<string, string>) => void
  onClear: () => void
  linkOf: (row: Row) => LinkOf
  /** What a row is about, shown beside the list when a key moved to the row. */
  preview: (id: string) => ReactNode
  /** A link to the page before a row, or to the newest page. */
  pageBefore: (before: string | undefined) => LinkOf
}

/** A page with a long list: filters, results and paging. */
export function SearchedList<Row extends ListedRow>(props: Props<Row>) {
  const { t } = useTexts()
  const { list, search, query, onNarrow, onClear } = props
  const { templates, senders } = useChoices(list)
  const { before: _, ...filters } = search
  const isNothing = query.data?.rows.length === 0 && query.data.searchedBackTo === null
  // With a single sender, its column and filter would say nothing.
  const hasSeveralSenders = senders.length > 1
  return (
    <Page
      title={t(`page_${list}.title`)}
      about={t(`page_${list}.about`)}
      live
      actions={<ExportButton list={list} filters={filters} />}
    >
      <FilterBar
        label={t(`page_${list}.filters`)}
        search={{ label: t(`page_${list}.search_for`), value: search.text ?? '' }}
        filters={[
          ...props.filters,
          {
            name: 'template',
            label: t(`page_${list}.template`),
            value: search.template,
            choices: templates.map((value) => ({ value, label: value })),
          },
          ...(search.senderId !== undefined || hasSeveralSenders
            ? [
                {
                  name: 'senderId',
                  label: t(`page_${list}.sender`),
                  value: search.senderId,
                  choices: senders.map(({ senderId, phoneNumber }) => ({
                    value: senderId,
                    label: isolatedPhoneText(phoneNumber),
                  })),
                },
              ]
            : []),
        ]}
        range={{ from: search.from, to: search.to }}
        onChange={onNarrow}
        onClear={isFiltered(search) ? onClear : undefined}
        clearsBelow={isNothing}
      />
      {query.error !== null && <Failed error={query.error} onAgain={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.data && (
        <Stack aria-busy={query.isPlaceholderData}>
          <Results {...props} page={query.data} hasSeveralSenders={hasSeveralSenders} />
          <Pages {...props} page={query.data} />
          {query.data.nextCursor === null && <KeptSince of="records" />}
        </Stack>
      )}
      <RowPreview>{(id) => <Suspense fallback={<Loading as="form" />}>{props.preview(id)}</Suspense>}</RowPreview>
    </Page>
  )
}

/** The templates and senders of the workspace. The page waits for them: a filter that came later would move what is below. */
function useChoices(list: 'messages' | 'confirmations') {
  const { workspaceId } = useWorkspace()
  const { data } = useSuspenseQuery(api.workspaces.choices.queryOptions({ workspaceId }))
  return { templates: list === 'messages' ? data.templates : data.codTemplates, senders: data.senders }
}

type ResultsProps<Row> = Props<Row> & { page: ListPage<Row> }

function Results<Row extends ListedRow>(props: ResultsProps<Row> & { hasSeveralSenders: boolean }) {
  const { t } = useTexts()
  const { list, search, query, page, begin, onClear } = props
  if (page.rows.length > 0) return <Rows {...props} />
  if (page.searchedBackTo !== null) return null
  if (!isFiltered(search) && !query.isPlaceholderData) return <Empty action={begin}>{t(`page_${list}.empty`)}</Empty>
  const clear = (
    <Button variant="subtle" size="compact-sm" w="fit-content" onClick={onClear}>
      {t(`page_${list}.clear`)}
    </Button>
  )
  return <Empty action={clear}>{t(`page_${list}.nothing`)}</Empty>
}

function Rows<Row extends ListedRow>({
  list,
  page: { rows },
  columns,
  linkOf,
  hasSeveralSenders,
}: ResultsProps<Row> & { hasSeveralSenders: boolean }) {
  const { t } = useTexts()
  const sender: Column<Row> = {
    title: t(`page_${list}.sender`),
    from: 'desktop',
    phone: 'none',
    hideIfAll: ({ senderPhone }) => senderPhone,
    cell: ({ senderPhone }) => <PhoneNumber of={senderPhone} />,
  }
  return (
    <List
      label={t(`page_${list}.title`)}
      rows={rows}
      keyOf={({ id }) => id}
      linkOf={linkOf}
      columns={[
        ...columns,
        {
          title: t(`page_${list}.template`),
          from: 'desktop',
          phone: 'none',
          hideIfAll: ({ templateName }) => templateName,
          cell: ({ templateName }) => (templateName === null ? '–' : <code>{templateName}</code>),
        },
        ...(hasSeveralSenders ? [sender] : []),
        {
          title: t(`page_${list}.created`),
          phone: 'time',
          cell: ({ createdAt }) => <Time at={createdAt} kind="workspace" form="relative" />,
        },
      ]}
    />
  )
}

const Pages = <Row,>({ page, search, counted, pageBefore }: ResultsProps<Row>) => (
  <ListPages
    searchedBackTo={page.searchedBackTo}
    newest={search.before === undefined ? undefined : pageBefore(undefined)}
    older={page.nextCursor === null ? undefined : pageBefore(page.nextCursor)}
    position={positionOf(page, search, counted)}
  />
)
