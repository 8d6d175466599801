import { Button, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Copyable } from '../ui/as-typed.tsx'
import { SecretDialog } from '../ui/dialog/secret-dialog.tsx'
import { Empty } from '../ui/fallback.tsx'
import { type Column, List, RowMenu } from '../ui/list/list.tsx'
import { Page } from '../ui/shell/page.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { ChangeHook, type Hook, NewHook, RemoveHook, RotateSecret } from './hook-dialogs.tsx'

export function Hooks() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const [creating, { open, close }] = useDisclosure()
  const { data } = useSuspenseQuery(pageQueries.hooks({ workspaceId }))
  const canCreate = may.change && data.hooks.length < data.max
  const create = canCreate && <Button onClick={open}>{t('page_hooks.create')}</Button>
  return (
    <Page title={t('page_hooks.title')} about={t('page_hooks.about')} actions={data.hooks.length > 0 && create}>
      {data.hooks.length === 0 ? (
        <Empty action={create}>{may.change ? t('page_hooks.empty') : t('page_hooks.empty_reader')}</Empty>
      ) : (
        <HookList hooks={data.hooks} baseUrl={data.baseUrl} />
      )}
      <SecretDialog opened={creating} onClose={close} title={t('page_hooks.create')} size="lg">
        <NewHook onDone={close} />
      </SecretDialog>
    </Page>
  )
}

function HookList({ hooks, baseUrl }: { hooks: readonly Hook[]; baseUrl: string }) {
  const { t } = useTexts()
  const may = usePermissions()
  const [chosen, setChosen] = useState<{ hook: Hook; act: 'change' | 'rotate' | 'remove' } | null>(null)
  const columns: Column<Hook>[] = [
    {
      title: t('page_hooks.hook'),
      cell: ({ name, hookId }) => (
        <div>
          <bdi>{name}</bdi>
          <Text size="xs" c="dimmed" component="div">
            <Copyable text={`${baseUrl}/${hookId}`} />
          </Text>
        </div>
      ),
    },
    { title: t('page_hooks.kind'), cell: ({ kind }) => t(`page_hooks.kinds_${kind}`) },
    {
      title: t('page_hooks.templates'),
      cell: ({ templates }) =>
        templates.map(({ name, language }, index) => (
          <div key={language}>
            {name} ({language})
            {index === 0 && templates.length > 1 && (
              <Text span c="dimmed">
                {' '}
                {t('page_hooks.fallback')}
              </Text>
            )}
          </div>
        )),
    },
    { title: t('page_hooks.created'), phone: 'none', cell: ({ createdAt }) => <Time at={createdAt} kind="past" /> },
  ]
  if (may.change)
    columns.push({
      title: t('page_hooks.actions'),
      phone: 'menu',
      align: 'end',
      cell: (hook) => (
        <RowMenu
          label={t('page_hooks.actions_for', { name: hook.name })}
          actions={[
            { label: t('page_hooks.change'), run: () => setChosen({ hook, act: 'change' }) },
            { label: t('page_hooks.rotate'), run: () => setChosen({ hook, act: 'rotate' }) },
            { label: t('page_hooks.remove'), isDangerous: true, run: () => setChosen({ hook, act: 'remove' }) },
          ]}
        />
      ),
    })
  const close = (): void => setChosen(null)
  const titleOf = (act: 'change' | 'rotate' | 'remove') =>
    chosen && t(`page_hooks.${act}_title`, { name: chosen.hook.name })
  return (
    <>
      <List label={t('page_hooks.title')} rows={hooks} keyOf={({ hookId }) => hookId} columns={columns} />
      <Modal opened={chosen?.act === 'change'} onClose={close} title={titleOf('change')} size="lg">
        {chosen && <ChangeHook of={chosen.hook} onDone={close} />}
      </Modal>
      <SecretDialog opened={chosen?.act === 'rotate'} onClose={close} title={titleOf('rotate')} size="lg">
        {chosen && <RotateSecret of={chosen.hook} onDone={close} />}
      </SecretDialog>
      <Modal opened={chosen?.act === 'remove'} onClose={close} title={titleOf('remove')}>
        {chosen && <RemoveHook of={chosen.hook} onDone={close} />}
      </Modal>
    </>
  )
}
