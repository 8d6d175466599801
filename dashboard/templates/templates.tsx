import { Anchor, Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../api.ts'
import { nameOfLanguage } from '../cod-settings/languages.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { List } from '../ui/list.tsx'
import { useLive } from '../ui/live.ts'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useLanguage, useWords } from '../words.ts'
import { type Listed, type TemplateSearch, USES, isFiltered, readTemplateSearch } from './search.ts'
import { StatusBadge, qualityIn, wordIn } from './status.tsx'
import { Verdict } from './verdict.tsx'
import { templateWords } from './words.ts'

const PAGE = '/w/$workspaceId/templates'

export function Templates() {
  const text = useWords(templateWords)
  const live = useLive()
  const may = useMay()
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const choices = useQuery(api.templates.choices.queryOptions({ workspaceId }))
  const list = useInfiniteQuery(
    api.templates.list.infiniteQueryOptions(
      { workspaceId, ...search },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  )
  const templates = list.data?.pages.flatMap((page) => page.templates) ?? []
  const hasAccount = (choices.data?.accounts.length ?? 1) > 0
  const isEmpty = list.data !== undefined && templates.length === 0 && !list.hasNextPage && !isFiltered(search)
  const create = may.change && hasAccount && (
    <Button renderRoot={(props) => <Link {...props} to="/w/$workspaceId/templates/new" params={{ workspaceId }} />}>
      {text.create}
    </Button>
  )
  return (
    <Page title={text.title} about={text.about} live={live} actions={!isEmpty && create}>
      {!isEmpty && <Filters key={JSON.stringify(search)} />}
      {list.error && <Failed error={list.error} onAgain={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {isEmpty && (hasAccount ? <Empty action={create}>{text.empty}</Empty> : <NoAccount />)}
      {list.data && !isEmpty && templates.length === 0 && <Empty>{text.none}</Empty>}
      {templates.length > 0 && <TemplateList templates={templates} />}
      {list.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {text.more}
        </Button>
      )}
    </Page>
  )
}

function NoAccount() {
  const text = useWords(templateWords)
  const { workspaceId } = useWorkspace()
  const toSenders = (
    <Button renderRoot={(props) => <Link {...props} to="/w/$workspaceId/senders" params={{ workspaceId }} />}>
      {text.toSenders}
    </Button>
  )
  return <Empty action={toSenders}>{text.emptyNoAccount}</Empty>
}

function Filters() {
  const text = useWords(templateWords)
  const { language: page } = useLanguage()
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const { data: choices } = useQuery(api.templates.choices.queryOptions({ workspaceId }))
  const form = useForm({ initialValues: { search: search.search ?? '' } })
  const narrow = (change: Partial<Record<keyof TemplateSearch, string>>): void =>
    void navigate({ search: readTemplateSearch({ ...search, ...form.values, ...change }), resetScroll: false })
  const any = { value: '', label: text.any }
  const statuses = choices?.statuses ?? (search.status === undefined ? [] : [search.status])
  const languages = choices?.languages ?? (search.language === undefined ? [] : [search.language])
  return (
    <form role="search" aria-label={text.filters} onSubmit={form.onSubmit((values) => narrow(values))}>
      <Stack gap="sm">
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <TextInput type="search" label={text.search} maxLength={200} flex={1} {...form.getInputProps('search')} />
          <Button type="submit" variant="default">
            {text.find}
          </Button>
        </Group>
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <NativeSelect
            label={text.use}
            value={search.use ?? ''}
            data={[
              any,
              ...USES.map((value) => ({ value, label: text.usableFor[value] })),
              { value: 'none', label: text.forNothing },
            ]}
            onChange={({ currentTarget }) => narrow({ use: currentTarget.value })}
          />
          <NativeSelect
            label={text.status}
            value={search.status ?? ''}
            data={[any, ...statuses.map((value) => ({ value, label: wordIn(text.statuses, value) }))]}
            onChange={({ currentTarget }) => narrow({ status: currentTarget.value })}
          />
          <NativeSelect
            label={text.language}
            value={search.language ?? ''}
            data={[
              any,
              ...languages.map((value) => ({ value, label: `${nameOfLanguage(value, page)} (\u2066${value}\u2069)` })),
            ]}
            onChange={({ currentTarget }) => narrow({ language: currentTarget.value })}
          />
        </SimpleGrid>
        {isFiltered(search) && (
          <Button
            variant="subtle"
            size="compact-sm"
            w="fit-content"
            onClick={() => void navigate({ search: {}, resetScroll: false })}
          >
            {text.clear}
          </Button>
        )}
      </Stack>
    </form>
  )
}

function TemplateList({ templates }: { templates: readonly Listed[] }) {
  const text = useWords(templateWords)
  const { language: page } = useLanguage()
  const { workspaceId } = useWorkspace()
  return (
    <List
      label={text.title}
      rows={templates}
      keyOf={({ accountId, name, language }) => `${accountId} ${name} ${language}`}
      columns={[
        {
          title: text.template,
          cell: ({ accountId, name, language, text: words }) => (
            <Stack gap={2} maw={380}>
              <Anchor
                size="sm"
                className="as-typed"
                style={{ overflowWrap: 'anywhere', alignSelf: 'start' }}
                renderRoot={(props) => (
                  <Link
                    {...props}
                    to="/w/$workspaceId/templates/$accountId/$name/$language"
                    params={{ workspaceId, accountId, name, language }}
                  />
                )}
              >
                {name}
              </Anchor>
              <Text size="sm">
                {nameOfLanguage(language, page)} (<code>{language}</code>)
              </Text>
              <Text size="xs" c="dimmed" dir="auto" lineClamp={2}>
                {words}
              </Text>
            </Stack>
          ),
        },
        { title: text.verdict, cell: (template) => <Verdict {...template} /> },
        { title: text.status, cell: ({ status }) => <StatusBadge status={status} /> },
        { title: text.category, cell: ({ category }) => wordIn(text.categories, category) },
        { title: text.quality, cell: ({ quality }) => qualityIn(text, quality) },
      ]}
    />
  )
}
