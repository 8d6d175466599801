import { Button, Checkbox, Radio, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Confirmation } from '../ui/dialog/confirm-dialog.tsx'
import { Secret } from '../ui/dialog/secret-dialog.tsx'
import { Failed } from '../ui/fallback.tsx'
import { ServerForm, useServerForm } from '../ui/form/server-form.tsx'
import { Time } from '../ui/time.tsx'
import { useSession, useWorkspace } from '../ui/workspace.ts'

type ListedPeople = RouterOutputs['people']['list']
export type Member = ListedPeople['members'][number]
export type Invitation = ListedPeople['invitations'][number]

export type DialogAction =
  | { act: 'invite' }
  | { act: 'role' | 'remove' | 'password'; member: Member }
  | { act: 'link' | 'revoke'; invitation: Invitation }

type Values = { email: string; role: Member['role'] }

export function Invite({ onDone }: { onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const labels = { email: t('page_people.email') }
  const form = useServerForm<Values>(labels, { email: '', role: 'member' })
  const invite = useMutation(
    api.people.invite.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.people.list.queryKey({ workspaceId }) }),
      onError: form.showFaults,
    }),
  )
  if (invite.data)
    return (
      <LinkOnce {...invite.data} about={t('page_people.invite_once', { email: form.values.email })} onDone={onDone} />
    )
  return (
    <ServerForm form={form} call={invite} onSubmit={(values) => invite.mutate({ workspaceId, ...values })}>
      <TextInput
        description={t('page_people.email_hint')}
        type="email"
        required
        data-autofocus
        dir="ltr"
        {...form.field('email')}
      />
      <RoleChoice {...form.getInputProps('role')} value={form.values.role} />
      <Button type="submit" loading={invite.isPending}>
        {t('page_people.make_link')}
      </Button>
    </ServerForm>
  )
}

/** Another link for an invitation whose link was lost or has expired. */
export function NewLink({ invitation: { email, role }, onDone }: { invitation: Invitation; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const invite = useMutation(
    api.people.invite.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.people.list.queryKey({ workspaceId }) }),
    }),
  )
  if (invite.data) return <LinkOnce {...invite.data} about={t('page_people.invite_once', { email })} onDone={onDone} />
  return (
    <Stack>
      <Text size="sm">{t('page_people.new_link_about')}</Text>
      {invite.error && <Failed error={invite.error} />}
      <Button loading={invite.isPending} onClick={() => invite.mutate({ workspaceId, email, role })}>
        {t('page_people.make_link')}
      </Button>
    </Stack>
  )
}

/** A password reset link. Only the operator of the instance can create one. */
export function PasswordLink({ member: { userId, email, twoFactor }, onDone }: { member: Member; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const [endsSecondFactor, setEndsSecondFactor] = useState(false)
  const make = useMutation(api.people.makePasswordLink.mutationOptions())
  if (make.data) return <LinkOnce {...make.data} about={t('page_people.password_once', { email })} onDone={onDone} />
  return (
    <Stack>
      <Text size="sm">{t('page_people.password_about')}</Text>
      {twoFactor && (
        <Checkbox
          label={t('page_people.ends_second_factor')}
          description={t('page_people.ends_second_factor_hint')}
          checked={endsSecondFactor}
          onChange={(event) => setEndsSecondFactor(event.currentTarget.checked)}
        />
      )}
      {make.error && <Failed error={make.error} />}
      <Button loading={make.isPending} onClick={() => make.mutate({ workspaceId, userId, endsSecondFactor })}>
        {t('page_people.make_link')}
      </Button>
    </Stack>
  )
}

type LinkOnceProps = { token: string; expiresAt: string; about: string; onDone: () => void }

/** A one-time link with the address that this browser uses. The person who created it sends it. Shown in a SecretDialog. */
function LinkOnce({ token, expiresAt, about, onDone }: LinkOnceProps) {
  const { t } = useTexts()
  return (
    <Stack>
      <Text size="sm">{about}</Text>
      <Secret text={`${location.origin}/dashboard/welcome#${token}`} />
      <Text size="sm">
        {t('page_people.valid_until')} <Time at={expiresAt} kind="due" />
      </Text>
      <Button onClick={onDone}>{t('page_people.copied_it')}</Button>
    </Stack>
  )
}

export function ChangeRole({ member: { userId, role }, onDone }: { member: Member; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const [chosen, setChosen] = useState(role)
  const change = useMutation(
    api.people.changeRole.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries() // users may change their own role
        notifications.show({ message: t('page_people.role_changed') })
        onDone()
      },
    }),
  )
  return (
    <Stack>
      <RoleChoice value={chosen} onChange={(value) => setChosen(value as Member['role'])} />
      {change.error && <Failed error={change.error} />}
      <Button
        disabled={chosen === role}
        loading={change.isPending}
        onClick={() => change.mutate({ workspaceId, userId, role: chosen })}
      >
        {t('page_people.change_role')}
      </Button>
    </Stack>
  )
}

const ROLES = ['member', 'admin', 'owner'] as const satisfies readonly Member['role'][]

function RoleChoice(props: { value: Member['role']; onChange: (role: string) => void; error?: ReactNode }) {
  const { t } = useTexts()
  return (
    <Radio.Group label={t('page_people.role')} {...props}>
      <Stack gap="xs" mt="xs">
        {ROLES.map((role) => (
          <Radio
            key={role}
            value={role}
            label={t(`page_people.roles_${role}`)}
            description={t(`page_people.may_${role}`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}

/** Removes a person from the workspace, or leaves it. */
export function Remove({ member: { userId, email }, onDone }: { member: Member; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { person } = useSession()
  const own = userId === person.userId
  const remove = useMutation(
    api.people.remove.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries({ queryKey: api.people.list.queryKey({ workspaceId }) })
        notifications.show({ message: t('page_people.removed') })
        onDone()
      },
    }),
  )
  const leave = useMutation(api.people.leave.mutationOptions({ onSuccess: () => location.assign('/dashboard/') }))
  return (
    <Confirmation
      doing={own ? leave : remove}
      yes={own ? t('page_people.leave') : t('page_people.remove')}
      colour="red"
      onYes={() => (own ? leave.mutate({ workspaceId }) : remove.mutate({ workspaceId, userId }))}
      onNo={onDone}
    >
      <Text size="sm">{own ? t('page_people.leave_about') : t('page_people.remove_about')}</Text>
      {!own && (
        <Text size="sm" className="as-typed">
          {email}
        </Text>
      )}
    </Confirmation>
  )
}

type RevokeInvitationProps = { invitation: Invitation; onDone: () => void }

export function RevokeInvitation({ invitation: { invitationId }, onDone }: RevokeInvitationProps) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const revoke = useMutation(
    api.people.revokeInvitation.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries({ queryKey: api.people.list.queryKey({ workspaceId }) })
        onDone()
      },
    }),
  )
  return (
    <Confirmation
      doing={revoke}
      yes={t('page_people.revoke')}
      colour="red"
      onYes={() => revoke.mutate({ workspaceId, invitationId })}
      onNo={onDone}
    >
      <Text size="sm">{t('page_people.revoke_about')}</Text>
    </Confirmation>
  )
}
