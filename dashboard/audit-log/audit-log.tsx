import { Box, Button, Group, NativeSelect, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type Answers, api } from '../api.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { List } from '../ui/list.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { actionIn, hasWords } from './action.ts'
import { differences } from './differences.ts'
import { type AuditSearch, readAuditSearch } from './search.ts'
import { auditWords } from './words.ts'

type Entry = Answers['auditLog']['list']['entries'][number]

export function AuditLog() {
  const text = useWords(auditWords)
  const may = useMay()
  return (
    <Page title={text.title} about={text.about}>
      {may.change ? <Log /> : <Empty>{text.notYours}</Empty>}
    </Page>
  )
}

const ROUTE = '/w/$workspaceId/audit'

function Log() {
  const text = useWords(auditWords)
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
      {log.data && entries.length === 0 && <Empty>{action || who ? text.nothingFits : text.empty}</Empty>}
      {entries.length > 0 && <Entries entries={entries} />}
      {log.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={log.isFetchingNextPage}
          onClick={() => void log.fetchNextPage()}
        >
          {text.more}
        </Button>
      )}
    </Stack>
  )
}

function Filters() {
  const text = useWords(auditWords)
  const { workspaceId, operator } = useWorkspace()
  const search = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: ROUTE })
  const { data } = useQuery(api.auditLog.choices.queryOptions({ workspaceId, of: search.of ?? 'workspace' }))
  const choose = (changed: AuditSearch): void => void navigate({ search: changed })
  const { of, action, who } = search
  const inWords = (each: string): string => actionIn(each, text.actions)
  return (
    <Group align="flex-end">
      {operator && (
        <NativeSelect
          label={text.of}
          value={of ?? 'workspace'}
          data={[
            { value: 'workspace', label: text.ofWorkspace },
            { value: 'instance', label: text.ofInstance },
          ]}
          onChange={({ currentTarget: { value } }) => choose(value === 'instance' ? { of: 'instance' } : {})}
        />
      )}
      <NativeSelect
        label={text.what}
        value={action ?? ''}
        data={[
          { value: '', label: text.anything },
          ...choicesWith(data?.actions ?? [], action)
            .map((value) => ({ value, label: inWords(value) }))
            .toSorted((a, b) => a.label.localeCompare(b.label)),
        ]}
        onChange={({ currentTarget: { value } }) => choose(readAuditSearch({ ...search, action: value }))}
      />
      <NativeSelect
        label={text.who}
        value={who ?? ''}
        data={[
          { value: '', label: text.anybody },
          ...choicesWith(data?.people ?? [], who).map((value) => ({ value, label: nameOf(value, text.commandLine) })),
        ]}
        onChange={({ currentTarget: { value } }) => choose(readAuditSearch({ ...search, who: value }))}
      />
    </Group>
  )
}

/** What stands in the address is a choice too, though nothing may fit it any more. */
const choicesWith = (choices: readonly string[], chosen: string | undefined): string[] =>
  chosen !== undefined && !choices.includes(chosen) ? [...choices, chosen] : [...choices]

const COMMAND_LINE = 'command line'

const nameOf = (who: string, commandLine: string): string => (who === COMMAND_LINE ? commandLine : who)

function Entries({ entries }: { entries: readonly Entry[] }) {
  const text = useWords(auditWords)
  return (
    <List
      label={text.title}
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        {
          title: text.whenAndWho,
          times: true,
          cell: ({ at, who }) => (
            <div>
              <Time at={at} />
              <br />
              <bdi>{nameOf(who, text.commandLine)}</bdi>
            </div>
          ),
        },
        {
          title: text.what,
          cell: ({ action, target }) => (
            <div>
              {hasWords(action) ? actionIn(action, text.actions) : <code>doorcode {action}</code>}
              <br />
              <Text span inherit c="dimmed">
                <bdi>{target}</bdi>
              </Text>
            </div>
          ),
        },
        { title: text.changed, cell: (entry) => <Changed entry={entry} /> },
      ]}
    />
  )
}

/** Each thing that differs: its name, what it was, what it became. */
function Changed({ entry: { before, after } }: { entry: Entry }) {
  const text = useWords(auditWords)
  const told = differences(before, after)
  if (told.length === 0) return '–'
  return (
    <Stack gap={2} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {told.map(({ name, from, to }) => (
        <Box component="li" key={name} style={{ overflowWrap: 'anywhere' }}>
          <Text span size="sm" c="dimmed">
            <bdi>{name}</bdi>:{' '}
          </Text>
          {from !== undefined && (
            <Text span size="sm" td="line-through">
              <VisuallyHidden>{text.was} </VisuallyHidden>
              <Value text={from} />
            </Text>
          )}{' '}
          {to === undefined ? (
            <Text span size="sm">
              {text.removed}
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

const Value = ({ text }: { text: string }) => (INSTANT.test(text) ? <Time at={text} /> : <bdi>{text}</bdi>)
