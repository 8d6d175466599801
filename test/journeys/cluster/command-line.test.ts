import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { startEmulator, demoAccount, DEMO } from '@doorcode/whatsapp-emulator'
import { findClosedFolder } from '../../../src/runtime/start/embedded-postgres/system-user.ts'
import { fileDatabase } from '../../database/database.ts'
import { runProgram } from '../../programs/program.ts'
import { environmentOf, runCommand } from '../../world/command-line.ts'
import { startReceiver } from '../../world/receiver.ts'
import { temporaryFolder } from '../../world/temporary-folder.ts'
import { newPhone, startWorld } from '../../world/world.ts'
import { parse } from '../../../src/commands/line/parse.ts'
import { commands, groups } from '../../../src/commands/table.ts'
import { withTimeout } from '../../../src/lib/with-timeout.ts'
import { blockRecipients } from '../../../src/workspaces/blocked.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const UNKNOWN = '019f0000-0000-7000-8000-000000000000'

/** The arguments, and the error. */
const mistakes: readonly [string, RegExp][] = [
  ['', /no command given; "doorcode --help" lists the commands/],
  ['frobnicate', /unknown command 'frobnicate'; "doorcode --help" lists the commands/],
  ['workspcae', /unknown command 'workspcae' \(Did you mean workspace\?\); "doorcode --help" lists the commands\n?$/],
  [
    'workspace',
    /no command given; "doorcode workspace --help" lists the commands[^]*\n {2}create +Create a workspace\.\n {2}list /,
  ],
  [
    'account nope',
    /unknown command 'nope'; "doorcode account --help" lists the commands[^]*\n {2}connect .*[^]*\n {2}sync /,
  ],
  ['endpoint lst', /unknown command 'lst' \(Did you mean list\?\); "doorcode endpoint --help" lists the commands\n?$/],
  ['workspace create', /--name is missing\n\nUsage: doorcode workspace create --name <name> \[--sandbox\]/],
  ['workspace create --name', /option '--name <name>' argument missing/],
  ['workspace create --name --sandbox', /--name needs a value/],
  ['workspace create --name=', /--name must be 1 to 100 characters on one line/],
  [`workspace create --name ${'x'.repeat(101)}`, /--name must be 1 to 100 characters/],
  ['workspace create --name A --name B', /--name was given twice/],
  ['workspace create --name A --sandbox=yes', /unknown option '--sandbox' with a value/],
  ['workspace create --name A --colour red', /unknown option '--colour'/],
  ['workspace create --nme A', /unknown option '--nme' \(Did you mean --name\?\)/],
  ['workspace create --name A extra', /too many arguments/],
  ['workspace quota --workspace 7', /--workspace must be a UUID, not "7"/],
  [`workspace quota --workspace ${UNKNOWN} --otp -5`, /--otp must be a whole number from 0 to 2147483647, not "-5"/],
  [`workspace quota --workspace ${UNKNOWN} --otp 1e3`, /--otp must be a whole number/],
  [`workspace quota --workspace ${UNKNOWN} --otp 2147483648`, /--otp must be a whole number/],
  ['key revoke', /<publicId> is missing/],
  ['key revoke UPPERCASE123', /<publicId> must be the 12 characters/],
  [`block add --workspace ${UNKNOWN} --phone 0612345678`, /--phone must be a phone number in international format/],
  [`endpoint add --workspace ${UNKNOWN} --url ftp://a.example`, /--url must be a complete URL, such as https:/],
  ['endpoint resend x', /<endpointId> must be a UUID, not "x"/],
  [`endpoint resend ${UNKNOWN} --since yesterday`, /--since must be a time with a time zone, .*, not "yesterday"/],
  [`endpoint resend ${UNKNOWN} --since 2026-12-01T09:00:00`, /--since must be a time with a time zone/],
  [`endpoint resend ${UNKNOWN} --until 2026-02-30T09:00:00Z`, /--until must be a time with a time zone/],
  [`endpoint resend ${UNKNOWN} --type sms.sent`, /--type must be one of message\.sent, .*, ping, not "sms\.sent"/],
  [`endpoint resend ${UNKNOWN} --status lost`, /--status must be one of failed, held, succeeded, pending, not "lost"/],
  [
    `endpoint resend ${UNKNOWN} --since 2026-12-02T00:00Z --until 2026-12-01T00:00Z`,
    /--since must be earlier than --until/,
  ],
  [`endpoint resend ${UNKNOWN} --event ${UNKNOWN} --count`, /--event selects a single event/],
  [
    `account connect --workspace ${UNKNOWN} --waba-id 1`,
    /--access-token-file is missing\n.*--app-secret-file is missing\n.*--verify-token-file is missing/,
  ],
  ['explain', /<id> is missing/],
  ['backup', /<file> is missing/],
  ['backup /missing-folder/x', /The folder \/missing-folder does not exist/],
  ['restore /missing-file', /There is no file \/missing-file/],
  ['restore package.json', /package\.json is not a backup that Doorcode made/],
]

