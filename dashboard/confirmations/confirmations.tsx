import { Anchor, Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type Answers, api } from '../api.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { List } from '../ui/list.tsx'
import { ListPages } from '../ui/list-pages.tsx'
import { useLive } from '../ui/live.ts'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Reference } from '../ui/reference.tsx'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { Chosen } from './reschedule.tsx'
import {
  type ConfirmationSearch,
  type Listed,
  REFUSALS,
  type RefusalStatus,
  type Status,
  STATUSES,
  isFiltered,
  withFilter,
} from './search.ts'
import { CheckStatus } from './status.tsx'
import { confirmationWords } from './words.ts'

const PAGE = '/w/$workspaceId/confirmations'

export function Confirmations() {
  const text = useWords(confirmationWords)
  const live = useLive()
  const { workspaceId, timeZone } = useWorkspace()
  const { before, ...filter } = useSearch({ from: PAGE })
  const list = useQuery({
    ...api.confirmations.list.queryOptions({ workspaceId, ...filter, ...(before && { cursor: before }) }),
    placeholderData: keepPreviousData,
  })
  return (
    <Page title={text.title} about={`${text.about} ${text.zone} \u2066${timeZone}\u2069.`} live={live}>
      <Filters key={JSON.stringify(filter)} />
      {list.error && <Failed error={list.error} onAgain={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && (
        <Stack aria-busy={list.isPlaceholderData}>
          <Found page={list.data} />
          <Pages page={list.data} />
        </Stack>
      )}
    </Page>
  )
}

function Filters() {
  const text = useWords(confirmationWords)
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const { data: choices = chosenAlready(search) } = useQuery(api.confirmations.choices.queryOptions({ workspaceId }))
  const form = useForm({ initialValues: { text: search.text ?? '' } })
  const narrow = (change: Record<string, string>): void =>
    void navigate({ search: withFilter(search, change), resetScroll: false })
  const one = (name: 'status' | 'refusal' | 'template' | 'senderId', label: string, data: Choice[]) => (
    <NativeSelect
      label={label}
      value={search[name] ?? ''}
      data={[{ value: '', label: text.any }, ...data]}
      onChange={({ currentTarget }) => narrow({ ...form.values, [name]: currentTarget.value })}
    />
  )
  return (
    <form role="search" aria-label={text.filters} onSubmit={form.onSubmit((values) => narrow(values))}>
      <Stack gap="sm">
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <TextInput
            type="search"
            label={text.searchFor}
            description={text.searchHint}
            maxLength={200}
            flex={1}
            {...form.getInputProps('text')}
          />
          <Button type="submit">{text.find}</Button>
        </Group>
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
          {one(
            'status',
            text.status,
            STATUSES.map((value) => ({ value, label: text[value] })),
          )}
          {one(
            'refusal',
            text.refusal,
            REFUSALS.map((value) => ({ value, label: text[value] })),
          )}
          {one(
            'template',
            text.template,
            choices.templates.map((value) => ({ value, label: value })),
          )}
          {one(
            'senderId',
            text.sender,
            choices.senders.map(({ senderId, phoneNumber }) => ({
              value: senderId,
              label: `\u2066${phoneNumber}\u2069`,
            })),
          )}
          <TextInput
            type="date"
            label={text.from}
            value={search.from ?? ''}
            max={search.to}
            onChange={({ currentTarget }) => narrow({ ...form.values, from: currentTarget.value })}
          />
          <TextInput
            type="date"
            label={text.until}
            value={search.to ?? ''}
            min={search.from}
            onChange={({ currentTarget }) => narrow({ ...form.values, to: currentTarget.value })}
          />
        </SimpleGrid>
        {isFiltered(search) && <Clear />}
      </Stack>
    </form>
  )
}

type Choice = { value: string; label: string }

/** While the choices are on their way. */
const chosenAlready = ({ template, senderId }: ConfirmationSearch): Answers['confirmations']['choices'] => ({
  templates: template === undefined ? [] : [template],
  senders: senderId === undefined ? [] : [{ senderId, phoneNumber: '…' }],
})

function Clear() {
  const text = useWords(confirmationWords)
  const navigate = useNavigate({ from: PAGE })
  return (
    <Button variant="subtle" size="compact-sm" w="fit-content" onClick={() => void navigate({ search: {} })}>
      {text.clear}
    </Button>
  )
}

type ListPage = Answers['confirmations']['list']

function Found({ page: { rows, lookedBackTo } }: { page: ListPage }) {
  const text = useWords(confirmationWords)
  const { workspaceId } = useWorkspace()
  const may = useMay()
  const search = useSearch({ from: PAGE })
  if (rows.length > 0) return <ConfirmationList rows={rows} />
  if (lookedBackTo !== null) return null
  if (isFiltered(search)) return <Empty action={<Clear />}>{text.nothing}</Empty>
  const toSettings = (
    <Button renderRoot={(props) => <Link {...props} to="/w/$workspaceId/cod-settings" params={{ workspaceId }} />}>
      {text.toSettings}
    </Button>
  )
  return <Empty action={may.change && toSettings}>{text.empty}</Empty>
}

function ConfirmationList({ rows }: { rows: readonly Listed[] }) {
  const text = useWords(confirmationWords)
  const { workspaceId } = useWorkspace()
  return (
    <List
      label={text.title}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: text.order,
          cell: ({ id, reference }) => (
            <Anchor
              size="sm"
              fw={500}
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/w/$workspaceId/confirmations/$confirmationId"
                  params={{ workspaceId, confirmationId: id }}
                />
              )}
            >
              <Reference of={reference} />
            </Anchor>
          ),
        },
        { title: text.customer, cell: ({ recipient }) => <span className="as-typed">{recipient}</span> },
        {
          title: text.status,
          cell: ({ status, refusalStatus }) => <Statuses status={status} refusal={refusalStatus} />,
        },
        { title: text.answer, cell: (row) => <Answered row={row} /> },
        { title: text.template, cell: ({ templateName }) => <code>{templateName}</code> },
        { title: text.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  )
}

function Statuses({ status, refusal }: { status: Status; refusal: RefusalStatus | null }) {
  const text = useWords(confirmationWords)
  return (
    <Stack gap={4} align="flex-start">
      <CheckStatus status={status} />
      {refusal !== null && (
        <>
          <Text span size="xs" c="dimmed">
            {text.refusal}
          </Text>
          <CheckStatus status={refusal} />
        </>
      )}
    </Stack>
  )
}

/** What the customer chose or told, beyond the status. */
function Answered({ row: { reschedule, refusalReason } }: { row: Listed }) {
  if (refusalReason !== null) return <bdi>{refusalReason}</bdi>
  return reschedule ? <Chosen reschedule={reschedule} /> : '–'
}

function Pages({ page: { nextCursor, lookedBackTo } }: { page: ListPage }) {
  const { before, ...filter } = useSearch({ from: PAGE })
  const to = (search: typeof filter & { before?: string }) => (props: object) => (
    <Link {...props} from={PAGE} to="." search={search} />
  )
  return (
    <ListPages
      lookedBackTo={lookedBackTo}
      newest={before === undefined ? undefined : to(filter)}
      older={nextCursor === null ? undefined : to({ ...filter, before: nextCursor })}
    />
  )
}
