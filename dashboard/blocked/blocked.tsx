import { Button, Group, Modal, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { whoText } from '../audit-log/action.ts'
import { useTexts } from '../texts/use-texts.ts'
import { PhoneNumber } from '../ui/as-typed.tsx'
import { Confirmation } from '../ui/dialog/confirm-dialog.tsx'
import { useNew } from '../ui/dialog/use-new.ts'
import { Empty, Failed, Loading } from '../ui/fallback.tsx'
import { ServerForm, useServerForm } from '../ui/form/server-form.tsx'
import { ExportButton } from '../ui/list/export-button.tsx'
import { FilterBar } from '../ui/list/filter-bar.tsx'
import { ListPages, MoreButton } from '../ui/list/list-pages.tsx'
import { type Column, List } from '../ui/list/list.tsx'
import { phoneText } from '@doorcode/whatsapp-emulator/wire/phone-groups.ts'
import { Page } from '../ui/shell/page.tsx'
import { showUndo } from '../ui/undo.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { ImportList, refreshBlocked } from './import-list.tsx'

type BlockedNumber = RouterOutputs['blocked']['list']['rows'][number]

const ORDERS = ['latest', 'phone'] as const
type Order = (typeof ORDERS)[number]

export function Blocked() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const [order, setOrder] = useState<Order>('latest')
  const [sought, setSought] = useState('')
  const [adding, add] = useNew('/w/$workspaceId/blocked')
  const [importing, bringIn] = useDisclosure()
  const query = useInfiniteQuery({
    ...api.blocked.list.infiniteQueryOptions(
      { workspaceId, order, text: sought },
      { getNextPageParam: ({ next }) => next ?? undefined },
    ),
    placeholderData: keepPreviousData,
  })
  const { data, error, isPlaceholderData, refetch } = query
  const rows = data?.pages.flatMap((page) => page.rows)
  const [first] = data?.pages ?? []
  const isEmpty = sought === '' && !isPlaceholderData && rows?.length === 0
  const actions = may.change && (
    <Group gap="xs" justify={isEmpty ? 'center' : undefined}>
      <Button variant="default" onClick={bringIn.open}>
        {t('page_blocked.import')}
      </Button>
      <Button onClick={add.open}>{t('page_blocked.add')}</Button>
    </Group>
  )
  return (
    <Page title={t('page_blocked.title')} about={t('page_blocked.about')} actions={!isEmpty && actions}>
      {isEmpty ? (
        <Empty action={actions}>{may.change ? t('page_blocked.empty') : t('page_blocked.empty_reader')}</Empty>
      ) : (
        <FilterBar
          label={t('page_blocked.search')}
          search={{ label: t('page_blocked.search'), value: sought }}
          filters={[]}
          onChange={({ text = '' }) => setSought(text)}
          onClear={sought === '' ? undefined : () => setSought('')}
          end={
            <>
              <NativeSelect
                aria-label={t('page_blocked.order')}
                value={order}
                data={ORDERS.map((each) => ({ value: each, label: t(`page_blocked.orders_${each}`) }))}
                onChange={({ currentTarget }) =>
                  setOrder(ORDERS.find((each) => each === currentTarget.value) ?? 'latest')
                }
              />
              <ExportButton list="blocked" filters={{ order, text: sought }} />
            </>
          }
        />
      )}
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {!data && !error && <Loading />}
      {rows && rows.length > 0 && (
        <>
          <BlockedList rows={rows} />
          <ListPages
            searchedBackTo={null}
            newest={undefined}
            older={undefined}
            position={{ from: 1, to: rows.length, total: first?.total ?? rows.length, isMore: false }}
          />
        </>
      )}
      <MoreButton of={query}>{t('page_blocked.more')}</MoreButton>
      {rows?.length === 0 && !isEmpty && <NotFound phones={first?.phones ?? []} />}
      <Modal opened={adding && may.change} onClose={add.close} title={t('page_blocked.add')}>
        <BlockNumber onDone={add.close} />
      </Modal>
      <ImportList opened={importing} onClose={bringIn.close} />
    </Page>
  )
}

/** `phones`: the complete numbers that the search text can mean. */
function NotFound({ phones }: { phones: readonly string[] }) {
  const { t } = useTexts()
  return (
    <Paper withBorder p="lg" role="status">
      {phones.length === 0 ? (
        <Text>{t('page_blocked.none_found')}</Text>
      ) : (
        <Stack gap={4}>
          {phones.map((phone) => (
            <Text key={phone}>
              <PhoneNumber of={phone} /> {t('page_blocked.not_blocked')}
            </Text>
          ))}
        </Stack>
      )}
    </Paper>
  )
}

