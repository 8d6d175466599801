import { DEMO, demoAccount, type Emulator, FolderUnusable, startEmulator } from '../emulator/emulator.ts'
import { CannotStart } from './cannot-start.ts'
import type { Clock } from './clock.ts'
import { type Config, ROLES } from './config.ts'
import { type DemoReceiver, type ReceivedWebhook, startReceiver } from './demo/receiver.ts'
import { makeSetupLink } from './dashboard/links.ts'
import { openDemoSettings } from './demo/cod-settings.ts'
import { beginDemoDay, liveDemoDay } from './demo/day.ts'
import { type DayClock, dayClock } from './demo/day-clock.ts'
import { findDemoWorkspace, makeDemoWorkspace, openDemoEndpoint } from './demo/workspace.ts'
import { createLog } from './log.ts'
import { aborted, endingSignal, portTaken, type Serving, startServing } from './main.ts'
import { isSandbox } from './sandbox/move-clock.ts'
import { connectAccount } from './senders/accounts.ts'

/** `npm start`: all that `serve` runs, with a WhatsApp twin, a receiver of webhooks and a workspace to try them with. */
export async function startDemo(config: Config): Promise<void> {
  const signal = endingSignal()
  await using opened = new AsyncDisposableStack()
  const demo = await open(config, opened, signal)
  console.log(welcome(demo))
  demo.begin()
  await aborted(signal)
  console.log('\nStopping …')
  await opened.disposeAsync()
  console.log('Stopped. The next start finds everything again.')
}

type Demo = {
  serving: Serving
  /** From now on, what happens is told line by line. */
  begin(): void
  twinUrl: string
  webhooksUrl: string
  apiKey: string
  senderId: string
  workspaceId: string
  /** Undefined once there is an owner. */
  setupLink: string | undefined
  /** False for a demo workspace of an earlier release, whose clock does not move. */
  sandbox: boolean
}

async function open(given: Config, opened: AsyncDisposableStack, signal: AbortSignal): Promise<Demo> {
  const config = demoConfig(given)
  const clock = dayClock()
  const lines = printer()
  const places = { phone: `${config.publicUrl}/dashboard/` }
  const twin = opened.adopt(await startTwin(config, clock, places), (twin) => twin.close())
  const secret: { value?: string } = {}
  const receiver = opened.adopt(await startDemoReceiver(config, () => secret.value, lines), (receiver) =>
    receiver.close(),
  )
  const options = { signal, onClock: (real: Clock) => clock.follow(real) }
  const serving = opened.adopt(await startServing(config, createLog(config.logLevel), options), (serving) =>
    serving.stop(),
  )
  const { parts } = serving

  const found = await findDemoWorkspace(parts)
  if (!found) beginDemoDay(clock)
  const workspace = found ?? (await makeDemoWorkspace(parts))
  const { workspaceId, apiKey } = workspace
  secret.value = (await openDemoEndpoint(parts, workspace, receiver.url)).secret
  await openDemoSettings(parts, workspaceId)
  const account = await connectAccount(parts, { ...DEMO, workspaceId, wabaId: DEMO.accountId, graphUrl: twin.url })
  twin.changeAccount(DEMO.accountId, { callbackUrl: `${serving.url}${account.webhookPath}` })
  places.phone = `${config.publicUrl}/dashboard/w/${workspaceId}/phone`
  twin.begin() // what fell due since the last stop finds somebody who listens
  if (!found) {
    console.log('\nThis is the first start: the demo shop gets a day of customers, which takes some seconds …')
    const senderIds = account.senders.map(({ senderId }) => senderId)
    await liveDemoDay({ parts, clock, twin, workspaceId, apiKey, senderIds })
  }
  tellOfPhones(twin, lines)
  const sender = account.senders.find(({ phoneNumberId }) => phoneNumberId === DEMO.standardNumberId)
  return {
    serving,
    begin: () => lines.begin(),
    twinUrl: twin.url,
    webhooksUrl: receiver.url,
    apiKey,
    senderId: sender?.senderId ?? '',
    workspaceId,
    setupLink: await makeSetupLink(parts),
    sandbox: await isSandbox(parts.db, workspaceId),
  }
}

/** One process that does everything and talks to itself. The lines of a log that a machine collects stay out of it. */
const demoConfig = (config: Config): Config => ({
  ...config,
  roles: new Set(ROLES),
  allowPrivateWebhooks: true,
  logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel,
})

