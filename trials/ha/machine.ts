import { chmod, chown, mkdir, readFile, readlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { waitFor } from '../../test/world/wait-for.ts'
import { type MEMBERS, patroniFile, readEnvironment } from './configuration.ts'
import { connectMachine } from './network.ts'
import type { Programs, User } from './requirements.ts'
import { type Service, childrenOf, createService, signalAll } from './service.ts'

export type Machine = Awaited<ReturnType<typeof makeMachine>>

export type Freezable = 'patroni' | 'postgres'

export type MachineOptions = { folder: string; programs: Programs; user: User | undefined }

/** One machine: its network, its etcd, its Patroni and PostgreSQL, which Patroni starts. */
export async function makeMachine(
  { folder: root, programs, user }: MachineOptions,
  { name, address }: (typeof MEMBERS)[number],
) {
  const { debian, postgresFolder } = programs
  const folder = path.join(root, name)
  const etcdFolder = path.join(folder, 'etcd')
  for (const each of [folder, etcdFolder]) {
    await mkdir(each, { mode: 0o700 })
    if (user) await chown(each, user.uid, user.gid)
  }
  const data = path.join(folder, 'data')
  const patroniConfig = path.join(root, `${name}.yml`)
  await writeFile(patroniConfig, await patroniFile({ folder, postgresFolder, debian }))
  await chmod(patroniConfig, 0o644)
  const environment = await readEnvironment('patroni.env', name, debian)
  const etcdEnvironment = {
    ...(await readEnvironment('etcd.env', name, debian)),
    ETCD_DATA_DIR: path.join(etcdFolder, 'data'),
  }
  const link = await connectMachine(name, address)
  const service = (program: string, args: readonly string[], its: Record<string, string>): Service => {
    const [enter, ...words] = link.enter(user)
    const logFile = path.join(root, `${name}-${path.basename(program)}.log`)
    return createService({ program: enter, args: [...words, program, ...args], environment: its, logFile })
  }
  const etcd = service(programs.etcd, [], etcdEnvironment)
  const patroni = service(programs.patroni, [patroniConfig], environment)

  const crash = async (): Promise<void> => {
    const pids = await postgresOf(data)
    await patroni.kill()
    signalAll(pids, 'SIGKILL')
    await waitFor('PostgreSQL to be gone', async () => (await Promise.all(pids.map(isGone))).every(Boolean))
  }

  return {
    name,
    address,
    patroniConfig,
    environment,
    etcd,
    patroni,
    link,
    /** Patroni and all of PostgreSQL end immediately; etcd continues. */
    crash,
    /** The machine disappears with its etcd, and no connection to it is reset. */
    async lose(): Promise<void> {
      await link.cut()
      await etcd.kill()
      await crash()
    },
    /** Its etcd and its Patroni start again. */
    async restore(): Promise<void> {
      await link.heal()
      await etcd.start()
      await patroni.start()
    },
    /** Freezes the processes, which later do not know that time has passed. Returns the function that resumes them. */
    async freeze(parts: readonly Freezable[]): Promise<() => void> {
      const pid = patroni.pid()
      const frozen = [
        ...(parts.includes('patroni') && pid !== undefined ? [pid] : []),
        ...(parts.includes('postgres') ? await postgresOf(data) : []),
      ]
      signalAll(frozen, 'SIGSTOP')
      return () => signalAll(frozen, 'SIGCONT')
    },
    /** Patroni first: it would start PostgreSQL again. */
    async end(): Promise<void> {
      await patroni.kill()
      signalAll(await postgresOf(data), 'SIGKILL')
      await etcd.kill()
      link.close()
    },
  }
}

/** The postmaster is first, so that it starts no further processes while the others are signalled. */
async function postgresOf(data: string): Promise<number[]> {
  const text = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '')
  const postmaster = Number(text.split('\n')[0])
  // After a crash the file remains, and another process may have this pid.
  const isOurs = postmaster > 0 && (await readlink(`/proc/${postmaster}/cwd`).catch(() => '')) === data
  return isOurs ? [postmaster, ...(await childrenOf(postmaster))] : []
}

const isGone = async (pid: number): Promise<boolean> => {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return state === undefined || / Z /.test(state)
}
