import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Agent, request } from 'undici'
import { withTimeout } from '../../src/lib/with-timeout.ts'
import { freePort } from '../../test/programs/program.ts'
import { waitFor } from '../../test/world/wait-for.ts'
import { startContainer } from './container.ts'
import { type Trial, addressOf, makeVolume, waitUntilHealthy } from './trial.ts'

const OWNER = { email: 'owner@shop.example', password: 'correct horse battery' }
const FORGED_ADDRESS = '203.0.113.9'
/** The stop_grace_period of compose.yaml. */
const MAX_CADDY_STOP_MS = 15_000

type CaddyTrial = Trial & {
  /** The folder that the image was built from. */
  source: string
}

/** The Caddyfile of compose.yaml, with the certificate that Caddy makes for localhost: from the link in the log to a page. */
export async function tryBehindCaddy({ report, source, ...image }: CaddyTrial): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const volume = await makeVolume(image, 'volume-caddy')
  const { url, environment } = await addressOf()
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const publicUrl = `https://localhost:${httpsPort}`
  const settings = { ...environment, DOORCODE_PUBLIC_URL: publicUrl, DOORCODE_TRUSTED_PROXIES: '127.0.0.1' }
  const container = await startContainer({ ...image, environment: settings, volume })
  opened.defer(() => container.kill())
  await waitUntilHealthy(container, image.config)

  const home = path.join(image.folder, 'caddy')
  await mkdir(home)
  const usual = await readFile(path.join(source, 'deploy/compose/Caddyfile'), 'utf8')
  const ours = `http_port ${httpPort}\n\thttps_port ${httpsPort}\n\tadmin off\n\tskip_install_trust`
  const caddyfile = usual.replace('grace_period', `${ours}\n\tgrace_period`).replace('doorcode:3000', new URL(url).host)
  const file = path.join(home, 'Caddyfile')
  await writeFile(file, caddyfile)
  const caddy = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    env: { PATH: process.env['PATH'], HOME: home, XDG_DATA_HOME: home, PUBLIC_HOST: 'localhost' },
    stdio: 'ignore',
  })
  const ended = once(caddy, 'exit')
  opened.defer(async () => {
    caddy.kill('SIGKILL')
    await ended
  })
  const certificate = path.join(home, 'caddy/pki/authorities/local/root.crt')
  const ca = await waitFor('Caddy’s certificate', () => readFile(certificate, 'utf8').catch(() => undefined))
  const client = opened.adopt(new Agent({ connect: { ca } }), (agent) => agent.destroy())
  const ask = (name: string, { body, cookie = '' }: { body?: object; cookie?: string } = {}) =>
    request(`${publicUrl}${name}`, {
      dispatcher: client,
      method: body ? 'POST' : 'GET',
      headers: {
        'x-forwarded-for': FORGED_ADDRESS,
        ...(body && { origin: publicUrl, 'content-type': 'application/json' }),
        ...(cookie && { cookie }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  const read = async (...request: Parameters<typeof ask>): Promise<Record<string, unknown>> => {
    const { statusCode, body } = await ask(...request)
    const text = await body.text()
    assert.equal(statusCode, 200, `${request[0]}: ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }
  const isReady = async (): Promise<boolean> => {
    const answer = await ask('/readyz').catch(() => undefined)
    await answer?.body.dump()
    return answer?.statusCode === 200
  }
  await waitFor('Caddy to pass on a request', isReady)
  const page = await ask('/dashboard/')
  assert.deepEqual([page.statusCode, /<script/.test(await page.body.text())], [200, true])
  assert.match(String(page.headers['strict-transport-security']), /max-age=\d+/)
  report('answers behind Caddy over TLS, with the Caddyfile of compose.yaml')

  const [, token] = new RegExp(`${publicUrl}/dashboard/welcome#(\\S+)`).exec(container.written()) ?? []
  await read('/dashboard/calls/session.accept', { body: { token, name: 'The owner', ...OWNER } })
  const signedIn = await ask('/dashboard/auth/sign-in/email', { body: OWNER })
  await signedIn.body.dump()
  const cookie = [signedIn.headers['set-cookie'] ?? []]
    .flat()
    .map((each) => each.split(';')[0])
    .join('; ')
  const call = async <Data>(name: string, body?: object): Promise<Data> =>
    ((await read(`/dashboard/calls/${name}`, { cookie, ...(body && { body }) }))['result'] as { data: Data }).data
  const sessions = await call<{ address: string }[]>('account.sessions')
  assert.deepEqual(
    sessions.map(({ address }) => address),
    ['127.0.0.1'],
  )
  report('the link in the log creates the first owner; an address that a visitor forges is ignored')

  const { workspaceId } = await call<{ workspaceId: string }>('workspaces.create', { name: 'Caddy', sandbox: true })
  const stream = await ask(`/dashboard/live/${workspaceId}`, { cookie })
  assert.equal(stream.statusCode, 200)
  stream.body.on('error', () => {}) // Caddy closes it below
  await once(stream.body, 'data')
  caddy.kill()
  assert.ok(await withTimeout(MAX_CADDY_STOP_MS, ended), 'Caddy must end in time although a page is open')
  report('Caddy ends in time although a page of the dashboard is open')
}
