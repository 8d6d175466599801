import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import Fastify from 'fastify'
import { parse, parseAllDocuments } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { SECOND_MS } from '../../src/lib/clock.ts'
import { MAX_DRAIN_SECONDS, readConfig, settings } from '../../src/lib/config.ts'
import type { Db } from '../../src/lib/db/pool.ts'
import { serveProbes } from '../../src/lib/http/probes.ts'
import { MAX_RAW_BODY_BYTES } from '../../src/lib/http/raw.ts'
import { MAX_STOP_MS } from '../../src/commands/serve.ts'
import { MAX_CLOSE_MS } from '../../src/runtime/start/database.ts'
import { STOP_TIMEOUT_MS } from '../../src/runtime/start/embedded-postgres/postmaster.ts'
import { MAX_RECOVERY_MS } from '../../src/runtime/start/embedded-postgres/server.ts'
import { MAX_LEAVE_MS } from '../../src/runtime/start/open.ts'
import { openSource } from '../../trials/image/source.ts'
import { listen } from '../world/listen.ts'
import { temporaryFolder } from '../world/temporary-folder.ts'

const run = promisify(execFile)
/** Longer than the failovers that docs/high-availability.md describes. */
const MIN_UNREADY_SECONDS = 30

const HAS_GIT = spawnSync('git', ['--version']).status === 0
const ROOT = path.resolve(import.meta.dirname, '../..')
const read = (name: string): Promise<string> => readFile(path.join(ROOT, name), 'utf8')

const MANIFESTS = ['doorcode', 'example-secret', 'gateway'].map((name) => `deploy/kubernetes/${name}.yaml`)
const COMPOSE = [
  'compose.yaml',
  ...['Caddyfile', 'create-secrets.sh', 'create-owner.sh'].map((name) => `deploy/compose/${name}`),
]
const PACKAGES = ['Containerfile', ...COMPOSE, 'deploy/systemd/doorcode.service', ...MANIFESTS]

test('every setting that a package or its page names exists', async () => {
  const unknown: string[] = []
  for (const name of [...PACKAGES, 'bin/healthcheck.js', 'docs/deployment.md', 'docs/upgrading.md'])
    for (const [setting] of (await read(name)).matchAll(/\b(DOORCODE|DATABASE)_[A-Z_]+\b/g))
      if (!(setting in settings)) unknown.push(`${name}: ${setting}`)
  assert.deepEqual(unknown, [])
})

type Container = {
  image: string
  env: { name: string; value: string }[]
  resources: { limits: { memory: string } }
  securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean }
} & Record<
  'startupProbe' | 'livenessProbe' | 'readinessProbe',
  { httpGet: { path: string }; periodSeconds?: number; failureThreshold?: number }
>

type Resource = {
  kind: string
  metadata: { name: string }
  data: Record<string, string>
  stringData: Record<string, string>
  spec: {
    podSelector?: unknown
    egress?: { ports?: unknown; to?: { ipBlock: unknown }[] }[]
    selector: unknown
    template: {
      metadata: { labels: unknown }
      spec: {
        enableServiceLinks: boolean
        topologySpreadConstraints: unknown
        terminationGracePeriodSeconds: number
        securityContext: { runAsUser: number; runAsNonRoot: boolean }
        containers: [Container]
      }
    }
  }
}

async function resources(): Promise<Map<string, Resource>> {
  const found = new Map<string, Resource>()
  for (const name of MANIFESTS)
    for (const document of parseAllDocuments(await read(name), { uniqueKeys: true })) {
      assert.deepEqual(document.errors, [], name)
      const resource = document.toJS() as Resource
      found.set(resource.kind, resource)
    }
  return found
}

type Service = {
  image: string
  build?: { target?: string }
  restart: string
  depends_on?: Record<string, { condition: string }>
  volumes: string[]
  environment: Record<string, string>
  stop_grace_period: string
  mem_limit: string
  ports?: string[]
}

type Compose = {
  services: Record<'secrets' | 'postgres' | 'owner' | 'doorcode' | 'caddy', Service>
  networks: Record<string, { ipam?: unknown } | null>
}

const compose = async (): Promise<Compose> => parse(await read('compose.yaml'), { merge: true }) as Compose

