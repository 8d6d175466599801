import { once } from 'node:events'
import { createServer } from 'node:net'
import type { SettingName } from '../../lib/config.ts'
import { StartupError, systemCodeOf } from '../../lib/errors.ts'

export type Address = { host: string; port: number }

/** A setting and its consecutive ports, one for each use. */
export type PortSetting = Address & { setting: SettingName; uses: readonly [string, ...string[]] }

export type PortFault = { setting: SettingName; sentence: string }

export async function assertPortsFree(wanted: readonly PortSetting[]): Promise<void> {
  throwPortFaults(await findPortFaults(wanted))
}

/** Throws StartupError, if there are any. */
export function throwPortFaults(faults: readonly PortFault[]): void {
  const sentences = new Set(faults.map(({ sentence }) => sentence)) // a wrong host makes each of its ports faulty
  if (sentences.size > 0) throw new StartupError([...sentences].join('\n'))
}

/** Checks all ports before anything is opened, so that the operator sees all faults together. */
export async function findPortFaults(wanted: readonly PortSetting[]): Promise<PortFault[]> {
  const faults = findSharedPorts(wanted)
  for (const each of wanted) {
    for (const offset of each.uses.keys()) {
      const sentence = await findFault(each, offset, wanted)
      if (sentence !== undefined) faults.push({ setting: each.setting, sentence })
    }
  }
  return faults
}

/** Faults of the later setting. */
const findSharedPorts = (wanted: readonly PortSetting[]): PortFault[] =>
  wanted.flatMap((later, index) =>
    wanted
      .slice(0, index)
      .filter((earlier) => overlap(earlier, later))
      .map((earlier) => ({ setting: later.setting, sentence: describeShared(earlier, later) })),
  )

const ALL_ADDRESSES = new Set(['0.0.0.0', '::'])

const overlap = (one: PortSetting, other: PortSetting): boolean =>
  (one.host === other.host || ALL_ADDRESSES.has(one.host) || ALL_ADDRESSES.has(other.host)) &&
  one.port < other.port + other.uses.length &&
  other.port < one.port + one.uses.length

function describeShared(one: PortSetting, other: PortSetting): string {
  if (one.port === other.port)
    return `${one.setting} and ${other.setting} are both ${one.port}. Set one of them to another port.`
  const [first, second] = one.port < other.port ? [one, other] : [other, one]
  return `${second.setting} is ${second.port}.${describeUse(first, second.port - first.port)} Set one of them to another port.`
}

/** Why a port that no setting names is needed. Empty for the port of the setting. */
const describeUse = ({ setting, port, uses }: PortSetting, offset: number): string =>
  offset === 0 ? '' : ` The ${uses[offset]} listens on the port after ${setting} (${port}).`

const MAX_PORT = 65_535

async function findFault(
  wanted: PortSetting,
  offset: number,
  all: readonly PortSetting[],
): Promise<string | undefined> {
  const { setting, host } = wanted
  const port = wanted.port + offset
  const use = describeUse(wanted, offset)
  if (port > MAX_PORT) return `${setting} must be at most ${MAX_PORT - offset}.${use}`
  const code = await tryToListen({ host, port })
  if (code !== 'EADDRINUSE') return describeListenError(code, { host, port }, setting)
  const free = await findFreePort(wanted, all)
  const example = free === undefined ? '' : `, such as ${free}`
  return `${host}:${port} is in use.${use} Stop the other program or set ${setting} to another port${example}.`
}

/** The code of the error. */
async function tryToListen(address: Address): Promise<string> {
  const server = createServer()
  try {
    await once(server.listen(address), 'listening')
  } catch (error) {
    return systemCodeOf(error)
  }
  server.close()
  await once(server, 'close')
  return ''
}

const MAX_TRIES = 50

/** The next port from which all uses of the setting are free. */
async function findFreePort(wanted: PortSetting, all: readonly PortSetting[]): Promise<number | undefined> {
  for (let port = wanted.port + 1; port <= wanted.port + MAX_TRIES; port += 1) {
    const next = { ...wanted, port }
    const isTaken =
      port + wanted.uses.length > MAX_PORT + 1 || all.some((each) => each !== wanted && overlap(each, next))
    const codes = isTaken
      ? ['taken']
      : await Promise.all(wanted.uses.map((_, offset) => tryToListen({ ...next, port: port + offset })))
    if (codes.every((code) => code === '')) return port
  }
  return undefined
}

const listenErrors: Readonly<Record<string, (address: Address, setting: SettingName) => string>> = {
  EADDRINUSE: ({ host, port }, setting) =>
    `${host}:${port} is in use. Stop the other program or set ${setting} to another port.`,
  EACCES: ({ host, port }, setting) =>
    `${host}:${port} is not allowed for this user. Set ${setting} to a port above 1023.`,
  EADDRNOTAVAIL: describeForeignHost,
  ENOTFOUND: describeForeignHost,
  EAI_AGAIN: describeForeignHost, // a name, on a machine whose DNS does not answer
  EINVAL: describeForeignHost, // such as fe80::1 without an interface
  EAFNOSUPPORT: describeForeignHost, // an IPv6 address without IPv6
}

function describeForeignHost({ host }: Address): string {
  return `${host} is not an address of this machine. Set DOORCODE_HOST to one, or to 0.0.0.0 for all.`
}

/** Returns undefined for an error that the operator cannot fix. */
const describeListenError = (code: string, address: Address, setting: SettingName): string | undefined =>
  listenErrors[code]?.(address, setting)

/** A StartupError if the operator can fix the error, which otherwise stays as it is. */
export const throwListenError =
  (address: Address, setting: SettingName) =>
  (error: unknown): never => {
    const sentence = describeListenError(systemCodeOf(error), address, setting)
    throw sentence === undefined ? error : new StartupError(sentence)
  }
