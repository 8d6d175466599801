import { Stack, Title } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { List } from '../ui/list/list.tsx'
import { RowMenu } from '../ui/list/row-menu.tsx'
import { Status } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import type { DialogAction, Invitation } from './dialog-action.ts'

export function Invitations({
  invitations,
  onDo,
}: {
  invitations: readonly Invitation[]
  onDo: (doing: DialogAction) => void
}) {
  const { t } = useTexts()
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t('page_people.invitations')}
      </Title>
      <List
        label={t('page_people.invitations')}
        rows={invitations}
        keyOf={({ email }) => email} // a new link is another invitation, whose row must keep the focus
        columns={[
          { title: t('page_people.email'), wide: true, cell: ({ email }) => <span className="as-typed">{email}</span> },
          { title: t('page_people.role'), cell: ({ role }) => t(`page_people.roles_${role}`) },
          {
            title: t('page_people.state'),
            cell: ({ isExpired }) => <Status of="invitation" value={isExpired ? 'expired' : 'pending'} />,
          },
          {
            title: t('page_people.expires'),
            cell: ({ expiresAt }) => <Time at={expiresAt} kind="due" form="relative" />,
          },
          {
            title: t('page_people.invited_by'),
            wide: true,
            cell: ({ invitedBy }) => <span className="as-typed">{invitedBy ?? '–'}</span>,
          },
          {
            title: t('page_people.actions'),
            align: 'end',
            cell: (invitation) => (
              <RowMenu
                label={t('page_people.actions_for', { name: invitation.email })}
                actions={[
                  { label: t('page_people.new_link'), run: () => onDo({ act: 'link', invitation }) },
                  {
                    label: t('page_people.revoke'),
                    isDangerous: true,
                    run: () => onDo({ act: 'revoke', invitation }),
                  },
                ]}
              />
            ),
          },
        ]}
      />
    </Stack>
  )
}
