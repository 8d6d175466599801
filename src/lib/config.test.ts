import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'
import { temporaryFolder } from '../../test/world/temporary-folder.ts'

const KEY = Buffer.alloc(32, 1).toString('base64')
const OLD_KEY = Buffer.alloc(32, 2).toString('base64')

test('an empty environment is a valid configuration', () => {
  const config = readConfig({})
  assert.equal(config.port, 3000)
  assert.equal(config.rateLimit, 'memory')
  assert.equal(config.publicUrl, 'http://127.0.0.1:3000')
  assert.deepEqual([...config.roles], ['api', 'worker', 'dashboard'])
})

test('DATABASE_URL makes the rate limit shared and the instance key required', () => {
  const url = 'postgres://app:pw@db:5432/doorcode'
  assert.equal(readConfig({ DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY }).rateLimit, 'shared')
  assert.match(mistakesOf({ DATABASE_URL: url }).join(), /DOORCODE_SECRET_KEY is required with DATABASE_URL/)
})

test('several keys are read newest first, and each mistake names its position', () => {
  const [newest, old] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const read = readConfig({ DOORCODE_SECRET_KEY: `${newest.toString('base64')}, ${old.toString('hex')}` })
  assert.deepEqual(read.secretKeys, [newest, old])
  const lines = `${newest.toString('base64')}\r\n${old.toString('hex')}` // what "restore --key-file" writes
  assert.deepEqual(readConfig({ DOORCODE_SECRET_KEY: lines }).secretKeys, [newest, old])
  assert.deepEqual(readConfig({ DOORCODE_SECRET_KEY: `${KEY},\n\n${old.toString('hex')}\n` }).secretKeys, [newest, old])
  const [mistake = ''] = mistakesOf({ DOORCODE_SECRET_KEY: `${KEY},hidden,${KEY}` })
  assert.match(mistake, /key 2 of 3 is not: .*; has the same key at positions 1 and 3: remove one of them$/)
  assert.doesNotMatch(mistake, /hidden/)
  const six = Array.from({ length: 6 }, (_, index) => Buffer.alloc(32, index).toString('base64')).join(',')
  assert.match(mistakesOf({ DOORCODE_SECRET_KEY: six }).join(), /has 6 keys, and may have at most 5/)
})

const wrong: Readonly<Record<string, { value: string; pattern: RegExp }>> = {
  DOORCODE_PORT: { value: '70000', pattern: /^DOORCODE_PORT must be a port from 1 to 65535, not "70000"$/ },
  DOORCODE_METRICS_PORT: { value: '9464.5', pattern: /^DOORCODE_METRICS_PORT must be 0 or a port/ },
  DOORCODE_EMULATOR_PORT: { value: 'x', pattern: /^DOORCODE_EMULATOR_PORT must be a port/ },
  DATABASE_URL: { value: 'mysql://app:hidden@db/doorcode', pattern: /^DATABASE_URL must look like postgres:/ },
  DOORCODE_DATABASE_POOL: { value: '1', pattern: /^DOORCODE_DATABASE_POOL must be a number from 2 to 200/ },
  DOORCODE_RATE_LIMIT: { value: 'none', pattern: /^DOORCODE_RATE_LIMIT must be "memory" or "shared", not "none"$/ },
  DOORCODE_SECRET_KEY: { value: 'short', pattern: /^DOORCODE_SECRET_KEY must be 32 random bytes/ },
  DOORCODE_PUBLIC_URL: { value: 'https://a.example/path', pattern: /^DOORCODE_PUBLIC_URL must be an origin/ },
  DOORCODE_TRUSTED_PROXIES: {
    value: '10.0.0.5,10.0.0.0/0',
    pattern: /^DOORCODE_TRUSTED_PROXIES must list .*not "10.0.0.0\/0"$/,
  },
  DOORCODE_ROLES: { value: 'api,boss', pattern: /^DOORCODE_ROLES may name api, worker, dashboard, not "boss"$/ },
  DOORCODE_ALLOW_PRIVATE_WEBHOOKS: { value: 'yes', pattern: /^DOORCODE_ALLOW_PRIVATE_WEBHOOKS must be 0 or 1/ },
  DOORCODE_API_KEY: { value: 'hid\nden', pattern: /^DOORCODE_API_KEY must not contain control characters$/ },
  DOORCODE_WEBHOOK_SECRET: { value: 'whsec_hidden', pattern: /^DOORCODE_WEBHOOK_SECRET must be whsec_ and 24 to 64/ },
  DOORCODE_ALERT_URL: { value: 'ftp://hidden', pattern: /^DOORCODE_ALERT_URL must look like https:/ },
  DOORCODE_ALERT_SECRET: { value: 'hidden', pattern: /^DOORCODE_ALERT_SECRET must be whsec_ and 24 to 64/ },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    value: 'http://u:hidden@collector:4318',
    pattern: /^OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as/,
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    value: 'authorization=hidden%ff',
    pattern: /^OTEL_EXPORTER_OTLP_HEADERS must look like name=value/,
  },
  DOORCODE_LOG_LEVEL: { value: 'loud', pattern: /^DOORCODE_LOG_LEVEL must be one of/ },
}