/** Compose replaces these. */
const withDefaults = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value.replaceAll(/\$\{\w+:-([^}]*)\}/g, (_, usual) => usual)]),
  )

test('Doorcode accepts the settings of compose.yaml and of the manifests', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(path.join(folder, 'database-url'), 'postgres://doorcode_owner:pw@postgres:5432/doorcode\n')
  await writeFile(path.join(folder, 'secret-key'), Buffer.alloc(32, 1).toString('base64'))
  const accept = (values: Record<string, string>): void => {
    const mounted = Object.entries(values).map(([name, value]) => [name, value.replace(/^\/secrets/, folder)])
    assert.equal(readConfig(Object.fromEntries(mounted)).rateLimit, 'shared')
  }
  const { services } = await compose()
  accept(withDefaults(services.doorcode.environment))
  const all = await resources()
  const [container] = all.get('Deployment')?.spec.template.spec.containers ?? []
  assert.ok(container)
  const ofPod = Object.fromEntries(container.env.map(({ name, value }) => [name, value]))
  accept({ ...all.get('ConfigMap')?.data, ...ofPod })
  const { stringData = {} } = all.get('Secret') ?? {}
  assert.deepEqual(
    Object.keys(stringData).map((name) => `/secrets/${name}`),
    Object.values(ofPod),
  )
})

test('no manifest trusts the addresses of all pods of a cluster', async () => {
  const trusted = (await resources()).get('ConfigMap')?.data['DOORCODE_TRUSTED_PROXIES'] ?? ''
  const app = Fastify({ trustProxy: trusted })
  app.get('/', ({ ip }) => ip)
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  for (const remoteAddress of ['10.244.1.7', '172.20.3.4', '192.168.5.6'])
    assert.equal((await app.inject({ url: '/', remoteAddress, headers })).body, remoteAddress)
})

test('a switchover of the shared database does not empty the Service of Kubernetes', async () => {
  const [container] = (await deployment()).spec.template.spec.containers
  const { periodSeconds = 0, failureThreshold = 0 } = container.readinessProbe
  assert.ok(periodSeconds * failureThreshold >= MIN_UNREADY_SECONDS)
})

test('a network policy lets pods reach no private address except the database and DNS', async () => {
  const { podSelector, egress } = (await resources()).get('NetworkPolicy')?.spec ?? {}
  assert.deepEqual(podSelector, { matchLabels: (await deployment()).spec.template.metadata.labels })
  assert.deepEqual(
    egress?.filter(({ ports }) => ports === undefined).map(({ to = [] }) => to.map(({ ipBlock }) => ipBlock)),
    [
      [
        {
          cidr: '0.0.0.0/0',
          except: ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
        },
        { cidr: '::/0', except: ['::1/128', 'fc00::/7', 'fe80::/10'] },
      ],
    ],
  )
})

test('the examples of proxies pass the largest body that WhatsApp may send', async () => {
  const [, nginx] = /client_max_body_size (\d+)m;/.exec(await read('docs/reverse-proxy.md')) ?? []
  assert.equal(Number(nginx) * 2 ** 20, MAX_RAW_BODY_BYTES)
  for (const name of ['docs/reverse-proxy.md', 'docs/deployment.md', 'deploy/kubernetes/gateway.yaml'])
    assert.ok((await read(name)).includes(`${MAX_RAW_BODY_BYTES / 2 ** 20} MiB`), name)
})

test('every service of compose has a memory limit, and Doorcode the one of Kubernetes', async () => {
  const { services } = await compose()
  const limits = Object.fromEntries(Object.entries(services).map(([name, { mem_limit }]) => [name, mem_limit]))
  assert.deepEqual(withDefaults(limits), {
    secrets: '128m',
    postgres: '2g',
    owner: '128m',
    doorcode: '768m',
    caddy: '256m',
  })
  assert.equal((await deployment()).spec.template.spec.containers[0].resources.limits.memory, '768Mi')
})

