import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { type Finding, findingText, fixText } from '../../src/operations/doctor/finding.ts'
import { type RouterOutputs, queryClient } from '../api.ts'
import { pageQueries } from '../queries.ts'
import { numberFormat } from '../texts/formats.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Facts, Section } from '../ui/facts.tsx'
import { Failed } from '../ui/fallback.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { List } from '../ui/list/list.tsx'
import { Separated } from '../ui/separated.tsx'
import { NotFound } from '../ui/shell/not-found.tsx'
import { Page } from '../ui/shell/page.tsx'
import { slowPolling } from '../ui/shell/refetch.ts'
import { STATE_COLOURS } from '../ui/state/status.ts'
import { StateMark } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { useSession, useWorkspace } from '../ui/workspace.ts'

type Report = RouterOutputs['system']['examine']

const REFRESH_MS = 30_000

/** For operators: the health of the whole instance, whichever workspace is open. */
export const System = () => (useWorkspace().operator ? <Instance /> : <NotFound />)

function Instance() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const inside = pageQueries.system({ workspaceId, outside: false })
  const { data: report } = useSuspenseQuery({ ...inside, ...slowPolling, refetchInterval: REFRESH_MS })
  const checkOutside = useMutation({
    mutationFn: () =>
      queryClient.fetchQuery({
        ...pageQueries.system({ workspaceId, outside: true }),
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
        <Separated
          c="dimmed"
          of={[
            <>
              {t('page_system.examined')}
              {t('page_shell.colon')}
              <Time at={report.examinedAt} kind="past" form="relative" />
            </>,
            <>
              {t('page_system.outside')}
              {t('page_shell.colon')}
              {report.outsideAt === null ? (
                t('page_system.never')
              ) : (
                <Time at={report.outsideAt} kind="past" form="relative" />
              )}
            </>,
          ]}
        />
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
    <Facts
      label={t('page_system.database')}
      of={[
        [t('page_system.server'), <bdi>{server.versionName}</bdi>],
        [t('page_system.running_since'), <Time at={server.startedAt} kind="past" />],
        [t('page_system.size'), size.format(server.bytes / (isLarge ? GIGABYTE : 1e6))],
        [
          t('page_system.connections'),
          t('page_system.connections_of', { used: n(server.connections), all: n(server.maxConnections) }),
        ],
      ]}
    />
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
          phone: 'time',
          cell: ({ dueAt }) => <Time at={dueAt} kind="past" form="relative" />,
        },
      ]}
    />
  )
}

/** What is wrong, failures first, each with its fix. */
export function Findings({ all, wasOutside }: { all: readonly Finding[]; wasOutside: boolean }) {
  const { t, textOf } = useTexts()
  const problems = all.flatMap((finding) => {
    const fix = fixText(finding)
    return fix ? [{ finding, fix }] : []
  })
  if (problems.length === 0)
    return <Text role="status">✓ {t(wasOutside ? 'page_system.fine' : 'page_system.fine_inside')}</Text>
  return (
    <Section title={t('page_system.findings')} gap="sm">
      <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
        {problems.map(({ finding, fix }) => (
          <li key={JSON.stringify(finding)}>
            <Paper withBorder p="md">
              <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
                <Group gap="xs">
                  <StateMark colour={STATE_COLOURS.level[finding.level]}>
                    {t(finding.level === 'failure' ? 'page_system.level_failure' : 'page_system.level_warning')}
                  </StateMark>
                  <Text size="sm" c="dimmed">
                    {t(`doctor.check_${finding.check}`)}
                  </Text>
                </Group>
                <Text fw={600}>{textOf(findingText(finding))}</Text>
                <Text size="sm">{textOf(fix)}</Text>
                <TemplateLink of={finding} />
              </Stack>
            </Paper>
          </li>
        ))}
      </Stack>
    </Section>
  )
}

/** To the template that a finding is about, in a workspace that this operator may see. */
function TemplateLink({ of: { parameters } }: { of: Finding }) {
  const { t } = useTexts()
  const { workspaces } = useSession()
  const { workspaceId, accountId, name, language } = parameters
  if (typeof workspaceId !== 'string' || typeof accountId !== 'string') return null
  if (typeof name !== 'string' || typeof language !== 'string') return null
  if (!workspaces.some((each) => each.workspaceId === workspaceId)) return null
  const params = { workspaceId, accountId, name, language }
  return (
    <AnchorLink size="sm" to="/w/$workspaceId/templates/$accountId/$name/$language" params={params}>
      {t('page_overview.fix_template')}
    </AnchorLink>
  )
}

/** The processes on this database. */
export function Nodes({ nodes, differing }: Pick<Report, 'nodes' | 'differing'>) {
  const { t, n } = useTexts()
  return (
    <Section title={t('page_system.nodes')}>
      {differing.length > 0 && <Text size="sm">{t('page_system.differing', { settings: differing.join(', ') })}</Text>}
      <List
        label={t('page_system.nodes')}
        rows={nodes}
        keyOf={({ nodeId }) => nodeId}
        columns={[
          { title: t('page_system.node'), cell: ({ nodeId }) => <code>{nodeId}</code> },
          {
            title: t('page_system.state'),
            phone: 'status',
            cell: ({ isAlive }) => (
              <StateMark colour={STATE_COLOURS.node[isAlive ? 'alive' : 'silent']}>
                {t(isAlive ? 'page_system.alive' : 'page_system.silent')}
              </StateMark>
            ),
          },
          { title: t('page_system.roles'), cell: ({ roles }) => <bdi>{roles.join(', ')}</bdi> },
          { title: t('page_system.version'), phone: 'labelled', cell: ({ version }) => <bdi>{version}</bdi> },
          {
            title: t('page_system.started'),
            phone: 'labelled',
            cell: ({ startedAt }) => <Time at={startedAt} kind="past" form="relative" />,
          },
          {
            title: t('page_system.seen'),
            phone: 'labelled',
            cell: ({ seenAt, isAlive }) => !isAlive && <Time at={seenAt} kind="past" form="relative" />,
          },
          {
            title: t('page_system.pool'),
            phone: 'labelled',
            align: 'end',
            cell: ({ settings }) => settings.databasePool !== undefined && n(settings.databasePool),
            hideIfAll: ({ settings }) => settings.databasePool ?? null,
          },
          {
            title: t('page_system.public_url'),
            phone: 'labelled',
            cell: ({ settings }) => settings.publicUrl !== undefined && <bdi>{settings.publicUrl}</bdi>,
            hideIfAll: ({ settings }) => settings.publicUrl ?? null,
          },
        ]}
      />
    </Section>
  )
}
