import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import type { User } from './requirements.ts'

const run = promisify(execFile)

/** Set in the process that runs inside the run's own network. */
const MARK = 'DOORCODE_HA_NETWORK'
const BRIDGE = 'doorcode'
/** The address of the machine with Doorcode, in the network of deploy/ha. */
const DOORCODE_ADDRESS = '10.0.0.1/24'

export const isInOwnNetwork = (): boolean => process.env[MARK] === 'own'

/** Runs this program again, in a network namespace that has nothing but the machines of the run. */
export async function runInOwnNetwork(file: string, args: readonly string[]): Promise<number> {
  const asUser = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user', '--keep-caps']
  const child = spawn('unshare', ['--net', ...asUser, '--', process.execPath, file, ...args], {
    stdio: 'inherit',
    env: { ...process.env, [MARK]: 'own' },
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void child.kill(signal))
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

/** The switch of the network, and Doorcode's own connection to it. */
export async function openNetwork(): Promise<void> {
  await ip('link set lo up')
  await ip(`link add ${BRIDGE} type bridge`)
  await ip(`address add ${DOORCODE_ADDRESS} dev ${BRIDGE}`)
  await ip(`link set ${BRIDGE} up`)
}

/** Connects a machine with a network namespace of its own, which exists until `close`. */
export async function connectMachine(name: string, address: string) {
  const holder = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up && echo ready && exec sleep infinity'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await Promise.race([
    once(holder.stdout, 'data'),
    once(holder, 'exit').then(() => Promise.reject(new Error('unshare --net failed'))),
  ])
  const namespace = `--net=/proc/${holder.pid}/ns/net`
  const inside = (program: string, words: string): Promise<unknown> =>
    run('nsenter', [namespace, program, ...words.split(' ')])
  const drop = (chain: 'input' | 'output', match: string): Promise<unknown> =>
    inside('nft', `add rule inet cuts ${chain} ${match} drop`)

  await ip(`link add ${name} type veth peer name eth0 netns ${holder.pid}`)
  await ip(`link set ${name} master ${BRIDGE} up`)
  await inside('ip', `address add ${address}/24 dev eth0`)
  await inside('ip', 'link set eth0 up')
  await inside('nft', 'add table inet cuts')
  for (const chain of ['input', 'output'])
    await inside('nft', `add chain inet cuts ${chain} { type filter hook ${chain} priority 0 ; }`)
  return {
    /** The start of a command line that runs a program on this machine. */
    enter: (user: User | undefined): [string, ...string[]] => [
      'nsenter',
      namespace,
      ...(user ? ['--setuid', String(user.uid), '--setgid', String(user.gid)] : []),
      '--',
    ],
    /** From now on, nothing leaves or reaches this machine, and no sender learns of it. */
    async cut(): Promise<void> {
      await drop('output', 'oifname eth0')
      await drop('input', 'iifname eth0')
    },
    /** From now on, nothing that these addresses send reaches this machine, and what it sends still arrives. */
    async ignore(addresses: readonly string[]): Promise<void> {
      for (const each of addresses) await drop('input', `ip saddr ${each}`)
    },
    async heal(): Promise<void> {
      await inside('nft', 'flush table inet cuts')
    },
    close: () => void holder.kill('SIGKILL'),
  }
}

const ip = (words: string): Promise<unknown> => run('ip', words.split(' '))