test('in compose only the one-shot that creates the secrets sees those of PostgreSQL and Doorcode', async () => {
  const mounts = Object.entries((await compose()).services).map(([name, { volumes }]) => [
    name,
    volumes.filter((volume) => volume.includes('secrets:')),
  ])
  assert.deepEqual(Object.fromEntries(mounts), {
    secrets: ['postgres-secrets:/secrets/postgres', 'secrets:/secrets/doorcode'],
    postgres: ['postgres-secrets:/secrets:ro'],
    owner: ['postgres-secrets:/secrets:ro'],
    doorcode: ['secrets:/secrets:ro'],
    caddy: [],
  })
})

test('compose starts Doorcode only when its role owns the database, from the image for production', async () => {
  const { owner, doorcode } = (await compose()).services
  assert.deepEqual(doorcode.depends_on?.['owner'], { condition: 'service_completed_successfully' })
  assert.equal(owner.restart, 'no')
  assert.equal(doorcode.build?.target, 'production')
  assert.match(await read('Containerfile'), /^FROM server AS production$/m)
  assert.match(await read('docs/deployment.md'), /\[the image\]\(#the-image\) with `--target production`/)
})

test('documents create one role that owns its database and is not a superuser, and manifests use it', async () => {
  const sql = [
    /^create role doorcode login password '[^']+';$/m,
    /^create database doorcode owner doorcode;$/m,
    /^grant pg_monitor to doorcode;$/m,
  ]
  for (const name of ['docs/configuration.md', 'deploy/ha/create-database.sql'])
    for (const line of sql) assert.match(await read(name), line, name)
  for (const name of ['deploy/kubernetes/doorcode.yaml', 'deploy/kubernetes/example-secret.yaml', 'docs/deployment.md'])
    assert.match(await read(name), /configuration\.md#with-a-database-of-your-own/, name)
})

test('Kubernetes spreads pods over zones and machines, and needs neither to place a pod', async () => {
  const { spec, metadata } = (await deployment()).spec.template
  assert.deepEqual(
    spec.topologySpreadConstraints,
    ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: metadata.labels },
    })),
  )
})

