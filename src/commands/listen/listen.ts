import type { Config } from '../../lib/config.ts'
import { isUuid, newWebhookSecret, parseApiKey } from '../../lib/ids.ts'
import { asWritten } from '../../../locales/text.ts'
import { shutdownSignal } from '../../lib/shutdown-signal.ts'
import { UserError } from '../../lib/errors.ts'
import { type Call, type Command, InputError, type ReadValues } from '../command.ts'
import { flag, nonEmpty, optional, required, url } from '../inputs.ts'
import { instanceAt } from './instance.ts'
import { type Start, jsonOutput, textOutput } from './output.ts'
import { listen } from './run.ts'

const API_PATH = /^\/(api\/v1(\/events)?\/?)?$/

const origin = required('url', 'Address of the instance. Default: DOORCODE_PUBLIC_URL.', (text) => {
  const parsed = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (!parsed || !API_PATH.test(parsed.pathname) || parsed.search || parsed.hash || parsed.username || parsed.password)
    throw new InputError('must be the address of an instance without a path, such as https://doorcode.example.com')
  return parsed.origin
})

const LATEST = 'latest'
const position = required(
  'id',
  'Begin after the event with this webhook-id. Default: latest, which means new events only.',
  (text) => {
    if (text !== LATEST && !isUuid(text)) throw new InputError(`must be a webhook-id or "latest", not "${text}"`)
    return text.toLowerCase()
  },
)

const options = {
  forward: url('Where to send the webhooks, such as http://localhost:8080/webhooks.'),
  apiKey: optional(
    nonEmpty('key', 'An API key of the workspace. Default: DOORCODE_API_KEY, which other users cannot see.'),
  ),
  url: optional(origin),
  after: optional(position),
  fromStart: flag('Begin with the oldest event that is kept.'),
}

export const listenCommand: Command = {
  words: 'listen',
  example: '--forward http://localhost:8080/webhooks --url https://doorcode.example.com --api-key dck_…',
  summary:
    'Forward the events of a workspace, signed, to a server on this machine, until you press Ctrl-C. Works with any instance; --json prints one object per line.',
  options,
  work: { on: 'config', run: (config, call) => runListen(config, call, shutdownSignal()) },
}

/** Separate from the command for tests, which send no signals. */
export async function runListen(
  config: Config,
  { values, json, print, program }: Call,
  end: AbortSignal,
): Promise<void> {
  const {
    forward,
    after,
    fromStart,
    url: instanceUrl = config.publicUrl,
    apiKey = config.apiKey,
  } = values as ReadValues<typeof options>
  if (apiKey === undefined)
    throw new UserError(asWritten('Set DOORCODE_API_KEY or --api-key to a key of the workspace.'))
  if (!parseApiKey(apiKey))
    throw new UserError(asWritten('The API key is incomplete: a key is dck_, 12 characters, _ and 43 characters.'))
  if (after !== undefined && fromStart) throw new UserError(asWritten('Use either --after or --from-start, not both.'))
  const start: Start = fromStart
    ? { from: 'start' }
    : after === undefined || after === LATEST
      ? { from: 'now' }
      : { from: 'event', id: after }
  const secret = config.webhookSecret ?? newWebhookSecret()
  const output = (json ? jsonOutput : textOutput)({
    print,
    generatedSecret: config.webhookSecret === undefined ? secret : null,
    continueCommand: (position) =>
      [
        program,
        'listen',
        '--forward',
        quoted(forward),
        '--url',
        instanceUrl,
        position ? `--after ${position}` : '--from-start',
        ...(json ? ['--json'] : []),
      ].join(' '),
  })
  await listen({ instance: instanceAt(instanceUrl, apiKey), forward, secret, start, output }, end)
}

/** For a shell. */
const quoted = (text: string): string => (/^[\w:/.@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
