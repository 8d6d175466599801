import { Text } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { List } from '../ui/list/list.tsx'
import { Section } from '../ui/section.tsx'
import { ToneBadge } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import type { Report } from './report.ts'

/** The processes on this database. */
export function Nodes({ nodes, differing }: Pick<Report, 'nodes' | 'differing'>) {
  const { t, n } = useTexts()
  return (
    <Section title={t('page_system.nodes')}>
      {differing.length > 0 && (
        <Text size="sm">{t('page_system.differing', { settings: `\u2068${differing.join(', ')}\u2069` })}</Text>
      )}
      <List
        label={t('page_system.nodes')}
        rows={nodes}
        keyOf={({ nodeId }) => nodeId}
        columns={[
          { title: t('page_system.node'), wide: true, cell: ({ nodeId }) => <code>{nodeId}</code> },
          {
            title: t('page_system.state'),
            cell: ({ isAlive }) => (
              <ToneBadge tone={isAlive ? 'success' : 'warning'}>
                {t(isAlive ? 'page_system.alive' : 'page_system.silent')}
              </ToneBadge>
            ),
          },
          { title: t('page_system.roles'), cell: ({ roles }) => <bdi>{roles.join(', ')}</bdi> },
          { title: t('page_system.version'), cell: ({ version }) => <bdi>{version}</bdi> },
          {
            title: t('page_system.started'),
            cell: ({ startedAt }) => <Time at={startedAt} kind="past" form="relative" />,
          },
          {
            title: t('page_system.seen'),
            cell: ({ seenAt, isAlive }) => !isAlive && <Time at={seenAt} kind="past" form="relative" />,
          },
          {
            title: t('page_system.pool'),
            align: 'end',
            cell: ({ settings }) => settings.databasePool !== undefined && n(settings.databasePool),
            hideIfAll: ({ settings }) => settings.databasePool ?? null,
          },
          {
            title: t('page_system.public_url'),
            wide: true,
            cell: ({ settings }) => settings.publicUrl !== undefined && <bdi>{settings.publicUrl}</bdi>,
            hideIfAll: ({ settings }) => settings.publicUrl ?? null,
          },
        ]}
      />
    </Section>
  )
}