/** The same, of what does not exist: NOT_FOUND. */
const missing = new Map([
  [`workspace quota --workspace ${UNKNOWN} --otp 5`, /No workspace has the id/],
  [`workspace delete ${UNKNOWN} --name Shop`, /No workspace has the id/],
  [`workspace restore ${UNKNOWN}`, /No workspace has the id/],
  [`key create --workspace ${UNKNOWN} --name k`, /No workspace has the id/],
  ['key revoke abcdefghijkl', /no API key has the public id abcdefghijkl/],
  [`block add --workspace ${UNKNOWN} --phone +34600111222`, /No workspace has the id/],
  [`endpoint add --workspace ${UNKNOWN} --url https://a.example`, /No workspace has the id/],
  [`endpoint list --workspace ${UNKNOWN}`, /No workspace has the id/],
  [`endpoint ping ${UNKNOWN}`, /There is no endpoint/],
  [`endpoint pause ${UNKNOWN}`, /There is no endpoint/],
  [`endpoint resume ${UNKNOWN}`, /There is no endpoint/],
  [`endpoint enable ${UNKNOWN}`, /There is no endpoint/],
  [`endpoint rotate ${UNKNOWN}`, /There is no endpoint/],
  [`endpoint resend ${UNKNOWN}`, /There is no endpoint/],
  [`sender list --workspace ${UNKNOWN}`, /No workspace has the id/],
  [`sender pause ${UNKNOWN}`, /There is no sender .*“doorcode sender list”/],
  [`sender resume ${UNKNOWN}`, /There is no sender/],
  [`account sync ${UNKNOWN}`, /No account has the id/],
  [`account delete ${UNKNOWN} --waba-id 1`, /No account has the id/],
  [`quarantine list --workspace ${UNKNOWN}`, /No workspace has the id/],
  [`quarantine release ${UNKNOWN}`, /Nothing with the id .* is quarantined. “doorcode quarantine list”/],
  [`explain ${UNKNOWN}`, /No confirmation, message or event has the id/],
  [
    `account connect --workspace ${UNKNOWN} --waba-id 102290129340398 --access-token T --app-secret S --verify-token V`,
    /No workspace has the id/,
  ],
  ['person link nobody@shop.example', /no person/i],
])

for (const [args, expected] of [...mistakes, ...missing]) {
  test(`"${args.slice(0, 80)}" is rejected with the reason, as text and as a problem`, async () => {
    const words = args.split(' ').filter(Boolean)
    const plain = await run(words)
    assert.deepEqual([plain.code, plain.stdout], [1, ''])
    assert.match(plain.stderr, expected)

    const { code, stdout, stderr } = await run([...words, '--json'])
    assert.deepEqual([code, stdout], [1, ''])
    const problem = JSON.parse(stderr) as Record<string, unknown>
    const members = ['code', 'correlationId', 'detail', 'instance', 'status', 'title', 'type']
    assert.deepEqual(Object.keys(problem).sort(), members)
    assert.equal(problem['instance'], `urn:uuid:${String(problem['correlationId'])}`)
    assert.ok(Number(problem['status']) < 500, stderr)
    if (missing.has(args)) assert.deepEqual([problem['code'], problem['status']], ['NOT_FOUND', 404])
  })
}

test('codes tell apart invalid input, an unreachable WhatsApp and missing settings', async () => {
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
  assert.deepEqual(await codeOf(connect('102290129340398')), ['SERVICE_UNAVAILABLE', 503])
  assert.match((await run(connect('102290129340398'))).stderr, /^WhatsApp could not be reached: .*ECONNREFUSED/)
  assert.deepEqual(await codeOf(connect('123')), ['DEVELOPER_INVALID_INPUT', 422])
  assert.match((await run(connect('123'))).stderr, /^The WhatsApp Business Account ID must be 15 to 17 digits\./)
  const settings = ['cod-settings', 'get', '--workspace', workspaceId]
  assert.deepEqual(await codeOf(settings), ['COD_NOT_CONFIGURED', 409])
})

