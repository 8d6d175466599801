import { Button, Modal, Stack, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { SecretDialog } from '../ui/dialog/secret-dialog.tsx'
import { useNew } from '../ui/dialog/use-new.ts'
import { Empty } from '../ui/fallback.tsx'
import { ExportButton } from '../ui/list/export-button.tsx'
import { type Column, List, RowMenu } from '../ui/list/list.tsx'
import { instantOf } from '../ui/list/sort-rows.ts'
import { Page } from '../ui/shell/page.tsx'
import { Status } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { type Key, NewKey, RevokeKey, RotateKey } from './key-dialogs.tsx'

const isActive = ({ state }: Key): boolean => state === 'active' || state === 'expires_soon'

export function Keys() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const [creating, { open, close }] = useNew('/w/$workspaceId/keys')
  const { data } = useSuspenseQuery(pageQueries.keys({ workspaceId }))
  const working = data.filter(isActive)
  const create = may.change && <Button onClick={open}>{t('page_keys.create')}</Button>
  const empty =
    data.length > 0 ? t('page_keys.only_old') : may.change ? t('page_keys.empty') : t('page_keys.empty_reader')
  return (
    <Page
      title={t('page_keys.title')}
      about={t('page_keys.about')}
      actions={
        working.length > 0 && (
          <>
            <ExportButton list="keys" />
            {create}
          </>
        )
      }
    >
      {working.length === 0 ? (
        <Empty action={create}>{empty}</Empty>
      ) : (
        <KeyList keys={working} label={t('page_keys.title')} />
      )}
      <OldKeys keys={data.filter((key) => !isActive(key))} />
      <SecretDialog opened={creating && may.change} onClose={close} title={t('page_keys.create')} size="lg">
        <NewKey onDone={close} />
      </SecretDialog>
    </Page>
  )
}

function OldKeys({ keys }: { keys: readonly Key[] }) {
  const { t } = useTexts()
  const [shown, { toggle }] = useDisclosure()
  if (keys.length === 0) return null
  return (
    <Stack gap="sm">
      <UnstyledButton onClick={toggle} aria-expanded={shown} w="fit-content" td="underline" fz="sm">
        {shown ? t('page_keys.hide_old') : t('page_keys.show_old', { count: keys.length })}
      </UnstyledButton>
      {shown && <KeyList keys={keys} label={t('page_keys.hide_old')} />}
    </Stack>
  )
}

function KeyList({ keys, label }: { keys: readonly Key[]; label: string }) {
  const { t } = useTexts()
  const may = usePermissions()
  const [chosen, setChosen] = useState<{ key: Key; act: 'rotate' | 'revoke' } | null>(null)
  const columns: Column<Key>[] = [
    {
      title: t('page_keys.key'),
      sortBy: ({ name }) => name,
      cell: ({ name, publicId }) => (
        <div>
          <bdi>{name}</bdi>
          <Text size="xs" c="dimmed">
            <code>dck_{publicId}_…</code>
          </Text>
        </div>
      ),
    },
    { title: t('page_keys.state'), phone: 'status', cell: ({ state }) => <Status of="key" value={state} /> },
    {
      title: t('page_keys.created'),
      phone: 'none',
      sortBy: ({ createdAt }) => instantOf(createdAt),
      cell: ({ createdAt }) => <Time at={createdAt} kind="past" />,
    },
    {
      title: t('page_keys.last_used'),
      phone: 'labelled',
      sortBy: ({ lastUsedAt }) => instantOf(lastUsedAt),
      cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} kind="past" /> : t('page_keys.never')),
    },
    {
      title: t('page_keys.expiry'),
      phone: 'labelled',
      sortBy: ({ expiresAt, revokedAt }) => instantOf(revokedAt ? null : expiresAt),
      cell: ({ expiresAt, revokedAt }) => {
        if (revokedAt) return '–'
        return expiresAt ? <Time at={expiresAt} kind="due" /> : t('page_keys.no_expiry')
      },
    },
  ]
  if (may.change && keys.some(isActive)) {
    columns.push({
      title: t('page_keys.actions'),
      phone: 'menu',
      align: 'end',
      cell: (key) => (
        <RowMenu
          label={t('page_keys.actions_for', { name: key.name })}
          actions={[
            { label: t('page_keys.rotate'), run: () => setChosen({ key, act: 'rotate' }) },
            { label: t('page_keys.revoke'), isDangerous: true, run: () => setChosen({ key, act: 'revoke' }) },
          ]}
        />
      ),
    })
  }
  const close = (): void => setChosen(null)
  return (
    <>
      <List label={label} rows={keys} keyOf={({ publicId }) => publicId} columns={columns} />
      <SecretDialog
        opened={chosen?.act === 'rotate'}
        onClose={close}
        title={chosen && t('page_keys.rotate_title', { name: chosen.key.name })}
        size="lg"
      >
        {chosen && <RotateKey of={chosen.key} onDone={close} />}
      </SecretDialog>
      <Modal
        opened={chosen?.act === 'revoke'}
        onClose={close}
        title={chosen && t('page_keys.revoke_title', { name: chosen.key.name })}
      >
        {chosen && <RevokeKey of={chosen.key} onDone={close} />}
      </Modal>
    </>
  )
}
