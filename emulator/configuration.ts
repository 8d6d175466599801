import { parseArgs } from 'node:util'

type Setting = { flag: string; environment: string; standard: string; what: string }

/** Every setting of `npm run emulator`. A flag wins over the environment. The README repeats this table. */
export const SETTINGS = {
  port: {
    flag: 'port',
    environment: 'WHATSAPP_TWIN_PORT',
    standard: '4100',
    what: 'Port on 127.0.0.1; 0 takes a free one',
  },
  callbackUrl: {
    flag: 'callback-url',
    environment: 'WHATSAPP_TWIN_CALLBACK_URL',
    standard: '',
    what: 'Where webhooks go; without it none are sent',
  },
  appSecret: {
    flag: 'app-secret',
    environment: 'WHATSAPP_TWIN_APP_SECRET',
    standard: 'demo0twin0app0secret',
    what: 'Key of the webhook signature',
  },
  accessToken: {
    flag: 'access-token',
    environment: 'WHATSAPP_TWIN_ACCESS_TOKEN',
    standard: 'EAAdemo0twin0access0token',
    what: 'Token that calls must bear',
  },
  verifyToken: {
    flag: 'verify-token',
    environment: 'WHATSAPP_TWIN_VERIFY_TOKEN',
    standard: 'demo-verify-token',
    what: 'Token of the verification handshake',
  },
  speed: {
    flag: 'speed',
    environment: 'WHATSAPP_TWIN_SPEED',
    standard: '1',
    what: 'Every delay is multiplied by this; 0 is at once',
  },
  data: {
    flag: 'data',
    environment: 'WHATSAPP_TWIN_DATA',
    standard: '',
    what: 'Folder in which it finds itself again after a restart; without it all ends with the process',
  },
} as const satisfies Record<string, Setting>

export type Configuration = Record<keyof typeof SETTINGS, string> & { portNumber: number; speedFactor: number }

/** Reads flags and environment; throws one message that names every mistake. */
export function readConfiguration(args: string[], environment: NodeJS.ProcessEnv): Configuration {
  const rows = Object.entries(SETTINGS) as [keyof typeof SETTINGS, Setting][]
  const options = Object.fromEntries(rows.map(([, row]) => [row.flag, { type: 'string' as const }]))
  const { values } = parseArgs({ args, options })
  const read = Object.fromEntries(
    rows.map(([name, row]) => [name, values[row.flag] ?? environment[row.environment] ?? row.standard]),
  ) as Record<keyof typeof SETTINGS, string>
  const configuration = { ...read, portNumber: Number(read.port), speedFactor: Number(read.speed) }
  const mistakes = mistakesIn(configuration)
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  return configuration
}

function mistakesIn({
  portNumber,
  speedFactor,
  callbackUrl,
  port,
  speed,
  appSecret,
  accessToken,
  verifyToken,
}: Configuration): string[] {
  const mistakes: string[] = []
  if (!Number.isInteger(portNumber) || portNumber < 0 || portNumber > 65_535)
    mistakes.push(`port: ${port} is not 0 to 65535`)
  if (!(speedFactor >= 0 && speedFactor <= 1_000)) mistakes.push(`speed: ${speed} is not 0 to 1000`)
  if (callbackUrl !== '' && !/^https?:$/.test(URL.parse(callbackUrl)?.protocol ?? '')) {
    mistakes.push(`callback-url: ${callbackUrl} is not an http or https URL`)
  }
  for (const [name, value] of Object.entries({ appSecret, accessToken, verifyToken })) {
    if (value.trim() === '') mistakes.push(`${name}: must not be empty`)
  }
  return mistakes
}
