import { Badge, Button, Group, Modal, Stack, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answers, api } from '../api.ts'
import { Empty } from '../ui/empty.tsx'
import { type Column, List } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { NewKey } from './new-key.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { RotateKey } from './rotate-key.tsx'
import { keyWords } from './words.ts'

export type Key = Answers['keys']['list'][number]

export const works = ({ state }: Key): boolean => state === 'active' || state === 'expires_soon'

export function Keys() {
  const text = useWords(keyWords)
  const { workspaceId } = useWorkspace()
  const may = useMay()
  const [creating, { open, close }] = useDisclosure()
  const { data } = useSuspenseQuery(api.keys.list.queryOptions({ workspaceId }))
  const working = data.filter(works)
  const create = may.change && <Button onClick={open}>{text.create}</Button>
  const empty = data.length > 0 ? text.onlyOld : may.change ? text.empty : text.emptyReader
  return (
    <Page title={text.title} about={text.about} actions={working.length > 0 && create}>
      {working.length === 0 ? <Empty action={create}>{empty}</Empty> : <KeyList keys={working} label={text.title} />}
      <OldKeys keys={data.filter((key) => !works(key))} />
      <Modal opened={creating} onClose={close} title={text.create} size="lg">
        <NewKey onDone={close} />
      </Modal>
    </Page>
  )
}

function OldKeys({ keys }: { keys: readonly Key[] }) {
  const text = useWords(keyWords)
  const [shown, { toggle }] = useDisclosure()
  if (keys.length === 0) return null
  return (
    <Stack gap="sm">
      <UnstyledButton onClick={toggle} aria-expanded={shown} w="fit-content" td="underline" fz="sm">
        {shown ? text.hideOld : text.showOld(keys.length)}
      </UnstyledButton>
      {shown && <KeyList keys={keys} label={text.hideOld} />}
    </Stack>
  )
}

function KeyList({ keys, label }: { keys: readonly Key[]; label: string }) {
  const text = useWords(keyWords)
  const may = useMay()
  const [chosen, setChosen] = useState<{ key: Key; act: 'rotate' | 'revoke' } | null>(null)
  const columns: Column<Key>[] = [
    {
      title: text.key,
      cell: ({ name, publicId }) => (
        <div>
          <bdi>{name}</bdi>
          <Text size="xs" c="dimmed">
            <code>dck_{publicId}_…</code>
          </Text>
        </div>
      ),
    },
    { title: text.state, cell: ({ state }) => <StateBadge state={state} /> },
    { title: text.created, times: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: text.lastUsed,
      times: true,
      cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : text.never),
    },
    {
      title: text.expiry,
      times: true,
      cell: ({ expiresAt, revokedAt }) => {
        if (revokedAt) return '–'
        return expiresAt ? <Time at={expiresAt} /> : text.noExpiry
      },
    },
  ]
  if (may.change && keys.some(works)) {
    columns.push({
      title: text.actions,
      cell: (key) => (
        <Group gap="xs" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={text.rotateTitle(key.name)}
            onClick={() => setChosen({ key, act: 'rotate' })}
          >
            {text.rotate}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={text.revokeTitle(key.name)}
            onClick={() => setChosen({ key, act: 'revoke' })}
          >
            {text.revoke}
          </Button>
        </Group>
      ),
    })
  }
  const close = (): void => setChosen(null)
  return (
    <>
      <List label={label} rows={keys} keyOf={({ publicId }) => publicId} columns={columns} />
      <Modal
        opened={chosen?.act === 'rotate'}
        onClose={close}
        title={chosen && text.rotateTitle(chosen.key.name)}
        size="lg"
      >
        {chosen && <RotateKey of={chosen.key} onDone={close} />}
      </Modal>
      <Modal opened={chosen?.act === 'revoke'} onClose={close} title={chosen && text.revokeTitle(chosen.key.name)}>
        {chosen && <RevokeKey of={chosen.key} onDone={close} />}
      </Modal>
    </>
  )
}

const COLOURS = { active: 'teal', expires_soon: 'yellow', expired: 'gray', revoked: 'gray' } as const

function StateBadge({ state }: { state: Key['state'] }) {
  const text = useWords(keyWords)
  return (
    <Badge variant="light" color={COLOURS[state]}>
      <Text span inherit c="var(--mantine-color-text)">
        {text.states[state]}
      </Text>
    </Badge>
  )
}
