import { Badge, Button, Group, Modal, Stack, Text, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answers, api } from '../api.ts'
import { type Column, List } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { useMay, useSession, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { ChangeRole } from './change-role.tsx'
import { Invite } from './invite.tsx'
import { PasswordLink } from './password-link.tsx'
import { Remove } from './remove.tsx'
import { RevokeInvitation } from './revoke-invitation.tsx'
import { peopleWords } from './words.ts'

type Listed = Answers['people']['list']
export type Member = Listed['members'][number]
export type Invitation = Listed['invitations'][number]

type Doing =
  | { act: 'invite' }
  | { act: 'role' | 'remove' | 'password'; member: Member }
  | { act: 'revoke'; invitation: Invitation }

export function People() {
  const text = useWords(peopleWords)
  const { workspaceId } = useWorkspace()
  const may = useMay()
  const [doing, setDoing] = useState<Doing | null>(null)
  const { data } = useSuspenseQuery(api.people.list.queryOptions({ workspaceId }))
  const { person } = useSession()
  const own = data.members.find(({ userId }) => userId === person.userId)
  const close = (): void => setDoing(null)
  return (
    <Page
      title={text.title}
      about={may.own ? text.about : text.aboutReader}
      actions={
        <Group gap="xs">
          {own?.since && (
            <Button variant="default" onClick={() => setDoing({ act: 'remove', member: own })}>
              {text.leave}
            </Button>
          )}
          {may.own && <Button onClick={() => setDoing({ act: 'invite' })}>{text.invite}</Button>}
        </Group>
      }
    >
      <Members members={data.members} onDo={setDoing} />
      {data.invitations.length > 0 && <Invitations invitations={data.invitations} onDo={setDoing} />}
      <Modal
        opened={doing !== null}
        onClose={close}
        title={doing && (isLeaving(doing, person.userId) ? text.leave : titleOf(doing, text))}
        size="lg"
      >
        {doing && <Form doing={doing} onDone={close} />}
      </Modal>
    </Page>
  )
}

const isLeaving = (doing: Doing, own: string): boolean => doing.act === 'remove' && doing.member.userId === own

type Text = (typeof peopleWords)['en']

function titleOf(doing: Doing, text: Text): string {
  switch (doing.act) {
    case 'invite':
      return text.invite
    case 'role':
      return text.roleOf(doing.member.name)
    case 'remove':
      return text.removeTitle(doing.member.name)
    case 'password':
      return text.passwordTitle(doing.member.name)
    case 'revoke':
      return text.revokeTitle(doing.invitation.email)
  }
}

function Form({ doing, onDone }: { doing: Doing; onDone: () => void }) {
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

function Members({ members, onDo }: { members: readonly Member[]; onDo: (doing: Doing) => void }) {
  const text = useWords(peopleWords)
  const may = useMay()
  const columns: Column<Member>[] = [
    { title: text.name, cell: (member) => <Name member={member} /> },
    { title: text.email, cell: ({ email }) => <span className="as-typed">{email}</span> },
    { title: text.role, cell: ({ role, operator }) => (operator ? text.operator : text.roles[role]) },
    { title: text.since, times: true, cell: ({ since }) => (since ? <Time at={since} /> : '–') },
  ]
  if (may.own) {
    columns.splice(3, 0, { title: text.secondFactor, cell: ({ twoFactor }) => (twoFactor ? text.on : text.off) })
    columns.push({ title: text.actions, cell: (member) => <Actions member={member} onDo={onDo} /> })
  }
  return <List label={text.title} rows={members} keyOf={({ userId }) => userId} columns={columns} />
}

function Name({ member: { name, userId } }: { member: Member }) {
  const text = useWords(peopleWords)
  const { person } = useSession()
  return (
    <Group gap="xs">
      <bdi>{name}</bdi>
      {userId === person.userId && (
        <Badge variant="light">
          <Text span inherit c="var(--mantine-color-text)">
            {text.you}
          </Text>
        </Badge>
      )}
    </Group>
  )
}

function Actions({ member, onDo }: { member: Member; onDo: (doing: Doing) => void }) {
  const text = useWords(peopleWords)
  const may = useMay()
  const { operator } = useWorkspace()
  const { person } = useSession()
  const own = member.userId === person.userId
  const isMember = member.since !== null
  const acts = [
    {
      act: 'role',
      label: text.changeRole,
      title: text.roleOf(member.name),
      shown: may.own && isMember && !member.operator,
    },
    { act: 'remove', label: text.remove, title: text.removeTitle(member.name), shown: may.own && !own && isMember },
    {
      act: 'password',
      label: text.passwordLink,
      title: text.passwordTitle(member.name),
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

function Invitations({ invitations, onDo }: { invitations: readonly Invitation[]; onDo: (doing: Doing) => void }) {
  const text = useWords(peopleWords)
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {text.invitations}
      </Title>
      <List
        label={text.invitations}
        rows={invitations}
        keyOf={({ invitationId }) => invitationId}
        columns={[
          { title: text.email, cell: ({ email }) => <span className="as-typed">{email}</span> },
          { title: text.role, cell: ({ role }) => text.roles[role] },
          { title: text.invitedBy, cell: ({ invitedBy }) => <span className="as-typed">{invitedBy ?? '–'}</span> },
          { title: text.expires, times: true, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            title: text.actions,
            cell: (invitation) => (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={text.revokeTitle(invitation.email)}
                onClick={() => onDo({ act: 'revoke', invitation })}
              >
                {text.revoke}
              </Button>
            ),
          },
        ]}
      />
    </Stack>
  )
}
