import { Button, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ExportedListName } from '../../../src/admin/export/lists.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Empty } from '../empty.tsx'
import { Failed } from '../failed.tsx'
import { ExportButton } from './export-button.tsx'
import { type Filter, FilterBar } from './filter-bar.tsx'
import { KeptSince } from './kept-since.tsx'
import { type LinkOf, ListPages } from './list-pages.tsx'
import { type ListSearch, isFiltered } from './list-search.ts'
import { type Counted, positionOf } from './position.ts'
import type { LiveState } from '../shell/live.ts'
import { Loading } from '../loading.tsx'
import { Page } from '../shell/page.tsx'

type ListPage<Row> = { rows: readonly Row[]; nextCursor: string | null; searchedBackTo: string | null }

type ListQuery<Row> = {
  data: ListPage<Row> | undefined
  error: unknown
  isPending: boolean
  isPlaceholderData: boolean
  refetch: () => unknown
}

/** The options of the workspace; until they are loaded, those already chosen. */
type Choices = { templates: string[]; senders: { senderId: string; phoneNumber: string }[] }

/** The page whose texts label the filters. */
type SearchedPage = 'page_messages' | 'page_confirmations'

type Props<Row> = {
  page: SearchedPage
  live: LiveState
  search: ListSearch
  query: ListQuery<Row>
  /** Requested only if `hasOtherPages`. */
  counted: Counted | undefined
  choices: Choices | undefined
  /** The page's own filters, before the common ones. */
  own: readonly Filter[]
  /** Shown if the workspace has no rows yet. */
  begin: ReactNode
  exportAs: ExportedListName
  onNarrow: (change: Record<string, string>) => void
  onClear: () => void
  /** A link to the page before a row, or to the newest page. */
  linkTo: (before: string | undefined) => LinkOf
  children: (rows: readonly Row[]) => ReactNode
}

/** A page with a long list: filters, results and paging. */
export function SearchedList<Row>(props: Props<Row>) {
  const { t } = useTexts()
  const { page, live, search, query, choices = chosenAlready(search), own, onNarrow, onClear } = props
  const { before: _, ...filters } = search
  return (
    <Page title={t(`${page}.title`)} about={t(`${page}.about`)} live={live}>
      <FilterBar
        label={t(`${page}.filters`)}
        search={{ label: t(`${page}.search_for`), value: search.text ?? '' }}
        filters={[
          ...own,
          {
            name: 'template',
            label: t(`${page}.template`),
            value: search.template,
            choices: choices.templates.map((value) => ({ value, label: value })),
          },
          ...(search.senderId !== undefined || hasSeveralSenders(choices)
            ? [
                {
                  name: 'senderId',
                  label: t(`${page}.sender`),
                  value: search.senderId,
                  choices: choices.senders.map(({ senderId, phoneNumber }) => ({
                    value: senderId,
                    label: `\u2066${phoneNumber}\u2069`,
                  })),
                },
              ]
            : []),
        ]}
        range={{ from: search.from, to: search.to }}
        onChange={onNarrow}
        onClear={isFiltered(search) ? onClear : undefined}
        end={<ExportButton list={props.exportAs} filters={filters} />}
      />
      {query.error !== null && <Failed error={query.error} onAgain={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.data && (
        <Stack aria-busy={query.isPlaceholderData}>
          <Results {...props} list={query.data} />
          <Pages {...props} list={query.data} />
          {query.data.nextCursor === null && <KeptSince of="records" />}
        </Stack>
      )}
    </Page>
  )
}

/** With only one sender, its column and filter would say nothing. */
export const hasSeveralSenders = (choices: Choices | undefined): boolean => (choices?.senders.length ?? 0) > 1

const chosenAlready = ({ template, senderId }: ListSearch): Choices => ({
  templates: template === undefined ? [] : [template],
  senders: senderId === undefined ? [] : [{ senderId, phoneNumber: '…' }],
})

function Clear({ page, onClear }: Pick<Props<never>, 'page' | 'onClear'>) {
  const { t } = useTexts()
  return (
    <Button variant="subtle" size="compact-sm" w="fit-content" onClick={onClear}>
      {t(`${page}.clear`)}
    </Button>
  )
}

function Results<Row>({ list: { rows, searchedBackTo }, ...props }: Props<Row> & { list: ListPage<Row> }) {
  const { t } = useTexts()
  if (rows.length > 0) return props.children(rows)
  if (searchedBackTo !== null) return null
  if (isFiltered(props.search)) return <Empty action={<Clear {...props} />}>{t(`${props.page}.nothing`)}</Empty>
  return <Empty action={props.begin}>{t(`${props.page}.empty`)}</Empty>
}

type PagesProps<Row> = Pick<Props<Row>, 'search' | 'counted' | 'linkTo'> & { list: ListPage<Row> }

const Pages = <Row,>({ list, search, counted, linkTo }: PagesProps<Row>) => (
  <ListPages
    searchedBackTo={list.searchedBackTo}
    newest={search.before === undefined ? undefined : linkTo(undefined)}
    older={list.nextCursor === null ? undefined : linkTo(list.nextCursor)}
    position={positionOf(list, search, counted)}
  />
)