test('all mistakes are listed, one per line, without secrets', () => {
  const mistakes = mistakesOf(Object.fromEntries(Object.entries(wrong).map(([name, { value }]) => [name, value])))
  assert.equal(mistakes.length, Object.keys(wrong).length, mistakes.join('\n'))
  for (const { pattern } of Object.values(wrong)) {
    assert.ok(
      mistakes.some((mistake) => pattern.test(mistake)),
      `${String(pattern)} is not in ${mistakes.join('\n')}`,
    )
  }
  assert.doesNotMatch(mistakes.join('\n'), /hidden|short/)
})

const MAIL =
  'smtps://ops%40shop.example:p%2Fw@mail.example/?from=doorcode@shop.example&to=a@shop.example,b@shop.example'

test('an alert goes to a URL, with a secret, or by mail', () => {
  const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
  const toUrl = readConfig({ DOORCODE_ALERT_URL: 'http://10.0.0.5/alerts', DOORCODE_ALERT_SECRET: secret })
  assert.deepEqual(toUrl.alertTarget, { kind: 'webhook', url: 'http://10.0.0.5/alerts' })
  assert.equal(toUrl.alertSecret, secret)
  assert.deepEqual(readConfig({ DOORCODE_ALERT_URL: MAIL }).alertTarget, {
    kind: 'mail',
    host: 'mail.example',
    port: 465,
    secure: true,
    auth: { user: 'ops@shop.example', pass: 'p/w' },
    from: 'doorcode@shop.example',
    to: ['a@shop.example', 'b@shop.example'],
  })
})

test('a wrong alert URL is one mistake that does not repeat it', () => {
  const faulty: readonly (readonly [string, RegExp])[] = [
    ['https://a.example/', /^DOORCODE_ALERT_SECRET is required/],
    ['https://u:hidden@a.example/', /must not contain a user/],
    ['hidden', /must look like/],
    ['smtp://u:hidden@host/', /must name the address that sends/],
    ['smtp://u:hidden@host/?from=a@b', /must name the addresses that get/],
    ['smtp://host/?from=a@b&to=a@b%0aBcc:c@d', /must name the addresses that get/],
    ['smtp://host/?from=a@b&to=a@b&hidden=1', /must look like/],
    [`smtp://host/?from=a@b&to=${'a@b,'.repeat(10)}a@b`, /at most 10/],
    ['smtp://u:%ff-hidden@host/?from=a@b&to=a@b', /percent-encoded/],
  ]
  for (const [url, pattern] of faulty) {
    const mistakes = mistakesOf({ DOORCODE_ALERT_URL: url })
    assert.equal(mistakes.length, 1, mistakes.join('\n'))
    assert.match(mistakes[0] ?? '', pattern)
    assert.doesNotMatch(mistakes[0] ?? '', /hidden/)
  }
})

