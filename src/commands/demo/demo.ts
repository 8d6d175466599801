import { DEMO, type Emulator, FolderError, shopAccount, startEmulator } from '@doorcode/whatsapp-emulator'
import { StartupError } from '../../lib/errors.ts'
import { type Clock, SECOND_MS, systemClock } from '../../lib/clock.ts'
import { type Config, ROLES } from '../../lib/config.ts'
import { type ReceivedWebhook, startDemoReceiver } from './receiver.ts'
import { createSetupLink } from '../../admin/auth/links.ts'
import { requestDemoMonth, waitForMonth } from './month.ts'
import { assertDemoDatabase, createDemoWorkspace, ensureDemoEndpoint, findDemoWorkspace } from './workspace.ts'
import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '../../lib/db/pool.ts'
import { createLog } from '../../lib/log.ts'
import { shutdownSignal } from '../../lib/shutdown-signal.ts'
import { serverPorts, startServing, stopAfterLoss, waitForEnd } from '../serve.ts'
import { type PortSetting, findPortFaults, throwListenError, throwPortFaults } from '../../runtime/start/ports.ts'
import { claimFolder } from '../../runtime/start/running.ts'
import { connectAccount, readAccount } from '../../accounts/accounts.ts'
import { type RequestExample, tryFragment } from '../../api/docs/try.ts'
import { takeOver } from '../../accounts/take-over.ts'
import { visibleText } from '../../../locales/visible-text.ts'

/**
 * `npm start`: what `serve` runs, with a WhatsApp emulator, a receiver of webhooks and a demo workspace. `program`: how the user
 * calls it, for commands to copy.
 */
