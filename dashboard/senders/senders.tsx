import { Button, Modal, SimpleGrid, Stack, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useSuspenseQuery } from '@tanstack/react-query'
import { api } from '../api.ts'
import { Empty } from '../ui/empty.tsx'
import { useLive } from '../ui/live.ts'
import { Page } from '../ui/page.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { AccountCard } from './account-card.tsx'
import { ConnectAccount } from './connect.tsx'
import { SenderList } from './sender-list.tsx'
import { senderWords } from './words.ts'

export function Senders() {
  const text = useWords(senderWords)
  const live = useLive()
  const may = useMay()
  const { workspaceId } = useWorkspace()
  const [connecting, { open, close }] = useDisclosure()
  const { data: accounts } = useSuspenseQuery(api.senders.accounts.queryOptions({ workspaceId }))
  const { data: senders } = useSuspenseQuery(api.senders.list.queryOptions({ workspaceId }))
  const connect = may.change && <Button onClick={open}>{text.connect}</Button>
  return (
    <Page title={text.title} about={text.about} live={live} actions={accounts.length > 0 && connect}>
      {accounts.length === 0 ? (
        <Empty action={connect}>{may.change ? text.empty : text.emptyMember}</Empty>
      ) : (
        <>
          <Stack gap="xs" component="section" aria-label={text.numbers}>
            <Title order={2} size="h4">
              {text.numbers}
            </Title>
            {senders.length === 0 ? <Empty>{text.noNumbers}</Empty> : <SenderList senders={senders} />}
          </Stack>
          <Stack gap="xs" component="section" aria-label={text.accounts}>
            <Title order={2} size="h4">
              {text.accounts}
            </Title>
            <SimpleGrid cols={{ base: 1, lg: accounts.length > 1 ? 2 : 1 }}>
              {accounts.map((account) => (
                <AccountCard
                  key={account.accountId}
                  account={account}
                  numbers={senders.filter((each) => each.accountId === account.accountId && !each.goneAt).length}
                />
              ))}
            </SimpleGrid>
          </Stack>
        </>
      )}
      <Modal opened={connecting} onClose={close} title={text.connect} size="lg" closeOnClickOutside={false}>
        <ConnectAccount onDone={close} />
      </Modal>
    </Page>
  )
}