test('a secret is read from its file, where a line end separates keys', async (t) => {
  const file = await secretFiles(t)
  const environment = {
    DATABASE_URL_FILE: await file('url', 'postgres://app:pw@db:5432/doorcode\n'),
    DOORCODE_SECRET_KEY_FILE: await file('key', `${KEY}\n${OLD_KEY}\n`),
  }
  const { databaseUrl, secretKeys, rateLimit } = readConfig(environment)
  assert.equal(databaseUrl, 'postgres://app:pw@db:5432/doorcode')
  assert.deepEqual([secretKeys, rateLimit], [[Buffer.alloc(32, 1), Buffer.alloc(32, 2)], 'shared'])
})

test('a missing, empty, unreadable or doubled secret file is one mistake that names the fix', async (t) => {
  const file = await secretFiles(t)
  const url = 'postgres://app:hidden@db:5432/doorcode'
  const faulty: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ DOORCODE_SECRET_KEY_FILE: '/nowhere/key' }, /^DOORCODE_SECRET_KEY_FILE names a file .*ENOENT.*mount the secret/],
    [{ DOORCODE_SECRET_KEY_FILE: os.tmpdir() }, /^DOORCODE_SECRET_KEY_FILE names a file .*EISDIR/],
    [{ DOORCODE_SECRET_KEY_FILE: await file('none', '\n') }, /which is empty: write the value of DOORCODE_SECRET_KEY/],
    [{ DOORCODE_SECRET_KEY_FILE: await file('long', 'hidden'.repeat(999)) }, /which is too long for a secret$/],
    [{ DOORCODE_SECRET_KEY_FILE: await file('bad', 'hidden') }, /^DOORCODE_SECRET_KEY must be 32 random bytes/],
    [
      { DOORCODE_SECRET_KEY_FILE: await file('both', KEY), DOORCODE_SECRET_KEY: KEY },
      /^DOORCODE_SECRET_KEY_FILE and DOORCODE_SECRET_KEY are both set: remove one of them$/,
    ],
  ]
  for (const [environment, pattern] of faulty) {
    const [mistake = '', ...more] = mistakesOf({ DATABASE_URL: url, ...environment })
    assert.match(mistake, pattern)
    assert.deepEqual(more, [])
    assert.doesNotMatch(mistake, /hidden/)
  }
})

async function secretFiles(t: TestContext) {
  const folder = await temporaryFolder(t)
  return async (name: string, content: string): Promise<string> => {
    await writeFile(path.join(folder, name), content)
    return path.join(folder, name)
  }
}

test('a misspelt setting is a mistake', () => {
  assert.match(
    mistakesOf({ DOORCODE_PROT: '3000' }).join(),
    /^DOORCODE_PROT is not a setting\. Did you mean DOORCODE_PORT\?/,
  )
  const meant = { DOORCODE_PORTS: 'PORT', DOORCODE_DATADIR: 'DATA_DIR', DOORCODE_TRUSTED_PROXY: 'TRUSTED_PROXIES' }
  for (const [name, right] of Object.entries(meant))
    assert.ok(
      mistakesOf({ [name]: '1' })
        .join()
        .includes(`Did you mean DOORCODE_${right}?`),
      name,
    )
  assert.doesNotMatch(mistakesOf({ DOORCODE_SOMETHING_ELSE: '1' }).join(), /Did you mean/)
})

test('the variable that only programs of clients read is an error that says so', () => {
  assert.match(
    mistakesOf({ DOORCODE_URL: 'http://127.0.0.1:3000' }).join(),
    /programs that call Doorcode.* unset DOORCODE_URL first$/,
  )
})

function mistakesOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.mistakes
  }
  return []
}

