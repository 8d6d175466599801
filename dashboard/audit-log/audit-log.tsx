import { Drawer, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { RESOURCES } from '../../src/admin/audit/actions.ts'
import { api } from '../api.ts'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Empty, Failed, Loading } from '../ui/fallback.tsx'
import { linkTo } from '../ui/link.tsx'
import { ExportButton } from '../ui/list/export-button.tsx'
import { FilterBar } from '../ui/list/filter-bar.tsx'
import { KeptSince, MoreButton } from '../ui/list/list-pages.tsx'
import { List } from '../ui/list/list.tsx'
import { Page } from '../ui/shell/page.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { actionIn, whoText } from './action.ts'
import { ChangesInRow, Details } from './details.tsx'
import { type AuditSearch, readAuditSearch } from './search.ts'
import { type Entry, NamesContext, Sentence, sentenceText } from './sentence.tsx'
import { differences } from './values.ts'

export function AuditLog() {
  const { t } = useTexts()
  const may = usePermissions()
  return (
    <Page title={t('page_audit_log.title')} about={t('page_audit_log.about')}>
      {may.change ? <Log /> : <Empty>{t('page_audit_log.not_yours')}</Empty>}
    </Page>
  )
}

const ROUTE = '/w/$workspaceId/audit'

function Log() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { entry: openId, ...filter } = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: ROUTE })
  const log = useInfiniteQuery(pageQueries.auditLog(workspaceId, filter))
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? []
  const { data: people } = useQuery(pageQueries.people({ workspaceId }))
  const names = useMemo(() => new Map(people?.members.map(({ email, name }) => [email, name])), [people])
  return (
    <NamesContext value={names}>
      <Stack>
        <Filters filter={filter} />
        {log.isLoading && <Loading />}
        {log.error && <Failed error={log.error} onAgain={() => void log.refetch()} />}
        {log.data && entries.length === 0 && (
          <Empty>{isFiltered(filter) ? t('page_audit_log.nothing_fits') : t('page_audit_log.empty')}</Empty>
        )}
        {entries.length > 0 && <Entries entries={entries} />}
        {log.data && !log.hasNextPage && <KeptSince of="audit" />}
        <MoreButton of={log}>{t('page_shell.older')}</MoreButton>
        <Drawer
          opened={openId !== undefined}
          onClose={() => void navigate({ search: filter, replace: true, resetScroll: false })}
          position="right"
          size="min(100vw, 46rem)"
          title={t('page_audit_log.details')}
        >
          {openId !== undefined && (
            <OpenEntry id={openId} of={filter.of} listed={entries.find(({ id }) => id === openId)} />
          )}
        </Drawer>
      </Stack>
    </NamesContext>
  )
}

/** A link may lead to an entry that the list has not loaded, or that is no longer kept. */
function OpenEntry({ id: entryId, of, listed }: { id: string; of: AuditSearch['of']; listed: Entry | undefined }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const {
    data: entry = listed,
    error,
    refetch,
  } = useQuery({ ...api.auditLog.find.queryOptions({ workspaceId, of, entryId }), enabled: listed === undefined })
  if (entry) return <Details entry={entry} />
  if (entry === null) return <Text>{t('page_audit_log.not_kept')}</Text>
  return error ? <Failed error={error} onAgain={() => void refetch()} /> : <Loading as="form" />
}

type Filter = Omit<AuditSearch, 'entry'>

const isFiltered = (filter: Filter): boolean => Object.keys(filter).some((name) => name !== 'of')

function Filters({ filter }: { filter: Filter }) {
  const texts = useTexts()
  const { t } = texts
  const { workspaceId, operator } = useWorkspace()
  const navigate = useNavigate({ from: ROUTE })
  const { of = 'workspace', who, action, resource, from, to } = filter
  const { data } = useQuery(api.auditLog.choices.queryOptions({ workspaceId, of }))
  const show = (search: AuditSearch): void => void navigate({ search, replace: true, resetScroll: false })
  const scope = {
    name: 'of',
    label: t('page_audit_log.of'),
    value: filter.of,
    choices: (['workspace', 'instance'] as const).map((value) => ({ value, label: t(`page_audit_log.of_${value}`) })),
  }
  return (
    <FilterBar
      label={t('page_audit_log.filters')}
      filters={[
        {
          name: 'who',
          label: t('page_audit_log.who'),
          value: who,
          choices: (data?.people ?? []).map((value) => ({ value, label: whoText(value, texts) })),
        },
        {
          name: 'action',
          label: t('page_audit_log.what'),
          value: action,
          choices: (data?.actions ?? [])
            .map((value) => ({ value, label: actionIn(value, texts) }))
            .toSorted((a, b) => a.label.localeCompare(b.label, texts.language)),
        },
        {
          name: 'resource',
          label: t('page_audit_log.resource'),
          value: resource,
          choices: RESOURCES.map((value) => ({ value, label: t(`page_audit_log.resources_${value}`) })).toSorted(
            (a, b) => a.label.localeCompare(b.label, texts.language),
          ),
        },
        ...(operator ? [scope] : []),
      ]}
      range={{ from, to }}
      // The two scopes have different people and actions.
      onChange={(change) =>
        show('of' in change ? readAuditSearch({ from, to, ...change }) : readAuditSearch({ ...filter, ...change }))
      }
      onClear={isFiltered(filter) ? () => show(filter.of ? { of: filter.of } : {}) : undefined}
      end={<ExportButton list="audit-log" filters={filter} />}
    />
  )
}

function Entries({ entries }: { entries: readonly Entry[] }) {
  const texts = useTexts()
  const { t } = texts
  return (
    <List
      label={t('page_audit_log.title')}
      rows={entries}
      keyOf={({ id }) => id}
      linkOf={({ id }) =>
        linkTo({
          from: ROUTE,
          to: '.',
          search: (now: AuditSearch) => ({ ...now, entry: id }),
          replace: true,
          resetScroll: false,
        })
      }
      columns={[
        {
          title: t('page_audit_log.event'),
          phone: 'name',
          cell: (entry) => (
            <div style={{ overflowWrap: 'anywhere' }}>
              <Sentence entry={entry} />
            </div>
          ),
        },
        {
          title: t('page_audit_log.changed'),
          phone: 'none',
          cell: (entry) => {
            const all = differences(entry)
            return all.length === 0 ? '–' : <ChangesInRow entry={entry} all={all} />
          },
        },
        {
          title: t('page_audit_log.when'),
          opens: true,
          phone: 'time',
          cell: (entry) => (
            <>
              <Time at={entry.at} kind="past" form="relative" />
              <VisuallyHidden component="span"> {sentenceText(entry, texts)}</VisuallyHidden>
            </>
          ),
        },
      ]}
    />
  )
}
