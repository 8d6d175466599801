import { execFile } from 'node:child_process'
import { readFile, readdir, readlink } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The program that listens on the port, such as `nginx (pid 812)`. Undefined if this user may not know it. */
export async function findPortHolder(port: number): Promise<string | undefined> {
  try {
    return process.platform === 'linux' ? await findOnLinux(port) : await findWithLsof(port)
  } catch {
    return undefined // it only makes an error message better
  }
}

async function findOnLinux(port: number): Promise<string | undefined> {
  const sockets = await findListeningSockets(port)
  if (sockets.size === 0) return undefined
  for (const pid of await readdir('/proc')) {
    if (/^\d+$/.test(pid) && (await holdsOneOf(sockets, pid))) return describeProcess(pid)
  }
  return undefined
}

const LISTENING = '0A'

/** Returns sockets by the names that the kernel gives them in /proc/<pid>/fd. */
async function findListeningSockets(port: number): Promise<Set<string>> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
  )
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return new Set(
    tables
      .flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
      .filter(([, local = '', , state]) => state === LISTENING && local.endsWith(suffix))
      .map((fields) => `socket:[${fields[9]}]`),
  )
}

async function holdsOneOf(sockets: ReadonlySet<string>, pid: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`
  const names = await readdir(folder).catch(() => []) // of another user, or ended
  const targets = await Promise.all(names.map((name) => readlink(path.join(folder, name)).catch(() => '')))
  return targets.some((target) => sockets.has(target))
}

/** Without its arguments, which may hold passwords. */
async function describeProcess(pid: string): Promise<string> {
  const [program = '', script = ''] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
  return `${nameOf(program, script)} (pid ${pid})`
}

const nameOf = (program: string, script = ''): string =>
  /\bdoorcode\.js$/.test(script) ? 'another Doorcode' : path.basename(program)

async function findWithLsof(port: number): Promise<string | undefined> {
  const { stdout } = await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'])
  const [, pid, program] = /^p(\d+)\nc(.*)$/m.exec(stdout) ?? []
  return pid && program ? `${program} (pid ${pid})` : undefined
}
