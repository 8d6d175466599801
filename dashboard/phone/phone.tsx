import { Phone as PhoneScreen } from '@doorcode/whatsapp-emulator/phone/phone.tsx'
import { type LivePhone, useScreen } from '@doorcode/whatsapp-emulator/phone/use-screen.ts'
import type { Pair } from '@doorcode/whatsapp-emulator/wire/chats.ts'
import { Box, Paper, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { api, phoneSource } from '../api.ts'
import { ConnectEmulator } from '../senders/connect-emulator.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { Empty, Failed, Loading } from '../ui/fallback.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { Page } from '../ui/shell/page.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { usePhoneClock } from './clock.ts'
import style from './phone.module.css'
import { Send } from './send.tsx'
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

/** The phone, with the send form or the clock and the webhooks next to it. */
function SidePanel({ state }: { state: PhoneState }) {
  const { t, textOf } = useTexts()
  const may = usePermissions()
  const { workspaceId } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const source = useMemo(() => phoneSource(workspaceId, textOf), [workspaceId, textOf])
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
  return (
    <Box className={`${style.colours} ${style.columns}`}>
      <div className={style.phone}>
        <PhoneScreen phone={phone} clock={clock} selected={selected} onSelect={select} />
      </div>
      <Stack gap="md" className={style.side}>
        <Paper withBorder p="md" pt={4}>
          <Tabs
            value={search.tab ?? (may.change ? 'send' : 'clock')}
            onChange={(tab) =>
              void navigate({
                search: { ...selected, tab: tab === 'clock' ? 'clock' : 'send' },
                replace: true,
                resetScroll: false,
              })
            }
          >
            <Tabs.List grow mb="sm">
              <Tabs.Tab value="send">{t('page_phone.send')}</Tabs.Tab>
              <Tabs.Tab value="clock">{t('page_phone.clock')}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="send">
              <Send key={selected?.number} customer={selected} baseUrl={state.baseUrl} />
            </Tabs.Panel>
            <Tabs.Panel value="clock">
              <WorkspaceTimeMachine state={state} customer={selected} />
            </Tabs.Panel>
          </Tabs>
        </Paper>
        <Webhooks />
      </Stack>
    </Box>
  )
}

/**
 * The page opens with the newest chat. After a chat has been opened, new messages do not switch to another, and a phone
 * can go back to the list.
 */
function useNewestChat({ screen }: LivePhone, selected: Pair | undefined, select: (pair: Pair) => void): void {
  const newest = [...screen.chats.values()].at(-1)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (selected) wasOpen.current = true
    if (wasOpen.current || !newest) return
    select({ phone: newest.phone, number: newest.number })
  }, [newest, selected, select])
}
