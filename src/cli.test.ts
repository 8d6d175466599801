import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { startEmulator, demoAccount, DEMO } from '../emulator/emulator.ts'
import { fileDatabase } from '../test/database.ts'
import { startReceiver } from '../test/receiver.ts'
import { runCommandLine } from './cli.ts'
import { commands } from './commands/table.ts'

const UNKNOWN = '019f0000-0000-7000-8000-000000000000'

/** The arguments, and what they are told. */
const mistakes: readonly [string, RegExp][] = [
  ['', /which command\? "doorcode --help" lists them/],
  ['frobnicate', /there is no command "frobnicate"/],
  [
    'workspace',
    /: say which: "workspace create" or "workspace allowance"\nUsage: doorcode workspace create .*\n {7}doorcode workspace allowance /,
  ],
  [
    'account nope',
    /no command "account nope"; there are "account connect" and "account sync"\nUsage: .*connect.*\n.*account sync <accountId> \[--json\]$/,
  ],
  [
    'endpoint nope',
    /"endpoint add", "endpoint list", .*"endpoint rotate" and "endpoint resend"\n(.*\n){7}.*endpoint resend/,
  ],
  ['sandbox', /the command is "sandbox advance"\nUsage: doorcode sandbox advance /],
  ['sandbox stop', /there is no command "sandbox stop"; there is "sandbox advance"/],
  ['workspace create', /--name is missing\nUsage: doorcode workspace create --name N \[--sandbox\]/],
  ['workspace create --name', /--name needs a value/],
  ['workspace create --name=', /--name must be 1 to 100 characters on one line/],
  [`workspace create --name ${'x'.repeat(101)}`, /--name must be 1 to 100 characters/],
  ['workspace create --name A --name B', /--name is given twice/],
  ['workspace create --name A --sandbox=yes', /--sandbox takes no value/],
  ['workspace create --name A --colour red', /there is no option --colour/],
  ['workspace create --name A extra', /one word is too many/],
  ['workspace allowance --workspace 7', /--workspace must be a UUID, not "7"/],
  [
    `workspace allowance --workspace ${UNKNOWN} --otp -5`,
    /--otp must be a whole number from 0 to 2147483647, not "-5"/,
  ],
  [`workspace allowance --workspace ${UNKNOWN} --otp 1e3`, /--otp must be a whole number/],
  [`workspace allowance --workspace ${UNKNOWN} --otp 2147483648`, /--otp must be a whole number/],
  [`workspace allowance --workspace ${UNKNOWN} --otp 5`, /no workspace has the id/],
  [`key create --workspace ${UNKNOWN} --name k`, /no workspace has the id/],
  ['key revoke', /<publicId> is missing/],
  ['key revoke UPPERCASE123', /<publicId> must be the 12 characters/],
  ['key revoke abcdefghijkl', /no API key has the public id abcdefghijkl/],
  [`block add --workspace ${UNKNOWN} --phone 0612345678`, /--phone must be a phone number in international form/],
  [`block add --workspace ${UNKNOWN} --phone +34600111222`, /no workspace has the id/],
  [`endpoint add --workspace ${UNKNOWN} --url ftp://a.example`, /--url must be a URL that begins with https:/],
  [`endpoint add --workspace ${UNKNOWN} --url https://a.example`, /no workspace has the id/],
  [`endpoint list --workspace ${UNKNOWN}`, /no workspace has the id/],
  [`endpoint ping ${UNKNOWN}`, /There is no endpoint/],
  [`endpoint pause ${UNKNOWN}`, /There is no endpoint/],
  [`endpoint resume ${UNKNOWN}`, /There is no endpoint/],
  [`endpoint enable ${UNKNOWN}`, /There is no endpoint/],
  [`endpoint rotate ${UNKNOWN}`, /There is no endpoint/],
  [`endpoint resend ${UNKNOWN}`, /There is no endpoint/],
  ['endpoint resend x', /<endpointId> must be a UUID, not "x"/],
  [`endpoint resend ${UNKNOWN} --since yesterday`, /--since must be a time with its zone, .*, not "yesterday"/],
  [`endpoint resend ${UNKNOWN} --since 2026-12-01T09:00:00`, /--since must be a time with its zone/],
  [`endpoint resend ${UNKNOWN} --until 2026-02-30T09:00:00Z`, /--until must be a time with its zone/],
  [`endpoint resend ${UNKNOWN} --type sms.sent`, /--type must be one of message\.sent, .*, ping, not "sms\.sent"/],
  [`endpoint resend ${UNKNOWN} --status pending`, /--status must be one of failed, held, succeeded, not "pending"/],
  [
    `endpoint resend ${UNKNOWN} --since 2026-12-02T00:00Z --until 2026-12-01T00:00Z`,
    /--since must be earlier than --until/,
  ],
  [`endpoint resend ${UNKNOWN} --event ${UNKNOWN} --count`, /--event chooses one event alone/],
  [`sender list --workspace ${UNKNOWN}`, /no workspace has the id/],
  [`sender pause ${UNKNOWN}`, /There is no sender .*"sender list"/],
  [`sender resume ${UNKNOWN}`, /There is no sender/],
  [`account sync ${UNKNOWN}`, /No account has the id/],
  [
    `account connect --workspace ${UNKNOWN} --waba-id 1`,
    /--access-token is missing\n.*--app-secret is missing\n.*--verify-token is missing/,
  ],
  [`explain ${UNKNOWN}`, /No confirmation, message or event has the id/],
  ['explain', /<id> is missing/],
]