test('an error quotes input with its terminal escapes made visible', async () => {
  const { stderr } = await run(['frob\u001b[2J\rnicate'])
  assert.match(stderr, /unknown command 'frob\\u001b\[2J\\u000dnicate'/)
})

async function codeOf(words: readonly string[]): Promise<unknown[]> {
  const { stderr } = await run([...words, '--json'])
  const { code, status } = JSON.parse(stderr) as Record<string, unknown>
  return [code, status]
}

test('invalid arguments are reported before anything is opened or created', async (t) => {
  const folder = await temporaryFolder(t)
  const environment = { DOORCODE_DATA_DIR: folder }
  const { code } = await run(['workspace', 'create', '--name', ''], environment)
  assert.equal(code, 1)
  assert.deepEqual(await readdir(folder), [])
})

test('a command that reads creates no database where it finds none', async (t) => {
  const folder = await temporaryFolder(t)
  for (const words of [['backup', path.join(folder, 'doorcode.backup')], ['verify'], ['workspace', 'list']]) {
    const { code, stderr } = await run(words, { DOORCODE_DATA_DIR: folder })
    assert.equal(code, 1)
    assert.match(stderr, /There is no database in .*Set DOORCODE_DATA_DIR/)
  }
  assert.deepEqual(await readdir(folder), [])
})

/** Root runs it as another user, who must be able to enter this folder. */
const otherUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined
const closedFolder = otherUser && (await findClosedFolder(ROOT, { ...otherUser, name: 'nobody', ownsFolder: false }))
const skip = closedFolder ? `other users cannot enter ${closedFolder}` : false

test('a database that another user owns is reported as unreadable, not as missing', { skip }, async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(path.join(folder, 'postgres'), { mode: 0 })
  const environment = { DOORCODE_DATA_DIR: folder }
  const listed = await asOrdinaryUser(['workspace', 'list'], environment)
  const examined = await asOrdinaryUser(['doctor'], environment)
  await chmod(path.join(folder, 'postgres'), 0o700) // so that it can be removed
  assert.deepEqual([listed.code, examined.code], [1, 1])
  assert.match(
    listed.stderr,
    /The data folder .* cannot be read by the user with the id \d+\. Run this as the user who/,
  )
  assert.match(examined.stdout, /^Failures\n\n {2}Database: .*cannot be read by the user with the id/)
})

test('a database that was elsewhere and is lost is reported as lost, not as missing', async (t) => {
  const folder = await temporaryFolder(t)
  await symlink(path.join(folder, 'gone'), path.join(folder, 'postgres'))
  const listed = await run(['workspace', 'list'], { DOORCODE_DATA_DIR: folder })
  const examined = await run(['doctor'], { DOORCODE_DATA_DIR: folder })
  assert.deepEqual([listed.code, examined.code], [1, 1])
  assert.match(listed.stderr, /The database of this data folder was in .*, which is gone\. Restore it/)
  assert.match(examined.stdout, /^Failures\n\n {2}Database: .*which is gone/)
})