test('probes and the health check call paths that exist', async () => {
  const app = Fastify()
  serveProbes(app, {} as Db, {}) // never called
  const [container] = (await resources()).get('Deployment')?.spec.template.spec.containers ?? []
  assert.ok(container)
  const { startupProbe, livenessProbe, readinessProbe } = container
  const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)
  assert.deepEqual(paths, ['/healthz', '/healthz', '/readyz'])
  for (const url of paths) assert.ok(app.hasRoute({ method: 'GET', url }), url)
  assert.match(await read('bin/healthcheck.js'), /\/healthz`$/m)
})

test('compose trusts a proxy at any address that Docker chooses, and no public address', async () => {
  const { services, networks } = await compose()
  for (const network of Object.values(networks)) assert.equal(network?.ipam, undefined) // a fixed subnet may be in use
  assert.deepEqual([services.doorcode.ports, services.postgres.ports], [undefined, undefined])
  const app = Fastify({ trustProxy: services.doorcode.environment['DOORCODE_TRUSTED_PROXIES'] ?? '' })
  app.get('/', ({ ip }) => ip)
  const addressOf = async (remoteAddress: string, forwarded: string): Promise<string> =>
    (await app.inject({ url: '/', remoteAddress, headers: { 'x-forwarded-for': forwarded } })).body
  for (const caddy of ['172.18.0.4', '172.31.255.254', '192.168.16.2', '10.89.0.3']) {
    assert.equal(await addressOf(caddy, '203.0.113.9'), '203.0.113.9')
    assert.equal(await addressOf(caddy, '192.168.1.50'), '192.168.1.50')
  }
  assert.equal(await addressOf('198.51.100.1', '203.0.113.9'), '198.51.100.1')
})

test('every package waits as long as a shutdown may take', async () => {
  const limits = await shutdownSeconds()
  const { doorcode, caddy } = (await compose()).services
  assert.equal(doorcode.environment['DOORCODE_DRAIN_SECONDS'], undefined)
  assert.equal(doorcode.stop_grace_period, `${limits.own}s`)
  const [, grace = ''] = /grace_period (\d+)s$/m.exec(await read('deploy/compose/Caddyfile')) ?? []
  assert.ok(Number.parseInt(caddy.stop_grace_period) > Number(grace))
  const [, ofUnit = ''] = /^TimeoutStopSec=(\d+)$/m.exec(await read('deploy/systemd/doorcode.service')) ?? []
  assert.ok(Number(ofUnit) >= MAX_DRAIN_SECONDS + limits.embedded)
  const { terminationGracePeriodSeconds } = (await deployment()).spec.template.spec
  const drainSeconds = (await resources()).get('ConfigMap')?.data['DOORCODE_DRAIN_SECONDS']
  assert.equal(terminationGracePeriodSeconds, Number(drainSeconds) + limits.own)
  const page = await read('docs/deployment.md')
  const stopTimeouts = Array.from(page.matchAll(/--stop-timeout (\d+)/g), ([, seconds]) => Number(seconds))
  assert.deepEqual(stopTimeouts, [limits.own, limits.embedded])
})

/** The times in docs/deployment.md, each of which must exceed the sum of the limits in the code. */
async function shutdownSeconds(): Promise<{ own: number; embedded: number }> {
  const page = await read('docs/deployment.md')
  const rows = Array.from(page.matchAll(/^\| [^|]+ \| `\w+` in `([^`]+)` \| (\d+) s \|/gm), ([, file, seconds]) => ({
    file,
    ms: Number(seconds) * SECOND_MS,
  }))
  assert.deepEqual(rows, [
    { file: 'src/commands/serve.ts', ms: MAX_STOP_MS },
    { file: 'src/runtime/start/open.ts', ms: MAX_LEAVE_MS },
    { file: 'src/runtime/start/database.ts', ms: MAX_CLOSE_MS },
    { file: 'src/runtime/start/embedded-postgres/server.ts', ms: MAX_RECOVERY_MS },
    { file: 'src/runtime/start/embedded-postgres/postmaster.ts', ms: STOP_TIMEOUT_MS },
  ])
  const [, own, embedded] = (/^Wait (\d+) seconds .*?, or (\d+) with/m.exec(page) ?? []).map(Number)
  assert.ok(own && embedded)
  const ofOwn = MAX_STOP_MS + MAX_LEAVE_MS + MAX_CLOSE_MS
  assert.ok(own * SECOND_MS > ofOwn, `${own} s`)
  assert.ok(embedded * SECOND_MS > ofOwn + MAX_RECOVERY_MS + STOP_TIMEOUT_MS, `${embedded} s`)
  const waits = new RegExp(`Wait ${own} seconds \\(${embedded} with the embedded database\\)`)
  assert.match((await read('docs/operations.md')).replaceAll('\n', ' '), waits)
  return { own, embedded }
}

async function deployment(): Promise<Resource> {
  return (await resources()).get('Deployment') ?? assert.fail('there is no Deployment')
}

test('of the build context, only the sources get into an image', async () => {
  // Docker does not read .containerignore, and the others read .dockerignore too.
  const lines = (await read('.dockerignore')).trim().split('\n')
  const [first, ...rest] = lines.filter((line) => !line.startsWith('#'))
  assert.equal(first, '*')
  for (const line of ['!.git', '!.doorcode', '!node_modules', '!test', '!image']) assert.ok(!rest.includes(line), line)
  assert.ok(rest.includes('**/node_modules'))
})

test('docs/deployment.md quotes only errors that Doorcode has', async () => {
  const inDb = ['connection-count', 'migration-locks'].map((name) => `lib/db/${name}`)
  const atStart = ['database', 'ports', 'embedded-postgres/folder-lock', 'embedded-postgres/server'].map(
    (name) => `runtime/start/${name}`,
  )
  const ofKeys = ['open', 'key-file'].map((name) => `operations/secrets/${name}`)
  const files = ['lib/config', ...inDb, ...atStart, ...ofKeys]
  const sources = (await Promise.all(files.map((name) => read(`src/${name}.ts`)))).join('\n')
  const [, table = ''] = (await read('docs/deployment.md')).split('\n| The log says |')
  const quotes = table.split('\n').flatMap((row) => row.split(' | ')[0]?.match(/`[^`]+`/g) ?? [])
  assert.ok(quotes.length > 10)
  for (const quote of quotes)
    for (const part of quote.split(/`|…|\/data|DOORCODE_SECRET_KEY_FILE/))
      assert.ok(sources.includes(part.trim()), quote)
})

