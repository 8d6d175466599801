import { Button, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Empty } from '../empty.tsx'
import { Failed } from '../failed.tsx'
import { type LinkOf, ListPages } from './list-pages.tsx'
import { type ListSearch, isFiltered } from './list-search.ts'
import type { LiveState } from '../shell/live.ts'
import { Loading } from '../loading.tsx'
import { Page } from '../shell/page.tsx'
import { type Choices, type OwnFilter, SearchForm, type SearchedPage } from './search-form.tsx'

type ListPage<Row> = { rows: readonly Row[]; nextCursor: string | null; searchedBackTo: string | null }

type ListQuery<Row> = {
  data: ListPage<Row> | undefined
  error: unknown
  isPending: boolean
  isPlaceholderData: boolean
  refetch: () => unknown
}

type Props<Row> = {
  page: SearchedPage
  live: LiveState
  search: ListSearch
  query: ListQuery<Row>
  choices: Choices | undefined
  own: readonly OwnFilter[]
  /** What to do where there is nothing at all yet. */
  begin: ReactNode
  onNarrow: (change: Record<string, string>) => void
  onClear: () => void
  /** To the page before a row, or to the newest. */
  linkTo: (before: string | undefined) => LinkOf
  children: (rows: readonly Row[]) => ReactNode
}

/** A page with a long list: filters, results and paging. */
export function SearchedList<Row>(props: Props<Row>) {
  const { t } = useTexts()
  const { page, live, search, query, choices, own, onNarrow } = props
  const { before: _, ...filter } = search
  return (
    <Page title={t(`${page}.title`)} about={t(`${page}.about`)} live={live}>
      <SearchForm
        key={JSON.stringify(filter)}
        page={page}
        search={search}
        choices={choices}
        own={own}
        onNarrow={onNarrow}
        clear={<Clear {...props} />}
      />
      {query.error !== null && <Failed error={query.error} onAgain={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.data && (
        <Stack aria-busy={query.isPlaceholderData}>
          <Results {...props} list={query.data} />
          <Pages {...props} list={query.data} />
        </Stack>
      )}
    </Page>
  )
}

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

const Pages = <Row,>({ list, search, linkTo }: Pick<Props<Row>, 'search' | 'linkTo'> & { list: ListPage<Row> }) => (
  <ListPages
    searchedBackTo={list.searchedBackTo}
    newest={search.before === undefined ? undefined : linkTo(undefined)}
    older={list.nextCursor === null ? undefined : linkTo(list.nextCursor)}
  />
)
