import { Box, Button, Group, NativeSelect, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type RouterOutputs, api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { List } from '../ui/list/list.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/shell/page.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { actionIn, codeOfAction } from './action.ts'
import { differences } from './differences.ts'
import { type AuditSearch, readAuditSearch } from './search.ts'

type Entry = RouterOutputs['auditLog']['list']['entries'][number]

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
  const { of = 'workspace', action, who } = useSearch({ from: ROUTE })
  const log = useInfiniteQuery(
    api.auditLog.list.infiniteQueryOptions(
      { workspaceId, of, action, who },
      { getNextPageParam: ({ next }) => next ?? undefined },
    ),
  )
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <Stack>
      <Filters />
      {log.isLoading && <Loading />}
      {log.error && <Failed error={log.error} onAgain={() => void log.refetch()} />}
      {log.data && entries.length === 0 && (
        <Empty>{action || who ? t('page_audit_log.nothing_fits') : t('page_audit_log.empty')}</Empty>
      )}
      {entries.length > 0 && <Entries entries={entries} />}
      {log.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={log.isFetchingNextPage}
          onClick={() => void log.fetchNextPage()}
        >
          {t('page_audit_log.more')}
        </Button>
      )}
    </Stack>
  )
}

function Filters() {
  const texts = useTexts()
  const { t } = texts
  const { workspaceId, operator } = useWorkspace()
  const search = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: ROUTE })
  const { data } = useQuery(api.auditLog.choices.queryOptions({ workspaceId, of: search.of ?? 'workspace' }))
  const choose = (changed: AuditSearch): void => void navigate({ search: changed })
  const { of, action, who } = search
  return (
    <Group align="flex-end">
      {operator && (
        <NativeSelect
          label={t('page_audit_log.of')}
          value={of ?? 'workspace'}
          data={[
            { value: 'workspace', label: t('page_audit_log.of_workspace') },
            { value: 'instance', label: t('page_audit_log.of_instance') },
          ]}
          onChange={({ currentTarget: { value } }) => choose(value === 'instance' ? { of: 'instance' } : {})}
        />
      )}
      <NativeSelect
        label={t('page_audit_log.what')}
        value={action ?? ''}
        data={[
          { value: '', label: t('page_audit_log.anything') },
          ...choicesWith(data?.actions ?? [], action)
            .map((value) => ({ value, label: actionIn(value, texts) }))
            .toSorted((a, b) => a.label.localeCompare(b.label)),
        ]}
        onChange={({ currentTarget: { value } }) => choose(readAuditSearch({ ...search, action: value }))}
      />
      <NativeSelect
        label={t('page_audit_log.who')}
        value={who ?? ''}
        data={[
          { value: '', label: t('page_audit_log.anybody') },
          ...choicesWith(data?.people ?? [], who).map((value) => ({
            value,
            label: nameOf(value, t('page_audit_log.command_line')),
          })),
        ]}
        onChange={({ currentTarget: { value } }) => choose(readAuditSearch({ ...search, who: value }))}
      />
    </Group>
  )
}

/** The value of the address is an option too, even if nothing matches it any more. */
const choicesWith = (choices: readonly string[], chosen: string | undefined): string[] =>
  chosen !== undefined && !choices.includes(chosen) ? [...choices, chosen] : [...choices]

const COMMAND_LINE = 'command line'

const nameOf = (who: string, commandLine: string): string => (who === COMMAND_LINE ? commandLine : who)

function Entries({ entries }: { entries: readonly Entry[] }) {
  const texts = useTexts()
  const { t, has } = texts
  return (
    <List
      label={t('page_audit_log.title')}
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        {
          title: t('page_audit_log.when_and_who'),

          cell: ({ at, who }) => (
            <div>
              <Time at={at} kind="past" />
              <br />
              <bdi>{nameOf(who, t('page_audit_log.command_line'))}</bdi>
            </div>
          ),
        },
        {
          title: t('page_audit_log.what'),
          cell: ({ action, target }) => (
            <div>
              {has(codeOfAction(action)) ? actionIn(action, texts) : <code>doorcode {action}</code>}
              <br />
              <Text span inherit c="dimmed">
                <bdi>{target}</bdi>
              </Text>
            </div>
          ),
        },
        { title: t('page_audit_log.changed'), cell: (entry) => <Changed entry={entry} /> },
      ]}
    />
  )
}

/** Each difference: its name, the old value and the new one. */
function Changed({ entry: { before, after } }: { entry: Entry }) {
  const { t } = useTexts()
  const changes = differences(before, after)
  if (changes.length === 0) return '–'
  return (
    <Stack gap={2} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {changes.map(({ name, from, to }) => (
        <Box component="li" key={name} style={{ overflowWrap: 'anywhere' }}>
          <Text span size="sm" c="dimmed">
            <bdi>{name}</bdi>:{' '}
          </Text>
          {from !== undefined && (
            <Text span size="sm" td="line-through">
              <VisuallyHidden>{t('page_audit_log.was')} </VisuallyHidden>
              <Value text={from} />
            </Text>
          )}{' '}
          {to === undefined ? (
            <Text span size="sm">
              {t('page_audit_log.removed')}
            </Text>
          ) : (
            <Text span size="sm" fw={600}>
              <Value text={to} />
            </Text>
          )}
        </Box>
      ))}
    </Stack>
  )
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

const Value = ({ text }: { text: string }) => (INSTANT.test(text) ? <Time at={text} kind="past" /> : <bdi>{text}</bdi>)
