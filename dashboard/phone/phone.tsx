import { Phone as PhoneScreen } from '@doorcode/whatsapp-emulator/phone/phone.tsx'
import { useNewestChat, useScreen } from '@doorcode/whatsapp-emulator/phone/use-screen.ts'
import type { Pair } from '@doorcode/whatsapp-emulator/wire/chats.ts'
import { Box, Paper, Stack, Tabs, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { api } from '../api.ts'
import { ConnectEmulator } from '../senders/connect-emulator.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { Empty, Failed, Loading } from '../ui/fallback.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { Page } from '../ui/shell/page.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { usePhoneClock } from './clock.ts'
import style from './phone.module.css'
import { Send } from './send.tsx'
import { usePhoneSource } from './source.ts'
import { Webhooks } from './webhooks.tsx'
import { type PhoneState, WorkspaceTimeMachine } from './workspace-time.tsx'

const PAGE = '/w/$workspaceId/phone'

export function Phone() {
  const { t } = useTexts()
  const { sandbox } = useWorkspace()
  if (sandbox) return <SandboxPhone />
  return (
    <Page title={t('page_phone.title')}>
      <Empty action={<ButtonLink to="/new-workspace">{t('page_phone.make_sandbox')}</ButtonLink>}>
        {t('page_phone.live')}
      </Empty>
    </Page>
  )
}

function SandboxPhone() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { data, error, refetch } = useQuery(api.phone.state.queryOptions({ workspaceId }))
  return (
    <Page title={t('page_phone.title')} about={t('page_phone.about')} live>
      {data ? data.hasEmulator ? <SidePanel state={data} /> : <NoEmulator /> : !error && <Loading as="phone" />}
      {error && !data && <Failed error={error} onAgain={() => void refetch()} />}
    </Page>
  )
}

function NoEmulator() {
  const { t } = useTexts()
  const may = usePermissions()
  return (
    <Empty action={may.change && <ConnectEmulator />}>
      {t('page_phone.no_emulator')}
      <Text component="span" display="block" size="sm" mt="xs">
        {may.change ? t('page_overview.emulator_means') : t('page_phone.no_emulator_how')}
      </Text>
    </Empty>
  )
}

/** Where the phone and what is next to it would not fit. */
const NARROW = '(max-width: 74em)'

/** The phone, with the send form or the clock and the webhooks next to it; on a narrow screen one at a time. */
function SidePanel({ state }: { state: PhoneState }) {
  const { t } = useTexts()
  const may = usePermissions()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const isNarrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false })
  const source = usePhoneSource()
  const phone = useScreen(source)
  const { phone: customer, number } = search
  const selected = useMemo(() => (customer && number ? { phone: customer, number } : undefined), [customer, number])
  const select = useCallback(
    (pair: Pair | undefined) =>
      void navigate({ search: ({ tab }) => ({ ...pair, ...(tab && { tab }) }), replace: true, resetScroll: false }),
    [navigate],
  )
  useNewestChat(phone, selected, select)
  const clock = usePhoneClock(state.moves)
  const firstTab = isNarrow ? 'chats' : may.change ? 'send' : 'clock'
  const chats = <PhoneScreen phone={phone} clock={clock} selected={selected} onSelect={select} />
  const tabs = (
    <Tabs
      value={search.tab ?? firstTab}
      onChange={(tab) =>
        void navigate({
          search: { ...selected, ...((tab === 'clock' || tab === 'send') && { tab }) },
          replace: true,
          resetScroll: false,
        })
      }
    >
      <Tabs.List grow mb="sm">
        {isNarrow && <Tabs.Tab value="chats">{t('page_phone.chats')}</Tabs.Tab>}
        <Tabs.Tab value="send">{t('page_phone.send')}</Tabs.Tab>
        <Tabs.Tab value="clock">{t('page_phone.clock')}</Tabs.Tab>
      </Tabs.List>
      {isNarrow && <Tabs.Panel value="chats">{chats}</Tabs.Panel>}
      <Tabs.Panel value="send">
        <Send key={selected?.number} customer={selected} baseUrl={state.baseUrl} />
      </Tabs.Panel>
      <Tabs.Panel value="clock">
        <WorkspaceTimeMachine state={state} customer={selected} />
      </Tabs.Panel>
    </Tabs>
  )
  if (isNarrow)
    return (
      <Stack gap="md" className={style.colours ?? ''}>
        {tabs}
        <Webhooks />
      </Stack>
    )
  return (
    <Box className={`${style.colours} ${style.columns}`}>
      <div className={style.phone}>{chats}</div>
      <Stack gap="md" className={style.side}>
        <Paper withBorder p="md" pt={4}>
          {tabs}
        </Paper>
        <Webhooks />
      </Stack>
    </Box>
  )
}
