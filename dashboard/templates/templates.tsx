import { Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../api.ts'
import { pageQueries } from '../queries.ts'
import { nameOfLanguage } from '../texts/language.ts'
import { translateWord, useTexts } from '../texts/use-texts.ts'
import { Empty, Failed, Loading } from '../ui/fallback.tsx'
import { ButtonLink, linkTo } from '../ui/link.tsx'
import { ExportButton } from '../ui/list/export-button.tsx'
import { FilterBar } from '../ui/list/filter-bar.tsx'
import { MoreButton } from '../ui/list/list-pages.tsx'
import { List } from '../ui/list/list.tsx'
import { Page } from '../ui/shell/page.tsx'
import { statusWord } from '../ui/state/status.ts'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { type ListedTemplate, type TemplateSearch, USES, isFiltered, readTemplateSearch } from './search.ts'
import { LanguageName, StatusBadge, UsableFor, qualityIn } from './status.tsx'

const PAGE = '/w/$workspaceId/templates'

export function Templates() {
  const { t } = useTexts()
  const may = usePermissions()
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const choices = useQuery(api.templates.choices.queryOptions({ workspaceId }))
  const list = useInfiniteQuery(pageQueries.templates(workspaceId, search))
  const templates = list.data?.pages.flatMap((page) => page.templates) ?? []
  const hasAccount = (choices.data?.accounts.length ?? 1) > 0
  const isEmpty = list.data !== undefined && templates.length === 0 && !list.hasNextPage && !isFiltered(search)
  const create = may.change && hasAccount && (
    <ButtonLink to="/w/$workspaceId/templates/new">{t('page_templates.create')}</ButtonLink>
  )
  return (
    <Page title={t('page_templates.title')} about={t('page_templates.about')} live actions={!isEmpty && create}>
      {!isEmpty && <Filters />}
      {list.error && <Failed error={list.error} onAgain={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {isEmpty && (hasAccount ? <Empty action={create}>{t('page_templates.empty')}</Empty> : <NoAccount />)}
      {list.data && !isEmpty && templates.length === 0 && <Empty>{t('page_templates.none')}</Empty>}
      {templates.length > 0 && <TemplateList templates={templates} />}
      <MoreButton of={list}>{t('page_templates.more')}</MoreButton>
    </Page>
  )
}

function NoAccount() {
  const { t } = useTexts()
  const toSenders = <ButtonLink to="/w/$workspaceId/senders">{t('page_templates.to_senders')}</ButtonLink>
  return <Empty action={toSenders}>{t('page_templates.empty_no_account')}</Empty>
}

function Filters() {
  const texts = useTexts()
  const { t, language: page } = texts
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const { data: choices } = useQuery(api.templates.choices.queryOptions({ workspaceId }))
  const show = (next: TemplateSearch): void => void navigate({ search: next, replace: true, resetScroll: false })
  const statuses = choices?.statuses ?? (search.status === undefined ? [] : [search.status])
  const languages = choices?.languages ?? (search.language === undefined ? [] : [search.language])
  return (
    <FilterBar
      label={t('page_templates.filters')}
      search={{ label: t('page_templates.search'), value: search.search ?? '' }}
      filters={[
        {
          name: 'use',
          label: t('page_templates.usable_for'),
          value: search.use,
          choices: [
            ...USES.map((value) => ({ value, label: t(`page_templates.uses_${value}`) })),
            { value: 'none', label: t('page_templates.for_nothing') },
          ],
        },
        {
          name: 'status',
          label: t('page_templates.status'),
          value: search.status,
          choices: statuses.map((value) => ({ value, label: statusWord(texts, 'template', value) })),
        },
        {
          name: 'language',
          label: t('page_templates.language'),
          value: search.language,
          choices: languages.map((value) => ({
            value,
            label: `${nameOfLanguage(value, page)} (\u2066${value}\u2069)`,
          })),
        },
      ]}
      onChange={({ text, ...change }) =>
        show(readTemplateSearch({ ...search, ...change, ...(text !== undefined && { search: text }) }))
      }
      onClear={isFiltered(search) ? () => show({}) : undefined}
      end={<ExportButton list="templates" filters={search} />}
    />
  )
}

function TemplateList({ templates }: { templates: readonly ListedTemplate[] }) {
  const texts = useTexts()
  const { t } = texts
  return (
    <List
      label={t('page_templates.title')}
      rows={templates}
      keyOf={({ accountId, name, language }) => `${accountId} ${name} ${language}`}
      linkOf={({ accountId, name, language }) =>
        linkTo({ to: '/w/$workspaceId/templates/$accountId/$name/$language', params: { accountId, name, language } })
      }
      columns={[
        {
          title: t('page_templates.template'),
          cell: ({ name }) => (
            <Text span inherit display="block" miw="9.5rem" style={{ overflowWrap: 'anywhere' }}>
              <span className="as-typed">{name}</span>
            </Text>
          ),
        },
        {
          title: t('page_templates.language'),
          hideIfAll: ({ language }) => language,
          cell: ({ language }) => <LanguageName code={language} />,
        },
        {
          title: t('page_templates.body'),
          from: 'desktop',
          phone: 'none',
          cell: ({ text: words }) => (
            <Text size="sm" c="dimmed" dir="auto" lineClamp={2} maw="18rem">
              {words}
            </Text>
          ),
        },
        { title: t('page_templates.usable_for'), phone: 'none', cell: (template) => <UsableFor template={template} /> },
        { title: t('page_templates.status'), phone: 'status', cell: ({ status }) => <StatusBadge status={status} /> },
        {
          title: t('page_templates.category'),
          from: 'laptop',
          cell: ({ category }) => translateWord(texts, 'page_templates.categories', category),
        },
        {
          title: t('page_templates.quality'),
          from: 'desktop',
          phone: 'none',
          hideIfAll: ({ quality }) => quality,
          cell: ({ quality }) => (quality === null || quality === 'UNKNOWN' ? '–' : qualityIn(texts, quality)),
        },
      ]}
    />
  )
}
