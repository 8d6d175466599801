import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { actionIn } from '../audit-log/action.ts'
import { useTexts } from '../texts/use-texts.ts'
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx'
import { Failed } from '../ui/fallback.tsx'
import { List } from '../ui/list/list.tsx'
import { Time } from '../ui/time.tsx'
import { deviceOf } from './device.ts'

type Session = RouterOutputs['account']['sessions'][number]

export function Sessions() {
  const { t } = useTexts()
  const { data } = useSuspenseQuery(api.account.sessions.queryOptions())
  const end = useMutation(
    api.account.endSession.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.account.pathKey() }),
    }),
  )
  const everywhere = useMutation(
    api.account.signOutEverywhere.mutationOptions({ onSuccess: () => location.assign('/dashboard/sign-in') }),
  )
  return (
    <Stack gap="sm">
      <List
        label={t('page_account.sessions')}
        rows={data}
        keyOf={({ sessionId }) => sessionId}
        columns={[
          { title: t('page_account.device'), cell: (session) => <DeviceCell session={session} /> },
          {
            title: t('page_account.signed_in_at'),
            phone: 'labelled',
            cell: ({ signedInAt }) => <Time at={signedInAt} kind="real" />,
          },
          {
            title: t('page_account.last_used'),
            phone: 'labelled',
            cell: ({ lastUsedAt }) => <Time at={lastUsedAt} kind="real" />,
          },
          {
            title: t('page_account.actions'),
            phone: 'status',
            cell: (session) =>
              !session.current && (
                <Button
                  size="compact-sm"
                  variant="default"
                  loading={end.isPending && end.variables?.sessionId === session.sessionId}
                  aria-label={`${t('page_account.sign_out')}${t('page_shell.colon')}${nameOf(session.device) ?? t('page_account.unknown_device')}`}
                  onClick={() => end.mutate({ sessionId: session.sessionId })}
                >
                  {t('page_account.sign_out')}
                </Button>
              ),
          },
        ]}
      />
      {end.error && <Failed error={end.error} />}
      <ConfirmDialog
        label={t('page_account.everywhere')}
        title={t('page_account.everywhere')}
        doing={everywhere}
        yes={t('page_account.everywhere')}
        no={t('page_account.stay')}
        colour="red"
        onYes={() => everywhere.mutateAsync()}
      >
        <Text size="sm">{t('page_account.everywhere_about')}</Text>
      </ConfirmDialog>
    </Stack>
  )
}

function DeviceCell({ session: { device, address, current } }: { session: Session }) {
  const { t } = useTexts()
  return (
    <Group gap="xs">
      <span>
        {nameOf(device) ?? t('page_account.unknown_device')} {address && <code>{address}</code>}
      </span>
      {current && (
        <Badge variant="light" style={{ flexShrink: 0 }}>
          {t('page_account.this_one')}
        </Badge>
      )}
    </Group>
  )
}

/** "Firefox · Windows" */
function nameOf(userAgent: string | null): string | undefined {
  const { browser, system } = deviceOf(userAgent)
  return [browser, system].filter(Boolean).join(' · ') || undefined
}

type Event = RouterOutputs['account']['events'][number]

export function Events() {
  const texts = useTexts()
  const { t } = texts
  const { data } = useSuspenseQuery(api.account.events.queryOptions())
  if (data.length === 0) return <Text size="sm">{t('page_account.no_events')}</Text>
  return (
    <List
      label={t('page_account.events')}
      rows={data}
      keyOf={({ id }) => id}
      columns={[
        { title: t('page_audit_log.when'), phone: 'time', cell: ({ at }) => <Time at={at} kind="real" /> },
        { title: t('page_audit_log.what'), phone: 'name', cell: ({ action }) => actionIn(action, texts) },
        { title: t('page_account.where'), cell: (event) => <Where event={event} /> },
      ]}
    />
  )
}

function Where({ event: { after } }: { event: Event }) {
  const address = after?.['address']
  const device = after?.['device']
  const name = nameOf(typeof device === 'string' ? device : null)
  if (typeof address !== 'string') return '–'
  return (
    <>
      {name} <code>{address}</code>
    </>
  )
}