test('npm run image builds the commit, or says that there is none', { skip: !HAS_GIT }, async (t) => {
  const folder = await temporaryFolder(t)
  const root = path.join(folder, 'root')
  await mkdir(root)
  const git = (...args: readonly string[]) =>
    run('git', ['-c', 'user.name=A', '-c', 'user.email=a@shop.example', '-c', 'commit.gpgsign=false', ...args], {
      cwd: root,
    })
  await writeFile(path.join(root, 'server.ts'), 'committed')
  assert.deepEqual(await openSource(root, folder), {
    folder: root,
    revision: '',
    text: 'the files of this folder as they are, because it is not a git checkout',
  })
  await git('init')
  await git('add', '.')
  await git('commit', '--message', 'First')
  await writeFile(path.join(root, 'server.ts'), 'changed')
  await writeFile(path.join(root, 'secret-key'), 'never in an image')
  const { folder: source, revision, text } = await openSource(root, folder)
  assert.deepEqual(await readdir(source), ['server.ts'])
  assert.equal(await readFile(path.join(source, 'server.ts'), 'utf8'), 'committed')
  assert.match(revision, /^[0-9a-f]{40}$/)
  assert.equal(text, `commit ${revision}, without what is not committed in this folder`)
})

test('the image, its user and its release are the same in every package', async () => {
  const containerfile = await read('Containerfile')
  const [, user] = /^USER (\d+):\1$/m.exec(containerfile) ?? []
  assert.ok(user)
  assert.match(containerfile, new RegExp(`groupadd --gid ${user} .*\n && useradd --uid ${user} --gid ${user}`))
  assert.match(await read('deploy/compose/create-secrets.sh'), new RegExp(`^readonly DOORCODE=${user} `, 'm'))
  const { spec } = (await deployment()).spec.template
  assert.deepEqual([spec.securityContext.runAsUser, spec.securityContext.runAsNonRoot], [Number(user), true])
  assert.equal(
    withDefaults({ image: (await compose()).services.doorcode.image })['image'],
    `doorcode:${manifest.version}`,
  )
  assert.ok(spec.containers[0].image.endsWith(`/doorcode:${manifest.version}`))
})

test('every image that others publish is pinned by digest, and can be replaced', async () => {
  assert.match(await read('Containerfile'), /^ARG BASE=docker\.io\/library\/node:26\.[\d.]+-slim@sha256:[\da-f]{64}$/m)
  for (const [service, { image }] of Object.entries((await compose()).services))
    assert.match(
      image,
      service === 'doorcode' ? /^\$\{IMAGE:-[^}]+\}$/ : /^\$\{[A-Z]+_IMAGE:-[^}]+@sha256:[\da-f]{64}\}$/,
    )
})

test('a pod gets no variables of its service, and writes only to its volumes', async () => {
  const { spec, metadata } = (await deployment()).spec.template
  assert.equal(spec.enableServiceLinks, false) // DOORCODE_PORT would be an address
  const { readOnlyRootFilesystem, allowPrivilegeEscalation } = spec.containers[0].securityContext
  assert.deepEqual([readOnlyRootFilesystem, allowPrivilegeEscalation], [true, false])
  const all = await resources()
  for (const kind of ['Deployment', 'PodDisruptionBudget'])
    assert.deepEqual(all.get(kind)?.spec.selector, { matchLabels: metadata.labels })
  assert.deepEqual(all.get('Service')?.spec.selector, metadata.labels)
})

test('the health check passes only for a server that answers with success', async (t) => {
  let status = 200
  const server = createServer((request, response) =>
    response.writeHead(request.url === '/healthz' ? status : 404).end(),
  )
  const { port } = new URL(`http://${await listen(t, server)}`)
  const check = (DOORCODE_PORT: string): Promise<string> =>
    run(process.execPath, [path.join(ROOT, 'bin/healthcheck.js')], {
      env: { DOORCODE_PORT, DOORCODE_HOST: '0.0.0.0' },
    }).then(
      () => 'healthy',
      ({ stderr }: { stderr: string }) => stderr,
    )
  assert.equal(await check(port), 'healthy')
  status = 503
  assert.match(await check(port), /^http:\/\/127\.0\.0\.1:\d+\/healthz is not healthy: status 503\n$/)
  assert.match(await check('1'), /is not healthy: ECONNREFUSED/)
})