/** It keeps Doorcode's time, which the dashboard moves: what it tells must not be from tomorrow. */
async function startTwin({ twinPort, dataDir }: Config, clock: DayClock, places: { phone: string }): Promise<Emulator> {
  return startEmulator({
    port: twinPort,
    accounts: [demoAccount()],
    data: dataDir,
    warn: console.warn,
    waits: true,
    now: () => clock.now().getTime(),
    speed: () => clock.speed(),
    timeMachineAt: () => places.phone,
  }).catch((error: unknown) => {
    if (error instanceof FolderUnusable) throw new CannotStart(`${error.message} with DOORCODE_DATA_DIR`)
    throw portTaken(error, { host: '127.0.0.1', port: twinPort }, 'DOORCODE_TWIN_PORT') ?? error
  })
}

function tellOfPhones(twin: Emulator, { tell }: Lines): void {
  twin.onMessage(({ to, text }) => tell(`the phone ${to} shows: ${onOneLine(text)}`))
  twin.onInbound(({ from, did, text }) => tell(`the customer +${from} ${did}: ${onOneLine(text)}`))
}

/** On the port after the twin's. */
async function startDemoReceiver(
  { twinPort }: Config,
  secret: () => string | undefined,
  { tell }: Lines,
): Promise<DemoReceiver> {
  const port = twinPort + 1
  const onWebhook = ({ type, id, verified }: ReceivedWebhook): void =>
    tell(`webhook ${type} ${id}, ${verified ? 'its signature is right' : 'but its signature is WRONG'}`)
  return startReceiver({ port, secret, onWebhook }).catch((error: unknown) => {
    throw portTaken(error, { host: '127.0.0.1', port }, 'DOORCODE_TWIN_PORT') ?? error
  })
}

const onOneLine = (text: string): string => text.replaceAll('\n', ' ⏎ ')

type Lines = { tell: (line: string) => void; begin(): void }

/** What happens before the welcome is printed happens in silence. */
function printer(): Lines {
  let begun = false
  return {
    tell: (line) => begun && console.log(`${new Date().toISOString().slice(11, 19)}  ${line}`),
    begin() {
      begun = true
    },
  }
}

const RECIPIENT = '+34600111222'
/** The customer of the twin who wants another time (emulator/README.md). */
const RESCHEDULER = '+34600110703'
/** And the one who never answers: what its timers do is seen by moving the clock. */
const SILENT = '+34600110706'

function welcome(demo: Demo): string {
  const { serving, twinUrl, webhooksUrl, apiKey, senderId, workspaceId } = demo
  const { url, metricsUrl } = serving
  return `
Doorcode is ready. What it sends goes to a twin of WhatsApp in this process, and no further.

  Dashboard      ${demo.setupLink ?? `${url}/dashboard/`}
  API            ${url}/api/v1
  Reference      ${url}/docs
  WhatsApp twin  ${twinUrl}
  Webhooks       ${webhooksUrl}
  Metrics        ${metricsUrl === undefined ? 'off' : `${metricsUrl}/metrics`}
  Workspace      ${workspaceId}

Send a one-time code:

  curl -s ${url}/api/v1/otp/messages \\
    -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"to":"${RECIPIENT}","senderId":"${senderId}","template":{"name":"login_code","language":"en_US"},"code":"493817"}'

Ask a customer to confirm an order. This one wants another time; +346001107 with another end is somebody else:

  curl -s ${url}/api/v1/cod-confirmations \\
    -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"to":"${RESCHEDULER}","senderId":"${senderId}","template":{"name":"order_confirmation","language":"en"},"parameters":{"body":["Ana","A-1001","25 EUR"]},"reference":"A-1001"}'
${demo.sandbox ? timeMachine(demo) : ''}
See it on the phone:     ${twinUrl}/phone/, or on the page Phone of the dashboard
See its webhook arrive:  curl -s ${webhooksUrl}
See all that is known:   npm run -s doorcode -- explain <messageId or confirmationId>

Ctrl-C stops it.
`
}

const timeMachine = ({ workspaceId }: Demo): string => `
With ${SILENT}, who never answers, let a day pass, and the reminder and the deadline with it:

  npm run -s doorcode -- sandbox advance --workspace ${workspaceId} --by 1d
`