function BlockedList({ rows }: { rows: readonly BlockedNumber[] }) {
  const texts = useTexts()
  const { t } = texts
  const may = usePermissions()
  const [lifting, setLifting] = useState<BlockedNumber | null>(null)
  const columns: Column<BlockedNumber>[] = [
    { title: t('page_blocked.phone'), cell: ({ phone }) => <PhoneNumber of={phone} /> },
    {
      title: t('page_blocked.reason'),
      hideIfAll: ({ reason }) => reason,
      cell: ({ reason }) => (reason === null ? t('page_blocked.no_reason') : <bdi>{reason}</bdi>),
    },
    { title: t('page_blocked.since'), phone: 'time', cell: ({ blockedAt }) => <Time at={blockedAt} kind="past" /> },
    {
      title: t('page_blocked.by'),
      cell: ({ blockedBy }) => (
        <bdi>{blockedBy === null ? t('page_blocked.by_unknown') : whoText(blockedBy, texts)}</bdi>
      ),
    },
  ]
  if (may.change) {
    columns.push({
      title: t('page_blocked.actions'),
      phone: 'status',
      cell: (row) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${t('page_blocked.remove')} ${row.phone}`}
          onClick={() => setLifting(row)}
        >
          {t('page_blocked.remove')}
        </Button>
      ),
    })
  }
  return (
    <>
      <List label={t('page_blocked.title')} rows={rows} keyOf={({ phone }) => phone} columns={columns} />
      <Modal
        opened={lifting !== null}
        onClose={() => setLifting(null)}
        title={lifting && t('page_blocked.remove_title', { phone: phoneText(lifting.phone) })}
      >
        {lifting && <Unblock of={lifting} onDone={() => setLifting(null)} />}
      </Modal>
    </>
  )
}

function BlockNumber({ onDone }: { onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const labels = { phone: t('page_blocked.phone'), reason: t('page_blocked.reason') }
  const form = useServerForm(labels, { phone: '', reason: '' })
  const [meant, setMeant] = useState<string | null>(null)
  const unblock = useMutation(api.blocked.remove.mutationOptions({ onSuccess: refreshBlocked }))
  const add = useMutation(
    api.blocked.add.mutationOptions({
      async onSuccess({ phone, added }) {
        await refreshBlocked()
        if (added) showUndo(t('page_blocked.blocked_now', { phone }), () => unblock.mutateAsync({ workspaceId, phone }))
        else notifications.show({ message: t('page_blocked.blocked_already', { phone }) })
        onDone()
      },
      async onError(error, { phone: typed }) {
        if (form.showFaults(error)['phone'] === undefined) return
        setMeant(await queryClient.fetchQuery(api.blocked.meant.queryOptions({ workspaceId, typed })))
      },
    }),
  )
  return (
    <ServerForm form={form} call={add} onSubmit={(values) => add.mutate({ workspaceId, ...values })}>
      <Stack gap={6}>
        <TextInput
          description={t('page_blocked.phone_hint')}
          type="tel"
          dir="ltr"
          data-autofocus
          {...form.field('phone')}
        />
        {meant !== null && form.errors['phone'] && (
          <Group gap="xs" role="status">
            <Text size="sm">{t('page_blocked.is_meant')}</Text>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                form.setFieldValue('phone', meant)
                form.clearErrors()
              }}
            >
              <PhoneNumber of={meant} />
            </Button>
          </Group>
        )}
      </Stack>
      <TextInput description={t('page_blocked.reason_hint')} dir="auto" {...form.field('reason')} />
      <Button type="submit" loading={add.isPending}>
        {t('page_blocked.block_it')}
      </Button>
    </ServerForm>
  )
}

export function Unblock({ of: { phone, reason }, onDone }: { of: BlockedNumber; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const block = useMutation(api.blocked.add.mutationOptions({ onSuccess: refreshBlocked }))
  const remove = useMutation(
    api.blocked.remove.mutationOptions({
      async onSuccess() {
        await refreshBlocked()
        showUndo(t('page_blocked.removed', { phone }), () =>
          block.mutateAsync({ workspaceId, phone, reason: reason ?? '' }),
        )
        onDone()
      },
    }),
  )
  return (
    <Confirmation
      doing={remove}
      yes={t('page_blocked.remove_it')}
      no={t('page_blocked.keep')}
      colour="red"
      onYes={() => remove.mutate({ workspaceId, phone })}
      onNo={onDone}
    >
      <Text size="sm">{reason === null ? t('page_blocked.remove_no_reason') : t('page_blocked.remove_about')}</Text>
      {reason !== null && (
        <Text size="sm" fs="italic">
          <bdi>{reason}</bdi>
        </Text>
      )}
    </Confirmation>
  )
}