for (const [args, told] of mistakes) {
  test(`"${args.slice(0, 80)}" is refused with what is wrong, in words and as a problem`, async () => {
    const words = args.split(' ').filter(Boolean)
    const spoken = await run(words)
    assert.deepEqual([spoken.code, spoken.stdout], [1, ''])
    assert.match(spoken.stderr, told)

    const { code, stdout, stderr } = await run([...words, '--json'])
    assert.deepEqual([code, stdout], [1, ''])
    const problem = JSON.parse(stderr) as Record<string, unknown>
    const members = ['code', 'correlationId', 'detail', 'instance', 'status', 'title', 'type']
    assert.deepEqual(Object.keys(problem).sort(), members)
    assert.equal(problem['instance'], `urn:uuid:${String(problem['correlationId'])}`)
    assert.ok(Number(problem['status']) < 500, stderr)
  })
}

const missing = [
  `workspace allowance --workspace ${UNKNOWN}`,
  `account sync ${UNKNOWN}`,
  `account connect --workspace ${UNKNOWN} --waba-id 12345 --access-token T --app-secret S --verify-token V`,
  `sender pause ${UNKNOWN}`,
  `endpoint add --workspace ${UNKNOWN} --url https://a.example`,
  `endpoint ping ${UNKNOWN}`,
  'key revoke abcdefghijkl',
  'person link nobody@shop.example',
  `explain ${UNKNOWN}`,
]

for (const args of missing) {
  test(`"${args.slice(0, 40)}" is told that it is not found, as a program reads it`, async () => {
    assert.deepEqual(await codeOf(args.split(' ')), ['NOT_FOUND', 404])
  })
}

test('a program can tell its own mistake from a WhatsApp that does not answer, and from settings that are not made', async () => {
  const { stdout } = await run(['workspace', 'create', '--name', 'Shop', '--json'])
  const { workspaceId } = JSON.parse(stdout) as { workspaceId: string }
  const secrets = '--access-token T --app-secret S --verify-token V --graph-url http://127.0.0.1:1'.split(' ')
  const connect = (wabaId: string): string[] => [
    'account',
    'connect',
    '--workspace',
    workspaceId,
    '--waba-id',
    wabaId,
    ...secrets,
  ]
  assert.deepEqual(await codeOf(connect('12345')), ['SERVICE_UNAVAILABLE', 503])
  assert.match((await run(connect('12345'))).stderr, /^WhatsApp could not be asked: .*ECONNREFUSED/)
  assert.deepEqual(await codeOf(connect('my shop')), ['DEVELOPER_INVALID_INPUT', 422])
  const settings = ['cod-settings', 'get', '--workspace', workspaceId]
  assert.deepEqual(await codeOf(settings), ['COD_NOT_CONFIGURED', 409])
})

async function codeOf(words: readonly string[]): Promise<unknown[]> {
  const { stderr } = await run([...words, '--json'])
  const { code, status } = JSON.parse(stderr) as Record<string, unknown>
  return [code, status]
}

test('a mistake on the command line is told before anything is opened or made', async (t) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-cli-'))
  t.after(() => rm(folder, { recursive: true }))
  const environment = { DOORCODE_DATA_DIR: folder }
  const { code } = await run(['workspace', 'create', '--name', ''], environment)
  assert.equal(code, 1)
  assert.deepEqual(await readdir(folder), [])
})

test('mistakes of the configuration are told all at once', async () => {
  const { code, stderr } = await run(['workspace', 'create', '--name', 'A'], {
    DOORCODE_PORT: 'x',
    DOORCODE_ROLES: 'boss',
  })
  assert.equal(code, 1)
  assert.match(stderr, /2 mistakes:\n {2}DOORCODE_PORT .*\n {2}DOORCODE_ROLES/)
})

test('no secret of the command line comes back in a mistake', async () => {
  const words = [
    'account',
    'connect',
    '--workspace',
    'x',
    '--access-token',
    'hidden1',
    'hidden2',
    '--appsecret',
    'hidden3',
  ]
  const { stderr } = await run([...words, '--json'])
  assert.doesNotMatch(stderr, /hidden/)
})

