import { parseArgs } from 'node:util'
import { DEMO } from './accounts/demo.ts'

type Setting = { flag: string; environment: string; standard: string; what: string }

/** Every setting of `npm run emulator`. A flag wins over the environment. The README repeats this table. */
export const SETTINGS = {
  port: setting('port', '4100', 'Port on 127.0.0.1; 0 takes a free one'),
  callbackUrl: setting('callback-url', '', 'Where webhooks go; without it none are sent'),
  appSecret: setting('app-secret', DEMO.appSecret, 'Key of the webhook signature'),
  accessToken: setting('access-token', DEMO.accessToken, 'Token that calls must bear'),
  verifyToken: setting('verify-token', DEMO.verifyToken, 'Token of the verification handshake'),
  speed: setting('speed', '1', 'Every delay is multiplied by this; 0 means no delay'),
  data: setting(
    'data',
    '',
    'Folder that keeps its state for the next start; without it all of it ends with the process',
  ),
} as const

export type Configuration = Record<keyof typeof SETTINGS, string> & { portNumber: number; speedFactor: number }

/** Reads flags and environment; throws one message that names every mistake. */
export function readConfiguration(args: string[], environment: NodeJS.ProcessEnv): Configuration {
  const rows = Object.entries(SETTINGS) as [keyof typeof SETTINGS, Setting][]
  const options = Object.fromEntries(rows.map(([, row]) => [row.flag, { type: 'string' as const }]))
  const values = readFlags(args, options)
  const read = Object.fromEntries(
    // An empty variable is one that is not set, as in `docker run -e WHATSAPP_EMULATOR_PORT=`.
    rows.map(([name, row]) => [name, values[row.flag] ?? (environment[row.environment] || row.standard)]),
  ) as Record<keyof typeof SETTINGS, string>
  const configuration = { ...read, portNumber: Number(read.port), speedFactor: Number(read.speed) }
  const mistakes = mistakesIn(configuration)
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  return configuration
}

/** A mistake, or `--help`, shows every flag. */
function readFlags(args: string[], options: Record<string, { type: 'string' }>) {
  try {
    return parseArgs({ args, options }).values
  } catch (fault) {
    const flags = Object.values(SETTINGS).map(({ flag, what }) => `  --${flag.padEnd(12)}  ${what}`)
    const mistake = args.includes('--help') ? [] : [(fault as Error).message, '']
    throw new Error([...mistake, 'Flags:', ...flags].join('\n'), { cause: fault })
  }
}

function mistakesIn({ portNumber, speedFactor, callbackUrl, port, speed, ...rest }: Configuration): string[] {
  const { appSecret, accessToken, verifyToken } = rest
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

function setting(flag: string, standard: string, what: string): Setting {
  return { flag, environment: `WHATSAPP_EMULATOR_${flag.toUpperCase().replace('-', '_')}`, standard, what }
}
