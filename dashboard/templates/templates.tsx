import { Anchor, Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../api.ts'
import { nameOfLanguage } from '../cod-settings/languages.ts'
import { useTexts, translateWord } from '../texts/use-texts.ts'
import { Empty } from '../ui/empty.tsx'
import { ExportButton } from '../ui/list/export-button.tsx'
import { Failed } from '../ui/failed.tsx'
import { List } from '../ui/list/list.tsx'
import { useLive } from '../ui/shell/live.ts'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/shell/page.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { type ListedTemplate, type TemplateSearch, USES, isFiltered, readTemplateSearch } from './search.ts'
import { StatusBadge, qualityIn } from './status.tsx'
import { Verdict } from './verdict.tsx'

const PAGE = '/w/$workspaceId/templates'

export function Templates() {
  const { t } = useTexts()
  const live = useLive()
  const may = usePermissions()
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
      {t('page_templates.create')}
    </Button>
  )
  return (
    <Page
      title={t('page_templates.title')}
      about={t('page_templates.about')}
      live={live}
      actions={
        !isEmpty && (
          <Group gap="xs">
            <ExportButton list="templates" filters={search} />
            {create}
          </Group>
        )
      }
    >
      {!isEmpty && <Filters key={JSON.stringify(search)} />}
      {list.error && <Failed error={list.error} onAgain={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {isEmpty && (hasAccount ? <Empty action={create}>{t('page_templates.empty')}</Empty> : <NoAccount />)}
      {list.data && !isEmpty && templates.length === 0 && <Empty>{t('page_templates.none')}</Empty>}
      {templates.length > 0 && <TemplateList templates={templates} />}
      {list.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {t('page_templates.more')}
        </Button>
      )}
    </Page>
  )
}

function NoAccount() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const toSenders = (
    <Button renderRoot={(props) => <Link {...props} to="/w/$workspaceId/senders" params={{ workspaceId }} />}>
      {t('page_templates.to_senders')}
    </Button>
  )
  return <Empty action={toSenders}>{t('page_templates.empty_no_account')}</Empty>
}

function Filters() {
  const texts = useTexts()
  const { t, language: page } = texts
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const { data: choices } = useQuery(api.templates.choices.queryOptions({ workspaceId }))
  const form = useForm({ initialValues: { search: search.search ?? '' } })
  const narrow = (change: Partial<Record<keyof TemplateSearch, string>>): void =>
    void navigate({ search: readTemplateSearch({ ...search, ...form.values, ...change }), resetScroll: false })
  const any = { value: '', label: t('page_templates.any') }
  const statuses = choices?.statuses ?? (search.status === undefined ? [] : [search.status])
  const languages = choices?.languages ?? (search.language === undefined ? [] : [search.language])
  return (
    <form role="search" aria-label={t('page_templates.filters')} onSubmit={form.onSubmit((values) => narrow(values))}>
      <Stack gap="sm">
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <TextInput
            type="search"
            label={t('page_templates.search')}
            maxLength={200}
            flex={1}
            {...form.getInputProps('search')}
          />
          <Button type="submit" variant="default">
            {t('page_templates.find')}
          </Button>
        </Group>
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <NativeSelect
            label={t('page_templates.use')}
            value={search.use ?? ''}
            data={[
              any,
              ...USES.map((value) => ({ value, label: t(`page_templates.usable_for_${value}`) })),
              { value: 'none', label: t('page_templates.for_nothing') },
            ]}
            onChange={({ currentTarget }) => narrow({ use: currentTarget.value })}
          />
          <NativeSelect
            label={t('page_templates.status')}
            value={search.status ?? ''}
            data={[
              any,
              ...statuses.map((value) => ({ value, label: translateWord(texts, 'page_templates.statuses', value) })),
            ]}
            onChange={({ currentTarget }) => narrow({ status: currentTarget.value })}
          />
          <NativeSelect
            label={t('page_templates.language')}
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
            {t('page_templates.clear')}
          </Button>
        )}
      </Stack>
    </form>
  )
}

function TemplateList({ templates }: { templates: readonly ListedTemplate[] }) {
  const texts = useTexts()
  const { t, language: page } = texts
  const { workspaceId } = useWorkspace()
  return (
    <List
      label={t('page_templates.title')}
      rows={templates}
      keyOf={({ accountId, name, language }) => `${accountId} ${name} ${language}`}
      columns={[
        {
          title: t('page_templates.template'),
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
        { title: t('page_templates.verdict'), cell: (template) => <Verdict {...template} /> },
        { title: t('page_templates.status'), cell: ({ status }) => <StatusBadge status={status} /> },
        {
          title: t('page_templates.category'),
          cell: ({ category }) => translateWord(texts, 'page_templates.categories', category),
        },
        { title: t('page_templates.quality'), cell: ({ quality }) => qualityIn(texts, quality) },
      ]}
    />
  )
}
