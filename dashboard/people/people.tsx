import { Button, Group } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import { type T, useTexts } from '../texts/use-texts.ts'
import { ExportButton } from '../ui/list/export-button.tsx'
import { SecretDialog } from '../ui/dialog/secret-dialog.tsx'
import { Page } from '../ui/shell/page.tsx'
import { usePermissions, useSession, useWorkspace } from '../ui/workspace.ts'
import { ChangeRole } from './change-role.tsx'
import type { DialogAction } from './dialog-action.ts'
import { Invite } from './invite.tsx'
import { Invitations } from './invitations.tsx'
import { Members } from './members.tsx'
import { NewLink } from './new-link.tsx'
import { PasswordLink } from './password-link.tsx'
import { Remove } from './remove.tsx'
import { RevokeInvitation } from './revoke-invitation.tsx'

export function People() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const [doing, setDoing] = useState<DialogAction | null>(null)
  const { data } = useSuspenseQuery(api.people.list.queryOptions({ workspaceId }))
  const { person } = useSession()
  const close = (): void => setDoing(null)
  return (
    <Page
      title={t('page_people.title')}
      about={may.own ? t('page_people.about') : t('page_people.about_reader')}
      actions={
        <Group gap="xs">
          <ExportButton list="people" />
          {may.own && <Button onClick={() => setDoing({ act: 'invite' })}>{t('page_people.invite')}</Button>}
        </Group>
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