/** Runs a command in a process of a user who is not root. */
async function asOrdinaryUser(args: readonly string[], env: Record<string, string>) {
  const command = ['bin/doorcode.js', ...args]
  return await promisify(execFile)(process.execPath, command, {
    ...otherUser,
    cwd: ROOT,
    env,
  }).then(
    (printed) => ({ code: 0, ...printed }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}

test('all configuration errors are reported together', async () => {
  const { code, stderr } = await run(['workspace', 'create', '--name', 'A'], {
    DOORCODE_PORT: 'x',
    DOORCODE_ROLES: 'boss',
  })
  assert.equal(code, 1)
  assert.match(stderr, /2 mistakes:\n {2}DOORCODE_PORT .*\n {2}DOORCODE_ROLES/)
})

test('an error never quotes a secret from the command line', async () => {
  const words = ['account', 'connect', '--workspace', 'x', '--access-token', 'hidden1', 'hidden2']
  for (const more of [
    ['--appsecret', 'hidden3'],
    ['--appsecret=hidden3'],
    ['--app-secret', 'hidden3', '--app-secret=hidden4'],
  ]) {
    const { stderr } = await run([...words, ...more, '--json'])
    assert.doesNotMatch(stderr, /hidden/)
  }
})

test('every command and group has help, with a description of each input', async () => {
  for (const { words, options } of commands) {
    const { code, stdout } = await run([...words.split(' '), '--help'])
    assert.equal(code, 0)
    assert.match(stdout, new RegExp(`^Usage: doorcode ${words} `))
    for (const { description } of Object.values(options)) {
      assert.match(description, /^[A-Z].*[^ ]$/)
      assert.ok(stdout.replaceAll(/\s+/g, ' ').includes(description), `${words}: ${description}`)
    }
  }
  assert.match(
    (await run(['key', '--help'])).stdout,
    /^Usage: doorcode key <command>[^]*\n {2}create [^]*\n {2}revoke /,
  )
})

test('the example of every command is valid', async () => {
  for (const { words, example } of commands) {
    const { stdout } = await run([...words.split(' '), '--help'])
    assert.ok(stdout.endsWith(`\n\nExample:\n  ${`doorcode ${words} ${example}`.trim()}`), stdout)
    const given = Array.from(example.matchAll(/"(.*?)"|\S+/g), ([word, quoted]) => quoted ?? word)
    await parse([...words.split(' '), ...given], groups).catch((error: unknown) => {
      assert.match(String(error), /file cannot be read/, words)
    })
  }
})

test('help names the program as the user called it, and finds commands like --help', async () => {
  const { stdout } = await run(['help', 'key', 'create'], { npm_lifecycle_event: 'doorcode' })
  assert.match(stdout, /^Usage: npm run -s doorcode -- key create --workspace/)
  const pause = ['help', 'endpoint', 'pause']
  const called = await run(pause, { npm_lifecycle_event: 'doorcode' })
  assert.match(called.stdout, /that “npm run -s doorcode -- endpoint list” shows/)
  assert.match((await run(pause)).stdout, /that “doorcode endpoint list” shows/)
  assert.equal((await run(['help'])).stdout, (await run(['--help'])).stdout)
  assert.match((await run(['help', 'sandbox'])).stdout, /^Usage: doorcode sandbox <command>/)
  assert.match((await run(['help', 'expalin'])).stderr, /unknown command 'expalin' \(Did you mean explain\?\)/)
})

test('the version names Doorcode, Node and the embedded PostgreSQL', async () => {
  const { stdout } = await run(['version', '--json'])
  const { doorcode, node, postgresql } = JSON.parse(stdout) as Record<string, string>
  assert.equal((await run(['--version'])).stdout, `Doorcode ${doorcode}, Node ${node}, PostgreSQL ${postgresql}`)
  assert.match(`${doorcode} ${node} ${postgresql}`, /^\d+\.\d+\.\d+ 26\.\S+ 18\.\d+$/)
})

test('commands set up a workspace up to its first webhook', async (t) => {
  const json = async (...words: string[]): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await run([...words, '--json'])
    assert.equal(code, 0, stderr)
    assert.equal(stderr, '')
    return JSON.parse(stdout) as Record<string, unknown>
  }
  const emulator = await startEmulator({ speed: 0, accounts: [demoAccount()] })
  const receiver = await startReceiver()
  t.after(() => Promise.all([emulator.close(), receiver.close()]))

  const workspace = String((await json('workspace', 'create', '--name', 'Shop'))['workspaceId'])
  assert.deepEqual(await json('workspace', 'quota', '--workspace', workspace, '--otp', '5'), {
    workspaceId: workspace,
    otp: 5,
    codConfirmations: 10_000,
    codRefusals: 10_000,
  })
  const { workspaces } = (await json('workspace', 'list')) as { workspaces: Record<string, unknown>[] }
  const listed = workspaces.find(({ workspaceId }) => workspaceId === workspace)
  assert.deepEqual([listed?.['name'], listed?.['sandbox']], ['Shop', false])
  assert.match((await run(['workspace', 'list'])).stdout, new RegExp(`^${workspace}  live .*  Shop$`, 'm'))
  const key = await json('key', 'create', '--workspace', workspace.toUpperCase(), '--name', 'backend')
  assert.match(String(key['apiKey']), new RegExp(`^dck_${String(key['publicId'])}_`))

  const secrets = ['--access-token', DEMO.accessToken, '--app-secret', DEMO.appSecret, '--verify-token', 'v']
  const to = ['--workspace', workspace, '--waba-id', DEMO.accountId, '--graph-url', emulator.url]
  const account = await json('account', 'connect', ...to, ...secrets)
  assert.equal(account['webhookPath'], `/whatsapp/${String(account['accountId'])}`)
  assert.deepEqual(Object.keys((account['senders'] as object[])[0] ?? {}).sort(), [
    'phoneNumber',
    'phoneNumberId',
    'senderId',
    'status',
  ])
  assert.deepEqual(await json('account', 'sync', String(account['accountId'])), account)
  const syncOutput = async (publicUrl: string): Promise<string> => {
    const environment = { ...(await testEnvironment()), DOORCODE_PUBLIC_URL: publicUrl }
    return (await run(['account', 'sync', String(account['accountId'])], environment)).stdout
  }
  assert.match(await syncOutput('https://codes.example'), /^Callback URL: https:\/\/codes\.example\/whatsapp\/[\w-]+$/m)
  assert.match(await syncOutput('http://127.0.0.1:3000'), /^Callback URL: http:\/\/127.* set DOORCODE_PUBLIC_URL/m)
  const connected = (await run(['account', 'connect', ...to, ...secrets], await testEnvironment())).stdout
  assert.match(
    connected,
    /sends no webhooks until .*\n {2}1\. Open developers\.facebook\.com.*\n.*\n.*\n {2}4\. .*subscribe to messages,/,
  )
  assert.doesNotMatch(connected, /sends its webhooks to/, 'nothing is sent before it is set up at Meta')

  const { endpointId } = await json('endpoint', 'add', '--workspace', workspace, '--url', receiver.url)
  const ping = await json('endpoint', 'ping', String(endpointId))
  assert.deepEqual([ping['status'], ping['httpStatus']], ['succeeded', 204])
  assert.equal(receiver.events('ping').length, 1)
  const explained = await json('explain', String(ping['eventId']))
  assert.deepEqual(explained['next'], {
    who: 'none',
    sentence: { code: 'explain.no_action', why: { code: 'explain.why_reached_all' } },
  })

  await json('endpoint', 'pause', String(endpointId))
  await json('endpoint', 'resume', String(endpointId))
  const resend = ['resend', String(endpointId), '--event', String(ping['eventId'])]
  assert.deepEqual(await json('endpoint', ...resend), { endpointId, events: 1, resent: true })
  const [sender] = (await json('sender', 'list', '--workspace', workspace))['senders'] as Record<string, unknown>[]
  const { senderId } = (account['senders'] as { senderId: string }[])[0] ?? {}
  assert.deepEqual([sender?.['senderId'], sender?.['unavailable']], [senderId, null])
  assert.equal((await json('sender', 'pause', String(senderId)))['paused'], true)

  assert.equal((await json('block', 'add', '--workspace', workspace, '--phone', '+34 600 111 222'))['changed'], true)
  assert.equal((await json('block', 'remove', '--workspace', workspace, '--phone', '+34600111222'))['changed'], true)
  assert.equal((await json('key', 'revoke', String(key['publicId'])))['revoked'], true)
})

test('a reader that leaves early, such as "head", causes no error', async (t) => {
  const { child, ended, stderr } = runProgram(t, ['--help'], {})
  child.stdout?.destroy()
  assert.deepEqual(await ended, [0, null])
  assert.equal(stderr(), '')
})

test('a reader that pauses longer than the program waits for open requests gets the whole output', async (t) => {
  const { child, ended, stdout, total } = await listManyBlocked(t)
  assert.ok(child.stdout)
  await once(child.stdout, 'data')
  child.stdout.pause()
  assert.equal(await withTimeout(3_000, once(child, 'exit')), false, 'output is unread')
  child.stdout.resume()
  assert.deepEqual(await ended, [0, null])
  assert.equal((JSON.parse(stdout()) as { blocked: unknown[] }).blocked.length, total)
})

test('a reader that leaves in the middle of the output causes no error', async (t) => {
  const { child, ended, stderr } = await listManyBlocked(t)
  assert.ok(child.stdout)
  await once(child.stdout, 'data')
  child.stdout.destroy()
  assert.deepEqual(await ended, [0, null])
  assert.equal(stderr(), '')
})

/** A program that prints more than its pipe holds. */
async function listManyBlocked(t: TestContext) {
  const { parts, workspaceId, databaseUrl } = await startWorld(t, { works: false })
  const reason = 'x'.repeat(500)
  const recipients = Array.from({ length: 1_000 }, () => ({ phone: newPhone(), reason }))
  await blockRecipients(parts, { workspaceId, by: 'sara@shop.example', recipients })
  const args = ['block', 'list', '--workspace', workspaceId, '--json']
  return { ...runProgram(t, args, environmentOf({ databaseUrl })), total: recipients.length }
}

const testEnvironment = async () => environmentOf({ databaseUrl: await fileDatabase() })

async function run(args: readonly string[], environment?: Record<string, string>) {
  const { code, stdout, stderr } = await runCommand(args, environment ?? (await testEnvironment()))
  return { code, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() }
}
