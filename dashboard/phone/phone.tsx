import { Anchor, Box, Button, Loader, Paper, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { Pair } from '../../emulator/phone/chats.ts'
import type { PhoneClock } from '../../emulator/phone/clock.ts'
import { Phone as PhoneScreen } from '../../emulator/phone/phone.tsx'
import { sourceThrough } from '../../emulator/phone/source.ts'
import { useScreen } from '../../emulator/phone/use-screen.ts'
import { type Answers, api } from '../api.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { useLive } from '../ui/live.ts'
import { Page } from '../ui/page.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useLanguage, useWords } from '../words.ts'
import style from './phone.module.css'
import { Send } from './send.tsx'
import { TimeMachine } from './time-machine.tsx'
import { Webhooks } from './webhooks.tsx'
import { phoneWords } from './words.ts'

export type PhoneState = Answers['phone']['state']

const PAGE = '/w/$workspaceId/phone'

export function Phone() {
  const text = useWords(phoneWords)
  const { sandbox } = useWorkspace()
  if (sandbox) return <SandboxPhone />
  return (
    <Page title={text.title}>
      <Empty
        action={<Button renderRoot={(props) => <Link {...props} to="/new-workspace" />}>{text.makeSandbox}</Button>}
      >
        {text.live}
      </Empty>
    </Page>
  )
}

function SandboxPhone() {
  const text = useWords(phoneWords)
  const live = useLive()
  const { workspaceId } = useWorkspace()
  const { data, error, refetch } = useQuery(api.phone.state.queryOptions({ workspaceId }))
  return (
    <Page title={text.title} about={text.about} live={live}>
      {data ? data.hasTwin ? <Beside state={data} /> : <NoTwin /> : !error && <Loader />}
      {error && !data && <Failed error={error} onAgain={() => void refetch()} />}
    </Page>
  )
}

function NoTwin() {
  const text = useWords(phoneWords)
  const { workspaceId } = useWorkspace()
  return (
    <Empty
      action={
        <Anchor renderRoot={(props) => <Link {...props} to="/w/$workspaceId/senders" params={{ workspaceId }} />}>
          {text.toSenders}
        </Anchor>
      }
    >
      {text.noTwin}
      <Text component="span" display="block" size="sm" mt="xs">
        {text.noTwinHow}
      </Text>
    </Empty>
  )
}

/** The phone, and beside it what can be sent or the clock, and the webhooks: all of it on one screen. */
function Beside({ state }: { state: PhoneState }) {
  const text = useWords(phoneWords)
  const may = useMay()
  const { workspaceId, timeZone } = useWorkspace()
  const { language } = useLanguage()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const source = useMemo(() => sourceThrough(`/dashboard/twin/${workspaceId}`), [workspaceId])
  const phone = useScreen(source)
  const { phone: customer, number } = search
  const selected = useMemo(() => (customer && number ? { phone: customer, number } : undefined), [customer, number])
  const select = useCallback(
    (pair: Pair | undefined) => void navigate({ search: pair ?? {}, replace: true, resetScroll: false }),
    [navigate],
  )
  const clock = useMemo((): PhoneClock => ({ timeZone, at: clockOf(state.moves) }), [state.moves, timeZone])
  return (
    <Box className={style.beside}>
      <div className={style.phone}>
        <PhoneScreen phone={phone} language={language} clock={clock} selected={selected} onSelect={select} />
      </div>
      <Stack gap="md" className={style.side}>
        <Paper withBorder p="md" pt={4}>
          <Tabs defaultValue={may.change ? 'send' : 'clock'}>
            <Tabs.List grow mb="sm">
              <Tabs.Tab value="send">{text.send}</Tabs.Tab>
              <Tabs.Tab value="clock">{text.clock}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="send">
              <Send key={selected?.number} customer={selected} baseUrl={state.baseUrl} />
            </Tabs.Panel>
            <Tabs.Panel value="clock">
              <TimeMachine state={state} customer={selected} />
            </Tabs.Panel>
          </Tabs>
        </Paper>
        <Webhooks />
      </Stack>
    </Box>
  )
}

/** What the workspace's clock showed at a real instant: its moves until then count. */
const clockOf =
  (moves: PhoneState['moves']) =>
  (real: Date): Date => {
    const made = moves.filter(({ movedAt }) => new Date(movedAt) <= real)
    return new Date(real.getTime() + made.reduce((sum, { byMs }) => sum + byMs, 0))
  }
