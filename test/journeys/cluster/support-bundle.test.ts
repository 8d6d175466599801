import assert from 'node:assert/strict'
import { appendFile, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { DEMO } from '@doorcode/whatsapp-emulator'
import { createRedactor } from '../../../src/commands/diagnose/redact.ts'
import { environmentOf, runCommand } from '../../world/command-line.ts'
import { INSTANCE_KEY } from '../../world/node.ts'
import { temporaryFolder } from '../../world/temporary-folder.ts'
import { startWorld } from '../../world/world.ts'

const ALERT_SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
const API_KEY = `dck_abcdefgh2345_${'A1b2'.repeat(11)}`.slice(0, 60)

type Bundle = {
  versions: Record<string, string>
  settings: Record<string, string | number>
  doctor: { finding: string; text: string; fix: string }[]
  verify: { since: string; checked: Record<string, number>; differences: { total: number } }
  log: unknown[]
}

test('the file has versions, settings, findings, a verification and the log, and nothing that is secret or personal', async (t) => {
  const world = await startWorld(t, { mayLogErrors: true })
  const otp = await world.sendOtp()
  const failing = await world.sendOtp()
  await world.whatsapp.reports(failing, [{ status: 'failed', errors: [131026] }])
  const folder = await temporaryFolder(t)
  const log = path.join(folder, 'doorcode.log')
  const line = (members: object): string =>
    `${JSON.stringify({ level: 30, time: '2026-11-24T10:11:12.345Z', ...members })}\n`
  await writeFile(log, world.first.logLines.join(''))
  await appendFile(
    log,
    [
      line({ msg: `sent to ${otp.to} with 493817`, code: otp.code }),
      line({ msg: 'spaced +212 612-34 56 78', recipient: otp.to.slice(1) }),
      line({
        msg: 'a key',
        authorization: 'Bearer abc.def',
        url: 'https://ops:hunter2@db.example/x?token=canary-token',
      }),
      line({ msg: `${API_KEY} ${ALERT_SECRET} ${DEMO.accessToken} ana@shop.example wamid.HBgMMjEyNjEyMzQ1Njc4FQIA` }),
      line({ msg: 'the mail server said pass-word is wrong' }),
      line({ msg: 'a place', errorCode: '40P01', stack: 'Error\n    at run (file:///app/src/cli.ts:51:7)' }),
      `no JSON: postgres://doorcode:hunter3@db:5432/doorcode ${INSTANCE_KEY.toString('hex')}\n`,
    ].join(''),
  )
  const file = path.join(folder, 'bundle.json')
  const environment = {
    ...environmentOf(world),
    DOORCODE_PORT: '3100',
    DOORCODE_ALERT_URL: 'https://hooks.example/services/T024CANARY/B0HIDDEN',
    DOORCODE_ALERT_SECRET: ALERT_SECRET,
    DOORCODE_API_KEY: API_KEY,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=canary-of-headers',
  }
  const mailUrl = path.join(folder, 'alert-url')
  await writeFile(mailUrl, 'smtps://ops:pass-word@mail.example/?from=a@shop.example&to=b@shop.example')
  const { DOORCODE_ALERT_URL: _url, ...withFile } = { ...environment, DOORCODE_ALERT_URL_FILE: mailUrl }
  const other = path.join(folder, 'other.json')
  const ofFile = await runCommand(['support-bundle', other, '--log', log], withFile)
  assert.equal(ofFile.code, 0, ofFile.stderr)
  assert.doesNotMatch(await readFile(other, 'utf8'), /pass-word/)
  const { code, stdout, stderr } = await runCommand(['support-bundle', file, '--log', log, '--json'], environment)
  assert.deepEqual([code, stderr], [0, ''])
  const text = await readFile(file, 'utf8')
  const canaries = {
    code: otp.code,
    'code in a text': '493817',
    number: otp.to.slice(1),
    'spaced number': '34 56 78',
    'number of a failed message': failing.to.slice(1),
    'access token': DEMO.accessToken,
    'app secret': DEMO.appSecret,
    'instance key': environment.DOORCODE_SECRET_KEY,
    'instance key in hex': INSTANCE_KEY.toString('hex'),
    'API key': API_KEY,
    'alert secret': ALERT_SECRET,
    'alert URL': 'T024CANARY',
    headers: 'canary-of-headers',
    'database password': new URL(world.databaseUrl).password || 'no password',
    'password in a URL': 'hunter2',
    'password in a text': 'hunter3',
    'token in a query': 'canary-token',
    'bearer token': 'abc.def',
    'mail address': 'ana@shop',
    'id of WhatsApp': 'HBgMMjEy',
  }
  for (const [name, canary] of Object.entries(canaries)) assert.ok(!text.includes(canary), `the bundle has the ${name}`)
  const bundle = JSON.parse(text) as Bundle
  assert.equal(bundle.versions['doorcode'], '0.1.0')
  assert.deepEqual(
    ['DOORCODE_ALERT_URL', 'DOORCODE_ALLOW_PRIVATE_WEBHOOKS', 'DOORCODE_PORT'].map((name) => bundle.settings[name]),
    ['[set]', '1', 3100],
  )
  assert.ok(bundle.doctor.some(({ finding, fix }) => finding === 'private_webhooks' && fix !== ''))
  assert.ok((bundle.verify.checked['messages'] ?? 0) >= 2)
  assert.ok(Date.parse(bundle.verify.since) < Date.now(), JSON.stringify(bundle.verify))
  assert.ok(text.includes('cli.ts:51:7') && text.includes('40P01'), 'what helps stays')
  assert.ok(text.includes('2026-11-24T10:11:12.345Z'))
  assert.equal(JSON.parse(stdout).file, file)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
})

test('the file is written whole or not at all, and replaces another only if told to', async (t) => {
  const folder = await temporaryFolder(t)
  const file = path.join(folder, 'bundle.json')
  const run = (...more: string[]) =>
    runCommand(['support-bundle', file, ...more], { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' })
  const missing = await run('--log', path.join(folder, 'none.log'))
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /--log cannot be read/)
  assert.deepEqual(await readdir(folder), [])
  assert.equal((await run()).code, 0, 'invalid settings and no database are findings')
  const bundle = JSON.parse(await readFile(file, 'utf8')) as Bundle
  assert.deepEqual(bundle.doctor.find(({ finding }) => finding === 'setting_invalid')?.finding, 'setting_invalid')
  await writeFile(file, 'mine')
  const again = await run()
  assert.equal(again.code, 1)
  assert.match(again.stderr, /--force/)
  assert.equal(await readFile(file, 'utf8'), 'mine')
  assert.equal((await run('--force')).code, 0)
  assert.deepEqual(await readdir(folder), ['bundle.json'])
})

test('a password with a percent sign that encodes nothing is masked and ends no bundle', async (t) => {
  const folder = await temporaryFolder(t)
  const [file, log] = [path.join(folder, 'bundle.json'), path.join(folder, 'doorcode.log')]
  await writeFile(log, 'the database said 100%sure is wrong, the mail server 200%sure\n')
  const { code, stderr } = await runCommand(['support-bundle', file, '--log', log], {
    DATABASE_URL: 'postgres://u:100%sure@127.0.0.1:1/x',
    DOORCODE_ALERT_URL: 'smtps://u:200%sure@127.0.0.1:1/',
  })
  assert.deepEqual([code, stderr], [0, ''])
  assert.doesNotMatch(await readFile(file, 'utf8'), /%sure/)
})

test('of a large log only the last whole lines are read', async (t) => {
  const folder = await temporaryFolder(t)
  const [file, log] = [path.join(folder, 'bundle.json'), path.join(folder, 'large.log')]
  const lines = Array.from({ length: 40_000 }, (_, index) => `line n${index} ${'x'.repeat(60)}`)
  await writeFile(log, `${lines.join('\n')}\n${'y'.repeat(9_000)}\n`)
  const { code } = await runCommand(['support-bundle', file, '--log', log], { DOORCODE_PORT: 'x' })
  assert.equal(code, 0)
  const bundle = JSON.parse(await readFile(file, 'utf8')) as { log: string[] }
  assert.equal(bundle.log.length, 2_000)
  assert.match(bundle.log[0] ?? '', /^line n38001 /)
  assert.match(bundle.log.at(-1) ?? '', /\[cut\]$/)
})

const KEPT = [
  '01a1fa06-709a-73f6-8b1e-b4852403567f at 2026-11-24T10:11:12.345Z from 10.0.0.5:5432 in cli.ts:1234:56, 40P01',
  'at file:///app/src/operations/lifecycle/retention/guard.ts:12:3',
  '00000000-7096-7316-8123-485240356712 and "id":"01916006-7096-7316-8123-485240356712"',
  '2026-11-24 10:11:12.345 UTC, 2026-11-24 10:11:12, 10:11:12.345678, 24.11.2026, 12 2026-11-24 10:11:12',
  'PostgreSQL 18.0 on 192.168.100.200:5432, 203.0.113.42, node v26.10.0, kernel 6.12.48, [2001:db8::1]:443',
  'took 0.123456789 s, 12 of 300 messages, 85 %, exit code: 1, errorCode: ECONNREFUSED, code: ECONNRESET, code: 40P01',
  '10.0.0.5 - - "POST /whatsapp/x HTTP/1.1" 503 212 and "GET / HTTP/2.0" 200 512',
  'https://hooks.example:8443/a/b?x=1 and http://127.0.0.1:3000/whatsapp/01a1fa06-709a-73f6-8b1e-b4852403567f',
  'trace 4bf92f3577b34da6a3ce929d0e0e4736, set DOORCODE_ALERT_SECRET, with only a password: 3. Each',
]

test('redaction keeps ids, times, versions, addresses, places and figures', () => {
  const redact = createRedactor(['canary'])
  for (const text of KEPT) assert.equal(redact(text), text)
  const figures = {
    level: 30,
    time: 1_732_444_444_444,
    rssBytes: 218_103_808,
    pid: 4_194_304,
    bytes: 52_428_800,
    ms: 1_234.567_891,
    share: 0.123_456_789,
    err: { errorCode: '53300' },
    up: true,
  }
  assert.deepEqual(redact(figures), figures)
  assert.deepEqual(redact({ a: ['x canary', { password: 'p', code: null }] }), {
    a: ['x [secret]', { password: '[secret]', code: null }],
  })
})

/** Each with what must not stay. */
const MASKED = [
  ['wa_id:212612345678', '345'],
  ['sent to 212612345678: rejected', '345'],
  ['GET /chats/212612345678 and wa.me/212612345678', '345'],
  ['?to=%2B212612345678&phone%3D212612345678', '345'],
  ['call 0612-34-56-78.', '34'],
  ['call 06 12 34 56 78 06 12 34 56 78: rejected', '34'],
  ['tel:06 12 34 56 78 2026-11-24', '34'],
  ['call 06.12.34.56.78 or (0612) 34 56 78', '34'],
  ['call 0612.34.56.78 or 06.12345678, not 10.0.0.5', '34'],
  ['call 612.345.678 or 212.612.345.678', '345'],
  ['call 212-612-345-678 or 212-612345678', '345'],
  ['رقم ٢١٢٦١٢٣٤٥٦٧٨ أو +٢١٢ ٦١٢ ٣٤٥ ٦٧٨ والرمز ٣٤٥٨١٧', '٣٤٥'],
  ['phone:+۲۱۲۶۱۲۳۴۵۶۷۸', '۳۴۵'],
  ['code:123456 and otp:1234', '1234'],
  ['493 817 is your code. code:493 817, "493-817" or 4938-1700', '(493|817|1700)'],
  ['{"code":"AB12CD","apiKey":"hunter2"}', '(AB12|hunter)'],
  ['password: hunter2, accessToken=hunter2 app_secret : "hunter2"', 'hunter'],
  ['postgres://user:pa/ss@h:5432/x and postgres://user:pa@ss@h', '(pa/|ss@)'],
] as const

test('redaction masks numbers, codes and passwords however a text writes them', () => {
  const redact = createRedactor([])
  for (const [text, left] of MASKED) assert.doesNotMatch(String(redact(text)), new RegExp(left), text)
})

test('redaction masks numbers of phones that are JSON numbers', () => {
  assert.deepEqual(createRedactor([])({ phone: 212_612_345_678, to: [34_600_111_222] }), {
    phone: '[number]',
    to: ['[number]'],
  })
})
