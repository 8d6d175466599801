import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Fact, Facts } from '../ui/facts.tsx'
import { Failed } from '../ui/failed.tsx'
import { numberFormat } from '../ui/formats.ts'
import { List } from '../ui/list/list.tsx'
import { Section } from '../ui/section.tsx'
import { NotFound } from '../ui/shell/not-found.tsx'
import { Page } from '../ui/shell/page.tsx'
import { slowPolling } from '../ui/shell/refetch.ts'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { Findings } from './findings.tsx'
import { Nodes } from './nodes.tsx'
import type { Report } from './report.ts'

const REFRESH_MS = 30_000

/** For operators: the health of the whole instance, whichever workspace is open. */
export const System = () => (useWorkspace().operator ? <Instance /> : <NotFound />)

function Instance() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const inside = api.system.examine.queryOptions({ workspaceId, outside: false })
  const { data: report } = useSuspenseQuery({ ...inside, ...slowPolling, refetchInterval: REFRESH_MS })
  const checkOutside = useMutation({
    mutationFn: () =>
      queryClient.fetchQuery({
        ...api.system.examine.queryOptions({ workspaceId, outside: true }),
        staleTime: 0,
      }),
    onSuccess: (whole) => queryClient.setQueryData(inside.queryKey, whole),
  })
  return (
    <Page
      title={t('page_system.title')}
      about={t('page_system.about')}
      actions={
        <Button variant="default" loading={checkOutside.isPending} onClick={() => checkOutside.mutate()}>
          {t('page_system.check_now')}
        </Button>
      }
    >
      {checkOutside.error && <Failed error={checkOutside.error} />}
      <Stack gap="xs">
        <Findings all={report.findings} wasOutside={report.outsideAt !== null} />
        <Text size="sm" c="dimmed">
          {t('page_system.examined')}
          {t('page_shell.colon')}
          <Time at={report.examinedAt} kind="past" form="relative" />
          {' · '}
          {t('page_system.outside')}
          {t('page_shell.colon')}
          {report.outsideAt === null ? (
            t('page_system.never')
          ) : (
            <Time at={report.outsideAt} kind="past" form="relative" />
          )}
        </Text>
      </Stack>
      <Nodes nodes={report.nodes} differing={report.differing} />
      <Section title={t('page_system.database')}>
        <Database of={report.server} />
      </Section>
      <Section title={t('page_system.work')}>
        <OldestDue work={report.work} />
      </Section>
    </Page>
  )
}

const GIGABYTE = 1e9

function Database({ of: server }: { of: Report['server'] }) {
  const { t, n, language } = useTexts()
  const isLarge = server.bytes >= GIGABYTE
  const size = numberFormat(language, {
    style: 'unit',
    unit: isLarge ? 'gigabyte' : 'megabyte',
    maximumFractionDigits: 1,
  })
  return (
    <Facts label={t('page_system.database')}>
      <Fact title={t('page_system.server')}>
        <bdi>{server.versionName}</bdi>
      </Fact>
      <Fact title={t('page_system.running_since')}>
        <Time at={server.startedAt} kind="past" />
      </Fact>
      <Fact title={t('page_system.size')}>{size.format(server.bytes / (isLarge ? GIGABYTE : 1e6))}</Fact>
      <Fact title={t('page_system.connections')}>
        {t('page_system.connections_of', { used: n(server.connections), all: n(server.maxConnections) })}
      </Fact>
    </Facts>
  )
}

function OldestDue({ work }: { work: Report['work'] }) {
  const { t } = useTexts()
  if (work.length === 0) return <Text size="sm">{t('page_system.no_work')}</Text>
  return (
    <List
      label={t('page_system.work')}
      rows={work}
      keyOf={({ kind }) => kind}
      columns={[
        { title: t('page_system.kind'), cell: ({ kind }) => t(`doctor.work_${kind}`) },
        {
          title: t('page_system.due_since'),
          cell: ({ dueAt }) => <Time at={dueAt} kind="past" form="relative" />,
        },
      ]}
    />
  )
}
