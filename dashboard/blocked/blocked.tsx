import { Button, Group, Modal, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type Answers, api } from '../api.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { type Column, List } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { BlockNumber } from './block-number.tsx'
import { ImportList } from './import-list.tsx'
import { Unblock } from './unblock.tsx'
import { blockedWords } from './words.ts'

type Order = 'latest' | 'phone'
export type Row = Answers['blocked']['list']['rows'][number]

export function Blocked() {
  const text = useWords(blockedWords)
  const { workspaceId } = useWorkspace()
  const may = useMay()
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
        {text.import}
      </Button>
      <Button onClick={add.open}>{text.add}</Button>
    </Group>
  )
  return (
    <Page title={text.title} about={text.about} actions={rows.length > 0 && actions}>
      {rows.length === 0 ? (
        <Empty action={actions}>{may.change ? text.empty : text.emptyReader}</Empty>
      ) : (
        <>
          <Search sought={sought} onSearch={setSought}>
            <NativeSelect
              label={text.order}
              value={order}
              data={(['latest', 'phone'] as const).map((each) => ({ value: each, label: text.orders[each] }))}
              onChange={(event) => setOrder(event.currentTarget.value as Order)}
            />
          </Search>
          {sought === '' ? (
            <>
              <Text size="sm" c="dimmed">
                {text.total(total)}
              </Text>
              <BlockedList rows={rows} />
              {hasNextPage && (
                <Button
                  variant="default"
                  w="fit-content"
                  loading={isFetchingNextPage}
                  onClick={() => void fetchNextPage()}
                >
                  {text.more}
                </Button>
              )}
            </>
          ) : (
            <Found sought={sought} />
          )}
        </>
      )}
      <Modal opened={adding} onClose={add.close} title={text.add}>
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
  const text = useWords(blockedWords)
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
          label={text.search}
          description={text.searchHint}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          inputMode="tel"
          flex={1}
          miw={220}
          maw={460}
        />
        <Button type="submit" variant="default">
          {text.find}
        </Button>
        {sought !== '' && (
          <Button
            variant="subtle"
            onClick={() => {
              setTyped('')
              onSearch('')
            }}
          >
            {text.clear}
          </Button>
        )}
        {children}
      </Group>
    </form>
  )
}

function Found({ sought }: { sought: string }) {
  const text = useWords(blockedWords)
  const { workspaceId } = useWorkspace()
  const { data, error, refetch } = useQuery(api.blocked.search.queryOptions({ workspaceId, text: sought }))
  if (error) return <Failed error={error} onAgain={() => void refetch()} />
  if (!data) return null
  if (data.rows.length > 0) return <BlockedList rows={data.rows} />
  return (
    <Paper withBorder p="lg" role="status">
      {data.meant.length === 0 ? (
        <Text>{text.noNumber}</Text>
      ) : (
        <Stack gap={4}>
          {data.meant.map((phone) => (
            <Text key={phone}>
              <span className="as-typed">{phone}</span> {text.notBlocked}
            </Text>
          ))}
        </Stack>
      )}
    </Paper>
  )
}

function BlockedList({ rows }: { rows: readonly Row[] }) {
  const text = useWords(blockedWords)
  const may = useMay()
  const [lifting, setLifting] = useState<Row | null>(null)
  const columns: Column<Row>[] = [
    { title: text.phone, cell: ({ phone }) => <span className="as-typed">{phone}</span> },
    { title: text.reason, cell: ({ reason }) => <bdi>{reason ?? text.noReason}</bdi> },
    { title: text.since, times: true, cell: ({ blockedAt }) => <Time at={blockedAt} /> },
    { title: text.by, cell: ({ blockedBy }) => <bdi>{blockedBy ?? text.byUnknown}</bdi> },
  ]
  if (may.change) {
    columns.push({
      title: text.actions,
      cell: (row) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`${text.remove} ${row.phone}`}
          onClick={() => setLifting(row)}
        >
          {text.remove}
        </Button>
      ),
    })
  }
  return (
    <>
      <List label={text.title} rows={rows} keyOf={({ phone }) => phone} columns={columns} />
      <Modal
        opened={lifting !== null}
        onClose={() => setLifting(null)}
        title={lifting && text.removeTitle(lifting.phone)}
      >
        {lifting && <Unblock of={lifting} onDone={() => setLifting(null)} />}
      </Modal>
    </>
  )
}