test('content cannot be kept longer than records, and nothing for less than 30 days', () => {
  const keep = (content: string, records: string) =>
    readConfig({ DOORCODE_KEEP_CONTENT_DAYS: content, DOORCODE_KEEP_RECORDS_DAYS: records }).keep
  assert.deepEqual(keep('', ''), { contentDays: 90, recordsDays: 400, auditDays: 730 })
  assert.deepEqual(keep('0', '0'), { contentDays: 0, recordsDays: 0, auditDays: 730 })
  assert.equal(keep('60', '60').contentDays, 60)
  for (const content of ['0', '401'])
    assert.throws(() => keep(content, '400'), /KEEP_CONTENT_DAYS must be from 30 to 400/)
  assert.throws(() => keep('', '60'), /KEEP_CONTENT_DAYS must be from 30 to 60/)
  const both = mistakesOf({ DOORCODE_KEEP_CONTENT_DAYS: '401', DOORCODE_FOO: '1' }).join('\n')
  assert.match(both, /DOORCODE_FOO is not a setting[^]*KEEP_CONTENT_DAYS must be/, 'listed next to another mistake')
  for (const days of ['29', '-1', 'forever', '1e3'])
    assert.throws(
      () => keep('90', days),
      /KEEP_RECORDS_DAYS must be 0, which keeps everything, or a number of days from 30/,
    )
})

test('a "%" in DATABASE_URL that its driver cannot decode is named, and one that it can is read', () => {
  for (const url of ['postgres://app:%e9@db/doorcode', 'postgres://%e9@db/doorcode', 'postgres://app@db/%e9'])
    assert.match(
      mistakesOf({ DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY }).join(),
      /^DATABASE_URL contains a "%".*"%25"$/,
    )
  for (const url of ['postgres://app:a%25e9@db/doorcode', 'postgres://app:50%@db/doorcode'])
    assert.equal(readConfig({ DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY }).databaseUrl, url)
})

test('parameters of DATABASE_URL that its driver rejects are one mistake among the others', () => {
  const url = 'postgres://app:hidden@db/doorcode?sslmode=verify-ca&uselibpqcompat=true'
  const mistakes = mistakesOf({ DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY, DOORCODE_PORT: 'x' })
  assert.equal(mistakes.length, 2)
  assert.match(mistakes.join(), /DATABASE_URL cannot be used: .*sslrootcert/)
  assert.doesNotMatch(mistakes.join(), /hidden/)
})

test('an sslmode that the driver takes for verify-full is passed on as that, without its warning', () => {
  const read = (query: string) =>
    readConfig({ DATABASE_URL: `postgres://db/doorcode?${query}`, DOORCODE_SECRET_KEY: KEY }).databaseUrl
  for (const mode of ['prefer', 'require', 'verify-ca'])
    assert.equal(read(`sslmode=${mode}&a=b`), 'postgres://db/doorcode?sslmode=verify-full&a=b')
  for (const query of ['sslmode=disable', 'sslmode=no-verify', 'uselibpqcompat=true&sslmode=require'])
    assert.equal(read(query), `postgres://db/doorcode?${query}`)
})

test('a password that contains the name of a parameter stays as it is', () => {
  const url = 'postgres://app:a&sslmode=require&b@db/doorcode?sslmode=disable'
  assert.equal(readConfig({ DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY }).databaseUrl, url)
})

test('without a public URL, links lead to an address on which Doorcode listens', () => {
  const urlOf = (host: string) => readConfig({ DOORCODE_HOST: host }).publicUrl
  for (const all of ['0.0.0.0', '::', '']) assert.equal(urlOf(all), 'http://127.0.0.1:3000')
  assert.equal(urlOf('192.168.1.20'), 'http://192.168.1.20:3000')
  assert.equal(urlOf('::1'), 'http://[::1]:3000')
  assert.equal(urlOf('shop_server'), 'http://shop_server:3000')
  assert.equal(urlOf('no host'), 'http://127.0.0.1:3000')
})

test('a certificate that DATABASE_URL names must be mounted', () => {
  const url = 'postgres://app:hidden@db.internal/doorcode?sslmode=verify-full&sslrootcert=/nonexistent/ca.pem'
  const [mistake = '', ...more] = mistakesOf({ DATABASE_URL: url, DOORCODE_SECRET_KEY: KEY })
  assert.match(
    mistake,
    /^DATABASE_URL names an sslrootcert that cannot be read \(ENOENT.*\/nonexistent\/ca\.pem.*mount it/,
  )
  assert.deepEqual(more, [])
})