export async function startDemo(config: Config, program: string): Promise<void> {
  const signal = shutdownSignal()
  await using resources = new AsyncDisposableStack()
  const demo = await open({ base: config, program }, resources, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  if (!demo) {
    await resources.disposeAsync()
    return console.log('\nStopped.')
  }
  console.log(welcome(demo))
  if (!demo.isMonthOver()) console.log(MONTH_IS_MADE)
  void demo.monthIsOver.then(() => {
    if (!signal.aborted) console.log(commandsToTry(demo, program))
    return demo.startLines()
  })
  await waitForEnd(signal, demo.serving)
  if (demo.serving.lost.aborted) await stopAfterLoss(demo.serving, () => resources.disposeAsync())
  console.log('\nStopping …')
  await resources.disposeAsync()
  console.log('Stopped. The next start continues with the same data.')
}

/** A fast machine finishes the month in this time. On others the start does not wait longer, and the pages show how far it is. */
const MAX_MONTH_WAIT_MS = 8 * SECOND_MS

type Demo = Awaited<ReturnType<typeof open>>

async function open(
  { base, program }: { base: Config; program: string },
  resources: AsyncDisposableStack,
  signal: AbortSignal,
) {
  resources.use(await claimFolder(base.dataDir, { pid: process.pid, url: base.publicUrl }))
  const config = await withFreePorts(demoConfig(base))
  let clock = systemClock
  const lines = createLines()
  const links = { phone: `${config.publicUrl}/dashboard/` }
  const emulator = await startDemoEmulator(config, () => clock, links)
  resources.defer(() => emulator.close())
  const secret: { value?: string } = {}
  const receiver = await startReceiver(config, () => secret.value, lines)
  resources.defer(() => receiver.close())
  const check = (db: Db): Promise<void> => assertDemoDatabase(db, { ...config, program })
  let example: RequestExample | undefined
  const options = { signal, onClock: (real: Clock) => (clock = real), check, example: () => example }
  const serving = await startServing(config, createLog(config.logLevel), options)
  resources.defer(() => serving.stop())
  const { parts } = serving
  signal.throwIfAborted()

  const existing = await findDemoWorkspace(parts)
  const workspace = existing ?? (await createDemoWorkspace(parts))
  const { workspaceId, apiKey } = workspace
  secret.value = (await ensureDemoEndpoint(parts, workspace, receiver.url)).secret
  const credentials = { ...DEMO, workspaceId, wabaId: DEMO.accountId, graphUrl: emulator.url }
  // A former demo workspace, whose key was revoked, may still have the account.
  const reading = await readAccount(parts, credentials, { takesOver: true })
  const { connected: account } = await parts.db.transaction(async (tx) => {
    await takeOver(tx, parts, reading)
    return connectAccount(tx, parts, reading)
  })
  parts.wake('submit')
  emulator.changeAccount(DEMO.accountId, { callbackUrl: `${serving.url}${account.webhookPath}` })
  links.phone = `${config.publicUrl}/dashboard/w/${workspaceId}/phone`
  emulator.begin() // only now: the webhooks that fell due since the last stop need the server
  await requestDemoMonth(parts, workspaceId)
  let isMonthOver = false
  const monthIsOver = waitForMonth(parts, workspaceId, signal).finally(() => {
    isMonthOver = true
  })
  const ready = Promise.all([
    serving.pagesReady,
    Promise.race([monthIsOver, wait(MAX_MONTH_WAIT_MS, undefined, { ref: false })]),
  ])
  await Promise.race([ready, waitForEnd(signal, serving)])
  signal.throwIfAborted()
  emulator.onMessage(({ to, text, behaviour }) => {
    const happens = behaviour.failed === undefined ? `the phone ${to} shows` : `WhatsApp does not deliver to ${to}`
    lines.print(`${happens}: ${text}`)
  })
  emulator.onInbound(({ from, did, text }) => lines.print(`the customer +${from} ${did}: ${text}`))
  const sender = account.senders.find(({ phoneNumberId }) => phoneNumberId === DEMO.standardNumberId)
  const senderId = sender?.senderId ?? ''
  example = { senderId, template: OTP_TEMPLATE }
  return {
    serving,
    /** Resolves when the month of the first start is over, or the start ends. */
    monthIsOver,
    isMonthOver: () => isMonthOver,
    /** Starts printing each message and webhook as a line. */
    startLines: lines.start,
    emulatorUrl: emulator.url,
    webhooksUrl: receiver.url,
    apiKey,
    senderId,
    referenceUrl: `${serving.url}/docs${tryFragment(example, apiKey)}`,
    workspaceId,
    /** Undefined if an owner exists. */
    setupLink: await createSetupLink(parts),
  }
}

/** All roles in one process, which sends webhooks to itself. Log lines at `info` would hide the demo's own. */
const demoConfig = (config: Config): Config => ({
  ...config,
  roles: new Set(ROLES),
  allowPrivateWebhooks: true,
  logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel,
})

/** A demo can do without metrics. Throws StartupError if another port is taken. */
async function withFreePorts(config: Config): Promise<Config> {
  const [ofServer, ofMetrics] = serverPorts(config)
  const faults = await findPortFaults([ofServer, emulatorPorts(config), ...(ofMetrics ? [ofMetrics] : [])])
  throwPortFaults(faults.filter(({ setting }) => setting !== 'DOORCODE_METRICS_PORT'))
  for (const { sentence } of faults) console.log(`Metrics are off: ${sentence}`)
  return faults.length > 0 ? { ...config, metricsPort: 0 } : config
}

/** The emulator listens nowhere else: it shows one-time codes. */
const EMULATOR_HOST = '127.0.0.1'

const emulatorPorts = ({ emulatorPort: port }: Config): PortSetting => ({
  setting: 'DOORCODE_EMULATOR_PORT',
  host: EMULATOR_HOST,
  port,
  uses: ['WhatsApp emulator', 'webhook receiver'],
})

/** It runs on Doorcode's clock, so that its times are never later than Doorcode's. */
const startDemoEmulator = (
  { emulatorPort, dataDir }: Config,
  clock: () => Clock,
  links: { phone: string },
): Promise<Emulator> =>
  startEmulator({
    port: emulatorPort,
    accounts: [shopAccount()],
    data: dataDir,
    warn: console.warn,
    waits: true,
    now: () => clock().now().getTime(),
    timeMachineAt: () => links.phone,
  }).catch((error: unknown) => {
    if (error instanceof FolderError) throw new StartupError(`${error.message} with DOORCODE_DATA_DIR.`)
    return throwPortError(emulatorPort)(error)
  })

const throwPortError = (port: number) => throwListenError({ host: EMULATOR_HOST, port }, 'DOORCODE_EMULATOR_PORT')

/** Listens on the port after the emulator's. */
function startReceiver({ emulatorPort }: Config, secret: () => string | undefined, { print }: Lines) {
  const port = emulatorPort + 1
  const onWebhook = ({ type, id, verified }: ReceivedWebhook): void =>
    print(`webhook ${type} ${id}, ${verified ? 'signature valid' : 'signature INVALID'}`)
  return startDemoReceiver({ port, secret, onWebhook }).catch(throwPortError(port))
}

type Lines = { print: (line: string) => void; start: () => void }

/** Prints nothing until `start`, so that no line comes before the welcome. */
function createLines(): Lines {
  let started = false
  return {
    print: (line) => started && console.log(`${new Date().toISOString().slice(11, 19)}  ${visibleText(line)}`),
    start: () => void (started = true),
  }
}

/** What is sent meanwhile gets a day of that month, and its deadline passes within seconds. */
const MONTH_IS_MADE = `The month of customers takes a minute or more on this machine. The pages show how far it is. Commands to try follow when
it is complete: what you send before expires too early.
`

const RECIPIENT = '+34600111222'
const OTP_TEMPLATE = { name: 'login_code', language: 'en_US' }
/** Customers of the emulator (packages/whatsapp-emulator/README.md). */
const CONFIRMER = '+34600110701'
const CANCELLER = '+34600110702'
const RESCHEDULER = '+34600110703'
const SILENT = '+34600110706'

function welcome({ serving, emulatorUrl, webhooksUrl, setupLink, referenceUrl, workspaceId }: Demo): string {
  const { url, metricsUrl } = serving
  return `
Doorcode is ready. No message leaves this process: an emulator stands in for WhatsApp.

  Dashboard          ${setupLink ?? `${url}/dashboard/`}
  API                ${url}/api/v1
  API reference      ${referenceUrl}
  WhatsApp emulator  ${emulatorUrl}
  Webhooks           ${webhooksUrl} (shows the webhooks that it received)
  Metrics            ${metricsUrl === undefined ? 'off' : `${metricsUrl}/metrics`}
  Workspace          ${workspaceId}

Press Ctrl-C to stop.
`
}

function commandsToTry({ serving: { url }, apiKey, senderId, workspaceId }: Demo, program: string): string {
  return `Send a one-time code, and see it on the Phone page of the dashboard:

  curl -s ${url}/api/v1/otp/messages \\
    -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"to":"${RECIPIENT}","senderId":"${senderId}",
         "template":${JSON.stringify(OTP_TEMPLATE)},"code":"493817"}'

Ask a customer to confirm an order. ${RESCHEDULER} asks for another time, ${CONFIRMER} confirms, and ${CANCELLER} cancels:

  curl -s ${url}/api/v1/cod-confirmations \\
    -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"to":"${RESCHEDULER}","senderId":"${senderId}",
         "template":{"name":"order_confirmation","language":"en"},
         "parameters":{"body":["Ana","A-1001","25 EUR"]},"reference":"A-1001"}'

See what happened to a message or an order:

  ${program} explain <messageId or confirmationId>

Ask ${SILENT}, who never answers. Then let a day pass, with its reminder and deadline:

  ${program} sandbox advance --workspace ${workspaceId} --by 1d
`
}
