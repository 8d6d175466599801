import { Button, Group, Modal, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type RouterOutputs, api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { type Column, List } from '../ui/list/list.tsx'
import { Page } from '../ui/shell/page.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { BlockNumber } from './block-number.tsx'
import { ImportList } from './import-list.tsx'
import { Unblock } from './unblock.tsx'

type Order = 'latest' | 'phone'
export type Row = RouterOutputs['blocked']['list']['rows'][number]

export function Blocked() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const [order, setOrder] = useState<Order>('latest')
  const [sought, setSought] = useState('')
  const [adding, add] = useDisclosure()
  const [importing, bringIn] = useDisclosure()
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(
    api.blocked.list.infiniteQueryOptions(
      { workspaceId, order },
      { getNextPageParam: ({ next }) => next ?? undefined },
    ),
  )
  const rows = data.pages.flatMap((page) => page.rows)
  const total = data.pages[0]?.total ?? 0
  const actions = may.change && (
    <Group gap="xs">
      <Button variant="default" onClick={bringIn.open}>
        {t('page_blocked.import')}
      </Button>
      <Button onClick={add.open}>{t('page_blocked.add')}</Button>
    </Group>
  )
  return (
    <Page title={t('page_blocked.title')} about={t('page_blocked.about')} actions={rows.length > 0 && actions}>
      {rows.length === 0 ? (
        <Empty action={actions}>{may.change ? t('page_blocked.empty') : t('page_blocked.empty_reader')}</Empty>
      ) : (
        <>
          <Search sought={sought} onSearch={setSought}>
            <NativeSelect
              label={t('page_blocked.order')}
              value={order}
              data={(['latest', 'phone'] as const).map((each) => ({
                value: each,
                label: t(`page_blocked.orders_${each}`),
              }))}
              onChange={(event) => setOrder(event.currentTarget.value as Order)}
            />
          </Search>
          {sought === '' ? (
            <>
              <Text size="sm" c="dimmed">
                {t('page_blocked.total', { count: total })}
              </Text>
              <BlockedList rows={rows} />
              {hasNextPage && (
                <Button
                  variant="default"
                  w="fit-content"
                  loading={isFetchingNextPage}
                  onClick={() => void fetchNextPage()}
                >
                  {t('page_blocked.more')}
                </Button>
              )}
            </>
          ) : (
            <Found sought={sought} />
          )}
        </>
      )}
      <Modal opened={adding} onClose={add.close} title={t('page_blocked.add')}>
        <BlockNumber onDone={add.close} />
      </Modal>
      <ImportList opened={importing} onClose={bringIn.close} />
    </Page>
  )
}

function Search({
  sought,
  onSearch,
  children,
}: {
  sought: string
  onSearch: (text: string) => void
  children: ReactNode
}) {
  const { t } = useTexts()
  const [typed, setTyped] = useState(sought)
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(typed.trim())
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          label={t('page_blocked.search')}
          description={t('page_blocked.search_hint')}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          inputMode="tel"
          flex={1}
          miw={220}
          maw={460}
        />
        <Button type="submit" variant="default">
          {t('page_blocked.find')}
        </Button>
        {sought !== '' && (
          <Button
            variant="subtle"
            onClick={() => {
              setTyped('')
              onSearch('')
            }}
          >
            {t('page_blocked.clear')}
          </Button>
        )}
        {children}
      </Group>
    </form>
  )
}

function Found({ sought }: { sought: string }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { data, error, refetch } = useQuery(api.blocked.search.queryOptions({ workspaceId, text: sought }))
  if (error) return <Failed error={error} onAgain={() => void refetch()} />
  if (!data) return null
  if (data.rows.length > 0) return <BlockedList rows={data.rows} />
  return (
    <Paper withBorder p="lg" role="status">
      {data.phones.length === 0 ? (
        <Text>{t('page_blocked.no_number')}</Text>
      ) : (
        <Stack gap={4}>
          {data.phones.map((phone) => (
            <Text key={phone}>
              <span className="as-typed">{phone}</span> {t('page_blocked.not_blocked')}
            </Text>
          ))}
        </Stack>
      )}
    </Paper>
  )
}

function BlockedList({ rows }: { rows: readonly Row[] }) {
  const { t } = useTexts()
  const may = usePermissions()
  const [lifting, setLifting] = useState<Row | null>(null)
  const columns: Column<Row>[] = [
    { title: t('page_blocked.phone'), cell: ({ phone }) => <span className="as-typed">{phone}</span> },
    { title: t('page_blocked.reason'), cell: ({ reason }) => <bdi>{reason ?? t('page_blocked.no_reason')}</bdi> },
    { title: t('page_blocked.since'), cell: ({ blockedAt }) => <Time at={blockedAt} kind="past" /> },
    { title: t('page_blocked.by'), cell: ({ blockedBy }) => <bdi>{blockedBy ?? t('page_blocked.by_unknown')}</bdi> },
  ]
  if (may.change) {
    columns.push({
      title: t('page_blocked.actions'),
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
        title={lifting && t('page_blocked.remove_title', { phone: lifting.phone })}
      >
        {lifting && <Unblock of={lifting} onDone={() => setLifting(null)} />}
      </Modal>
    </>
  )
}
