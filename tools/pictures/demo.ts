import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../../test/programs/program.ts'
import { createCalls, fetchSessionCookie } from '../../test/world/dashboard.ts'
import { waitFor } from '../../test/world/wait-for.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const OWNER = { name: 'Nadia', email: 'nadia@shop.example', password: 'correct horse battery' }

/** On a busy machine; seconds on an idle one. */
const MONTH_TIMEOUT_MS = 15 * 60_000

export type Demo = {
  /** What `npm start` printed. */
  text: string
  url: string
  /** The address of its workspace's pages. */
  pages: string
  workspaceId: string
  /** The first owner's session. */
  cookie: string
  calls: ReturnType<typeof createCalls>
}

/** `npm start` in a new folder on free ports, with its first owner; `opened` ends it. `settings`: of its environment. */
export async function openDemo(opened: AsyncDisposableStack, settings: Record<string, string> = {}): Promise<Demo> {
  const folder = await mkdtemp(path.join(tmpdir(), 'doorcode-pictures-'))
  await chmod(folder, 0o711) // root's PostgreSQL runs as another user
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const { text, stop } = await startDemo(folder, settings)
  opened.defer(stop)
  const [, url = '', token = ''] = find(text, /Dashboard\s+(http:\/\/[^/\s]+)\S*#(\S+)/)
  await createCalls(url).session.accept.mutate({ token, ...OWNER })
  const cookie = await fetchSessionCookie(url, OWNER)
  const calls = createCalls(url, cookie)
  const session = await calls.session.current.query()
  const workspaceId = session?.workspaces[0]?.workspaceId ?? ''
  const isFilling = async (): Promise<boolean> => {
    const current = await calls.session.current.query()
    return current?.workspaces.some(({ sandboxWork }) => sandboxWork !== null) ?? false
  }
  await waitFor('the end of the demo month', async () => !(await isFilling()), MONTH_TIMEOUT_MS)
  return { text, url, pages: `${url}/dashboard/w/${workspaceId}`, workspaceId, cookie, calls }
}

async function startDemo(
  dataDir: string,
  settings: Record<string, string>,
): Promise<{ text: string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, ['bin/doorcode.js', 'start'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      DOORCODE_DATA_DIR: dataDir,
      DOORCODE_PORT: String(await freePort()),
      DOORCODE_EMULATOR_PORT: String(await freePort()),
      DOORCODE_METRICS_PORT: '0',
      ...settings,
    },
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more))
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null) return
    child.kill('SIGINT')
    await once(child, 'exit')
  }
  await waitFor(
    () => `the demo to start; it wrote: ${text}`,
    async () => {
      if (child.exitCode !== null) throw new Error(`the demo ended: ${text}`)
      return text.includes('Press Ctrl-C to stop')
    },
  )
  return { text, stop }
}

/** The first match, with its groups. Throws if the demo printed nothing like it. */
export function find(text: string, pattern: RegExp): RegExpExecArray {
  const found = pattern.exec(text)
  if (found === null) throw new Error(`the demo printed nothing like ${pattern}`)
  return found
}

/** The session, for a browser. */
export const cookiesOf = ({ cookie, url }: Demo): { name: string; value: string; url: string }[] =>
  cookie.split('; ').map((each) => {
    const [name = '', ...value] = each.split('=')
    return { name, value: value.join('='), url }
  })
