import { Badge, Button, Group, Modal, Stack, Text, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type RouterOutputs, api } from '../api.ts'
import { type T, useTexts } from '../texts/use-texts.ts'
import { type Column, List } from '../ui/list/list.tsx'
import { Page } from '../ui/shell/page.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useSession, useWorkspace } from '../ui/workspace.ts'
import { ChangeRole } from './change-role.tsx'
import { Invite } from './invite.tsx'
import { PasswordLink } from './password-link.tsx'
import { Remove } from './remove.tsx'
import { RevokeInvitation } from './revoke-invitation.tsx'

type ListedPeople = RouterOutputs['people']['list']
export type Member = ListedPeople['members'][number]
export type Invitation = ListedPeople['invitations'][number]

type DialogAction =
  | { act: 'invite' }
  | { act: 'role' | 'remove' | 'password'; member: Member }
  | { act: 'revoke'; invitation: Invitation }

export function People() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const [doing, setDoing] = useState<DialogAction | null>(null)
  const { data } = useSuspenseQuery(api.people.list.queryOptions({ workspaceId }))
  const { person } = useSession()
  const own = data.members.find(({ userId }) => userId === person.userId)
  const close = (): void => setDoing(null)
  return (
    <Page
      title={t('page_people.title')}
      about={may.own ? t('page_people.about') : t('page_people.about_reader')}
      actions={
        <Group gap="xs">
          {own?.since && (
            <Button variant="default" onClick={() => setDoing({ act: 'remove', member: own })}>
              {t('page_people.leave')}
            </Button>
          )}
          {may.own && <Button onClick={() => setDoing({ act: 'invite' })}>{t('page_people.invite')}</Button>}
        </Group>
      }
    >
      <Members members={data.members} onDo={setDoing} />
      {data.invitations.length > 0 && <Invitations invitations={data.invitations} onDo={setDoing} />}
      <Modal
        opened={doing !== null}
        onClose={close}
        title={doing && (isLeaving(doing, person.userId) ? t('page_people.leave') : titleOf(doing, t))}
        size="lg"
      >
        {doing && <Form doing={doing} onDone={close} />}
      </Modal>
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
    case 'revoke':
      return <RevokeInvitation invitation={doing.invitation} onDone={onDone} />
  }
}

function Members({ members, onDo }: { members: readonly Member[]; onDo: (doing: DialogAction) => void }) {
  const { t } = useTexts()
  const may = usePermissions()
  const columns: Column<Member>[] = [
    { title: t('page_people.name'), cell: (member) => <Name member={member} /> },
    { title: t('page_people.email'), cell: ({ email }) => <span className="as-typed">{email}</span> },
    {
      title: t('page_people.role'),
      cell: ({ role, operator }) => (operator ? t('page_people.operator') : t(`page_people.roles_${role}`)),
    },
    { title: t('page_people.since'), cell: ({ since }) => (since ? <Time at={since} kind="past" /> : '–') },
  ]
  if (may.own) {
    columns.splice(3, 0, {
      title: t('page_people.second_factor'),
      cell: ({ twoFactor }) => (twoFactor ? t('page_people.on') : t('page_people.off')),
    })
    columns.push({ title: t('page_people.actions'), cell: (member) => <Actions member={member} onDo={onDo} /> })
  }
  return <List label={t('page_people.title')} rows={members} keyOf={({ userId }) => userId} columns={columns} />
}

function Name({ member: { name, userId } }: { member: Member }) {
  const { t } = useTexts()
  const { person } = useSession()
  return (
    <Group gap="xs">
      <bdi>{name}</bdi>
      {userId === person.userId && (
        <Badge variant="light">
          <Text span inherit c="var(--mantine-color-text)">
            {t('page_people.you')}
          </Text>
        </Badge>
      )}
    </Group>
  )
}

function Actions({ member, onDo }: { member: Member; onDo: (doing: DialogAction) => void }) {
  const { t } = useTexts()
  const may = usePermissions()
  const { operator } = useWorkspace()
  const { person } = useSession()
  const own = member.userId === person.userId
  const isMember = member.since !== null
  const acts = [
    {
      act: 'role',
      label: t('page_people.change_role'),
      title: t('page_people.role_of', { name: member.name }),
      shown: may.own && isMember && !member.operator,
    },
    {
      act: 'remove',
      label: t('page_people.remove'),
      title: t('page_people.remove_title', { name: member.name }),
      shown: may.own && !own && isMember,
    },
    {
      act: 'password',
      label: t('page_people.password_link'),
      title: t('page_people.password_title', { name: member.name }),
      shown: operator && !member.operator && !own,
    },
  ] as const
  const shown = acts.filter((each) => each.shown)
  if (shown.length === 0) return '–'
  return (
    <Group gap="xs">
      {shown.map(({ act, label, title }) => (
        <Button
          key={label}
          size="compact-sm"
          variant="default"
          aria-label={title}
          onClick={() => onDo({ act, member })}
        >
          {label}
        </Button>
      ))}
    </Group>
  )
}

function Invitations({
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
        keyOf={({ invitationId }) => invitationId}
        columns={[
          { title: t('page_people.email'), cell: ({ email }) => <span className="as-typed">{email}</span> },
          { title: t('page_people.role'), cell: ({ role }) => t(`page_people.roles_${role}`) },
          {
            title: t('page_people.invited_by'),
            cell: ({ invitedBy }) => <span className="as-typed">{invitedBy ?? '–'}</span>,
          },
          { title: t('page_people.expires'), cell: ({ expiresAt }) => <Time at={expiresAt} kind="due" /> },
          {
            title: t('page_people.actions'),
            cell: (invitation) => (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('page_people.revoke_title', { email: invitation.email })}
                onClick={() => onDo({ act: 'revoke', invitation })}
              >
                {t('page_people.revoke')}
              </Button>
            ),
          },
        ]}
      />
    </Stack>
  )
}