test('every command and every noun explains itself', async () => {
  for (const { words } of commands) {
    const { code, stdout } = await run([...words.split(' '), '--help'])
    assert.equal(code, 0)
    assert.match(stdout, new RegExp(`^ {2}${words}`, 'm'))
  }
  assert.match((await run(['key', '--help'])).stdout, /key create.*[\s\S]*key revoke/)
})

test('a workspace is set up from nothing to its first webhook', async (t) => {
  const json = async (...words: string[]): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await run([...words, '--json'])
    assert.equal(code, 0, stderr)
    assert.equal(stderr, '')
    return JSON.parse(stdout) as Record<string, unknown>
  }
  const twin = await startEmulator({ speed: 0, accounts: [demoAccount()] })
  const receiver = await startReceiver()
  t.after(() => Promise.all([twin.close(), receiver.close()]))

  const workspace = String((await json('workspace', 'create', '--name', 'Shop'))['workspaceId'])
  assert.deepEqual(await json('workspace', 'allowance', '--workspace', workspace, '--otp', '5'), {
    workspaceId: workspace,
    otp: 5,
    codConfirmations: 10_000,
    codRefusals: 10_000,
  })
  const key = await json('key', 'create', '--workspace', workspace.toUpperCase(), '--name', 'backend')
  assert.match(String(key['apiKey']), new RegExp(`^dck_${String(key['publicId'])}_`))

  const secrets = ['--access-token', DEMO.accessToken, '--app-secret', DEMO.appSecret, '--verify-token', 'v']
  const to = ['--workspace', workspace, '--waba-id', DEMO.accountId, '--graph-url', twin.url]
  const account = await json('account', 'connect', ...to, ...secrets)
  assert.equal(account['webhookPath'], `/whatsapp/${String(account['accountId'])}`)
  assert.deepEqual(Object.keys((account['senders'] as object[])[0] ?? {}).sort(), [
    'phoneNumber',
    'phoneNumberId',
    'senderId',
    'status',
  ])
  assert.deepEqual(await json('account', 'sync', String(account['accountId'])), account)
  const told = async (publicUrl: string): Promise<string> => {
    const environment = { ...(await surroundings()), DOORCODE_PUBLIC_URL: publicUrl }
    return (await run(['account', 'sync', String(account['accountId'])], environment)).stdout
  }
  assert.match(
    await told('https://codes.example'),
    /sends its webhooks to https:\/\/codes\.example\/whatsapp\/[\w-]+\.$/m,
  )
  assert.match(await told('http://127.0.0.1:3000'), /webhooks to http:\/\/127.* set DOORCODE_PUBLIC_URL/)

  const { endpointId } = await json('endpoint', 'add', '--workspace', workspace, '--url', receiver.url)
  const ping = await json('endpoint', 'ping', String(endpointId))
  assert.deepEqual([ping['status'], ping['httpStatus']], ['succeeded', 204])
  assert.equal(receiver.events('ping').length, 1)
  const explained = await json('explain', String(ping['eventId']))
  assert.deepEqual(explained['next'], {
    who: 'nobody',
    sentence: 'Nobody must act: the event has reached every endpoint that it was for.',
  })

  await json('endpoint', 'pause', String(endpointId))
  await json('endpoint', 'resume', String(endpointId))
  const again = ['resend', String(endpointId), '--event', String(ping['eventId'])]
  assert.deepEqual(await json('endpoint', ...again), { endpointId, events: 1, resent: true })
  const [sender] = (await json('sender', 'list', '--workspace', workspace))['senders'] as Record<string, unknown>[]
  const { senderId } = (account['senders'] as { senderId: string }[])[0] ?? {}
  assert.deepEqual([sender?.['senderId'], sender?.['unavailable']], [senderId, null])
  assert.equal((await json('sender', 'pause', String(senderId)))['paused'], true)

  assert.equal((await json('block', 'add', '--workspace', workspace, '--phone', '+34 600 111 222'))['changed'], true)
  assert.equal((await json('block', 'remove', '--workspace', workspace, '--phone', '+34600111222'))['changed'], true)
  assert.equal((await json('key', 'revoke', String(key['publicId'])))['revoked'], true)
})

const surroundings = async (): Promise<Record<string, string>> => ({
  DATABASE_URL: await fileDatabase(),
  DOORCODE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
})

async function run(args: readonly string[], environment?: Record<string, string>) {
  const written = { stdout: '', stderr: '' }
  const code = await runCommandLine(args, {
    environment: environment ?? (await surroundings()),
    stdout: (text) => (written.stdout += text),
    stderr: (text) => (written.stderr += text),
  })
  return { code, ...written }
}
