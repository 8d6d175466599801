import { Badge, Button, Group, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pageQueries } from '../queries.ts'
import { type T, useTexts } from '../texts/use-texts.ts'
import { SecretDialog } from '../ui/dialog/secret-dialog.tsx'
import { Section } from '../ui/facts.tsx'
import { ExportButton } from '../ui/list/export-button.tsx'
import { type Column, List, type RowAction, RowMenu } from '../ui/list/list.tsx'
import { instantOf } from '../ui/list/sort-rows.ts'
import { Page } from '../ui/shell/page.tsx'
import { Status } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useSession, useWorkspace } from '../ui/workspace.ts'
import {
  ChangeRole,
  type DialogAction,
  type Invitation,
  Invite,
  type Member,
  NewLink,
  PasswordLink,
  Remove,
  RevokeInvitation,
} from './dialogs.tsx'

export function People() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const [doing, setDoing] = useState<DialogAction | null>(null)
  const { data } = useSuspenseQuery(pageQueries.people({ workspaceId }))
  const { person } = useSession()
  const close = (): void => setDoing(null)
  return (
    <Page
      title={t('page_people.title')}
      about={may.own ? t('page_people.about') : t('page_people.about_reader')}
      actions={
        <>
          <ExportButton list="people" />
          {may.own && <Button onClick={() => setDoing({ act: 'invite' })}>{t('page_people.invite')}</Button>}
        </>
      }
    >
      <Members members={data.members} onDo={setDoing} />
      {data.invitations.length > 0 && <Invitations invitations={data.invitations} onDo={setDoing} />}
      <SecretDialog
        opened={doing !== null}
        onClose={close}
        title={doing && (isLeaving(doing, person.userId) ? t('page_people.leave') : titleOf(doing, t))}
        size="lg"
      >
        {doing && <Form doing={doing} onDone={close} />}
      </SecretDialog>
    </Page>
  )
}

const isLeaving = (doing: DialogAction, own: string): boolean => doing.act === 'remove' && doing.member.userId === own

function titleOf(doing: DialogAction, t: T): string {
  switch (doing.act) {
    case 'invite':
      return t('page_people.invite')
    case 'role':
      return t('page_people.role_of', { name: doing.member.name })
    case 'remove':
      return t('page_people.remove_title', { name: doing.member.name })
    case 'password':
      return t('page_people.password_title', { name: doing.member.name })
    case 'link':
      return t('page_people.new_link_title', { email: doing.invitation.email })
    case 'revoke':
      return t('page_people.revoke_title', { email: doing.invitation.email })
  }
}

function Form({ doing, onDone }: { doing: DialogAction; onDone: () => void }) {
  switch (doing.act) {
    case 'invite':
      return <Invite onDone={onDone} />
    case 'role':
      return <ChangeRole member={doing.member} onDone={onDone} />
    case 'remove':
      return <Remove member={doing.member} onDone={onDone} />
    case 'password':
      return <PasswordLink member={doing.member} onDone={onDone} />
    case 'link':
      return <NewLink invitation={doing.invitation} onDone={onDone} />
    case 'revoke':
      return <RevokeInvitation invitation={doing.invitation} onDone={onDone} />
  }
}

export function Members({ members, onDo }: { members: readonly Member[]; onDo: (doing: DialogAction) => void }) {
  const { t } = useTexts()
  const may = usePermissions()
  const actionsOf = useActions(onDo)
  const ofOwners: Column<Member>[] = [
    {
      title: t('page_people.second_factor'),
      phone: 'labelled',
      cell: ({ twoFactor }) => (twoFactor ? t('page_people.on') : t('page_people.off')),
    },
    {
      title: t('page_people.last_seen'),
      phone: 'time',
      sortBy: ({ lastSeenAt }) => instantOf(lastSeenAt),
      cell: ({ lastSeenAt }) =>
        lastSeenAt ? <Time at={lastSeenAt} kind="real" form="relative" /> : t('page_people.never_seen'),
    },
  ]
  return (
    <List
      label={t('page_people.title')}
      rows={members}
      keyOf={({ userId }) => userId}
      columns={[
        { title: t('page_people.name'), sortBy: ({ name }) => name, cell: (member) => <Name member={member} /> },
        {
          title: t('page_people.role'),
          cell: ({ role, operator }) => (operator ? t('page_people.operator') : t(`page_people.roles_${role}`)),
        },
        ...(may.own ? ofOwners : []),
        {
          title: t('page_people.since'),
          phone: 'none',
          sortBy: ({ since }) => instantOf(since),
          cell: ({ since }) => (since ? <Time at={since} kind="real" form="relative" /> : '–'),
        },
        {
          title: t('page_people.actions'),
          phone: 'menu',
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

type InvitationsProps = { invitations: readonly Invitation[]; onDo: (doing: DialogAction) => void }

export function Invitations({ invitations, onDo }: InvitationsProps) {
  const { t } = useTexts()
  return (
    <Section title={t('page_people.invitations')}>
      <List
        label={t('page_people.invitations')}
        rows={invitations}
        keyOf={({ email }) => email} // a new link is a new invitation, but its row must keep the focus
        columns={[
          { title: t('page_people.email'), cell: ({ email }) => <span className="as-typed">{email}</span> },
          { title: t('page_people.role'), cell: ({ role }) => t(`page_people.roles_${role}`) },
          {
            title: t('page_people.state'),
            phone: 'status',
            cell: ({ isExpired }) => <Status of="invitation" value={isExpired ? 'expired' : 'pending'} />,
          },
          {
            title: t('page_people.expires'),
            phone: 'labelled',
            cell: ({ expiresAt }) => <Time at={expiresAt} kind="due" form="relative" />,
          },
          {
            title: t('page_people.invited_by'),
            phone: 'none',
            cell: ({ invitedBy }) => <span className="as-typed">{invitedBy ?? '–'}</span>,
          },
          {
            title: t('page_people.actions'),
            phone: 'menu',
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
    </Section>
  )
}
