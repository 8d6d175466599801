import { Button, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWorkspace } from './workspace.ts'
import { Empty } from './empty.tsx'
import { Failed } from './failed.tsx'
import { type LinkOf, ListPages } from './list-pages.tsx'
import { type ListSearch, isFiltered } from './list-search.ts'
import type { LiveState } from './live.ts'
import { Loading } from './loading.tsx'
import { Page } from './page.tsx'
import { type Choices, type OwnFilter, SearchForm, type SearchWords } from './search-form.tsx'

type PageWords = SearchWords & Readonly<Record<'title' | 'about' | 'zone' | 'clear' | 'nothing' | 'empty', string>>

type ListPage<Row> = { rows: readonly Row[]; nextCursor: string | null; lookedBackTo: string | null }

type Asked<Row> = {
  data: ListPage<Row> | undefined
  error: unknown
  isPending: boolean
  isPlaceholderData: boolean
  refetch: () => unknown
}

type Props<Row> = {
  words: PageWords
  live: LiveState
  search: ListSearch
  asked: Asked<Row>
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

/** A page with a long list: what narrows it, what was found, and the way through it. */
export function SearchedList<Row>(props: Props<Row>) {
  const { words, live, search, asked, choices, own, onNarrow } = props
  const { timeZone } = useWorkspace()
  const { before: _, ...filter } = search
  return (
    <Page title={words.title} about={`${words.about} ${words.zone} \u2066${timeZone}\u2069.`} live={live}>
      <SearchForm
        key={JSON.stringify(filter)}
        words={words}
        search={search}
        choices={choices}
        own={own}
        onNarrow={onNarrow}
        clear={<Clear {...props} />}
      />
      {asked.error !== null && <Failed error={asked.error} onAgain={() => void asked.refetch()} />}
      {asked.isPending && <Loading />}
      {asked.data && (
        <Stack aria-busy={asked.isPlaceholderData}>
          <Found {...props} page={asked.data} />
          <Pages {...props} page={asked.data} />
        </Stack>
      )}
    </Page>
  )
}

const Clear = ({ words, onClear }: Pick<Props<never>, 'words' | 'onClear'>) => (
  <Button variant="subtle" size="compact-sm" w="fit-content" onClick={onClear}>
    {words.clear}
  </Button>
)

function Found<Row>({ page: { rows, lookedBackTo }, ...props }: Props<Row> & { page: ListPage<Row> }) {
  if (rows.length > 0) return props.children(rows)
  if (lookedBackTo !== null) return null
  if (isFiltered(props.search)) return <Empty action={<Clear {...props} />}>{props.words.nothing}</Empty>
  return <Empty action={props.begin}>{props.words.empty}</Empty>
}

const Pages = <Row,>({ page, search, linkTo }: Pick<Props<Row>, 'search' | 'linkTo'> & { page: ListPage<Row> }) => (
  <ListPages
    lookedBackTo={page.lookedBackTo}
    newest={search.before === undefined ? undefined : linkTo(undefined)}
    older={page.nextCursor === null ? undefined : linkTo(page.nextCursor)}
  />
)
