import { Badge, Group, Text } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { type Column, List } from '../ui/list/list.tsx'
import { type RowAction, RowMenu } from '../ui/list/row-menu.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useSession, useWorkspace } from '../ui/workspace.ts'
import type { DialogAction, Member } from './dialog-action.ts'

export function Members({ members, onDo }: { members: readonly Member[]; onDo: (doing: DialogAction) => void }) {
  const { t } = useTexts()
  const may = usePermissions()
  const actionsOf = useActions(onDo)
  const ofOwners: Column<Member>[] = [
    {
      title: t('page_people.second_factor'),
      cell: ({ twoFactor }) => (twoFactor ? t('page_people.on') : t('page_people.off')),
    },
    {
      title: t('page_people.last_seen'),
      cell: ({ lastSeenAt }) =>
        lastSeenAt ? <Time at={lastSeenAt} kind="past" form="relative" /> : t('page_people.never_seen'),
    },
  ]
  return (
    <List
      label={t('page_people.title')}
      rows={members}
      keyOf={({ userId }) => userId}
      columns={[
        { title: t('page_people.name'), wide: true, cell: (member) => <Name member={member} /> },
        {
          title: t('page_people.role'),
          cell: ({ role, operator }) => (operator ? t('page_people.operator') : t(`page_people.roles_${role}`)),
        },
        ...(may.own ? ofOwners : []),
        {
          title: t('page_people.since'),
          cell: ({ since }) => (since ? <Time at={since} kind="past" form="relative" /> : '–'),
        },
        {
          title: t('page_people.actions'),
          align: 'end',
          cell: (member) => {
            const actions = actionsOf(member)
            return (
              actions.length > 0 && (
                <RowMenu label={t('page_people.actions_for', { name: member.name })} actions={actions} />
              )
            )
          },
        },
      ]}
    />
  )
}

function Name({ member: { name, email, userId } }: { member: Member }) {
  const { t } = useTexts()
  const { person } = useSession()
  return (
    <div>
      <Group gap="xs">
        <bdi>{name}</bdi>
        {userId === person.userId && <Badge variant="light">{t('page_people.you')}</Badge>}
      </Group>
      <Text size="xs" c="dimmed">
        <span className="as-typed">{email}</span>
      </Text>
    </div>
  )
}

function useActions(onDo: (doing: DialogAction) => void): (member: Member) => RowAction[] {
  const { t } = useTexts()
  const may = usePermissions()
  const { operator } = useWorkspace()
  const { person } = useSession()
  return (member) => {
    const own = member.userId === person.userId
    const isMember = member.since !== null
    const run = (act: 'role' | 'remove' | 'password') => () => onDo({ act, member })
    const actions: (RowAction | false)[] = [
      may.own && isMember && !member.operator && { label: t('page_people.change_role'), run: run('role') },
      operator && !member.operator && !own && { label: t('page_people.password_link'), run: run('password') },
      isMember &&
        (own || may.own) && {
          label: own ? t('page_people.leave') : t('page_people.remove'),
          isDangerous: true,
          run: run('remove'),
        },
    ]
    return actions.filter((action) => action !== false)
  }
}
