import { Button, SimpleGrid } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useSuspenseQuery } from '@tanstack/react-query'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { SecretDialog } from '../ui/dialog/secret-dialog.tsx'
import { Section } from '../ui/facts.tsx'
import { Empty } from '../ui/fallback.tsx'
import { ExportButton } from '../ui/list/export-button.tsx'
import { Page } from '../ui/shell/page.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { AccountCard } from './account-card.tsx'
import { ConnectEmulator } from './connect-emulator.tsx'
import { ConnectAccount } from './connect.tsx'
import { SenderList } from './sender-list.tsx'

export function Senders() {
  const { t } = useTexts()
  const may = usePermissions()
  const { workspaceId } = useWorkspace()
  const [connecting, { open, close }] = useDisclosure()
  const { data: accounts } = useSuspenseQuery(pageQueries.accounts({ workspaceId }))
  const { data: senders } = useSuspenseQuery(pageQueries.senders({ workspaceId }))
  const connect = may.change && <Button onClick={open}>{t('page_senders.connect')}</Button>
  return (
    <Page
      title={t('page_senders.title')}
      about={t('page_senders.about')}
      live
      actions={
        accounts.length > 0 && (
          <>
            <ExportButton list="senders" />
            {connect}
          </>
        )
      }
    >
      {accounts.length === 0 ? (
        <NoAccount onConnect={open} />
      ) : (
        <>
          <Section title={t('page_senders.numbers')}>
            {senders.length === 0 ? <Empty>{t('page_senders.no_numbers')}</Empty> : <SenderList senders={senders} />}
          </Section>
          <Section title={t('page_senders.accounts')}>
            <SimpleGrid cols={{ base: 1, lg: accounts.length > 1 ? 2 : 1 }}>
              {accounts.map((account) => (
                <AccountCard
                  key={account.accountId}
                  account={account}
                  numbers={senders.filter((each) => each.accountId === account.accountId && !each.goneAt).length}
                />
              ))}
            </SimpleGrid>
          </Section>
        </>
      )}
      <SecretDialog
        opened={connecting}
        onClose={close}
        title={t('page_senders.connect')}
        size="lg"
        closeOnClickOutside={false}
      >
        <ConnectAccount hasAccount={accounts.length > 0} onDone={close} />
      </SecretDialog>
    </Page>
  )
}

function NoAccount({ onConnect }: { onConnect: () => void }) {
  const { t } = useTexts()
  const may = usePermissions()
  const { sandbox } = useWorkspace()
  if (!may.change) return <Empty>{t('page_senders.empty_member')}</Empty>
  if (!sandbox)
    return (
      <Empty action={<Button onClick={onConnect}>{t('page_senders.connect')}</Button>}>{t('page_senders.empty')}</Empty>
    )
  return (
    <Empty
      action={
        <>
          <ConnectEmulator />
          <Button variant="subtle" size="compact-sm" onClick={onConnect}>
            {t('page_senders.emulator_other')}
          </Button>
        </>
      }
    >
      {t('page_overview.emulator_means')}
    </Empty>
  )
}
