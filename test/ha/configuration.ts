import { readFile } from 'node:fs/promises'
import path from 'node:path'

const FOLDER = path.resolve(import.meta.dirname, '../../deploy/ha')

/** The three machines of deploy/ha. Here each is an address of the loopback interface, with the same ports. */
export const MEMBERS = [
  { name: 'pg1', address: '127.0.66.11' },
  { name: 'pg2', address: '127.0.66.12' },
  { name: 'pg3', address: '127.0.66.13' },
] as const
export type MemberName = (typeof MEMBERS)[number]['name']
export const BALANCER = { host: '127.0.66.1', port: 5_000 }

/** What an operator replaces. Connections between addresses of the loopback interface come from 127.0.0.1. */
const ADDRESSES: readonly (readonly [string, string])[] = [
  ['10.0.0.0/24', '127.0.0.0/8'],
  ['10.0.0.1', '127.0.66.1'],
  ['127.0.0.1:5000', `${BALANCER.host}:${BALANCER.port}`],
]

const replaceAll = (text: string, replacements: readonly (readonly [string, string])[]): string =>
  replacements.reduce((result, [from, to]) => result.replaceAll(from, to), text)

/** Throws if the file no longer contains a text to replace: the run would not start what the file describes. */
function replaceEach(file: string, text: string, replacements: Readonly<Record<string, string>>): string {
  for (const words of Object.keys(replacements))
    if (!text.includes(words)) throw new Error(`deploy/ha/${file} no longer has "${words}"`)
  return replaceAll(text, Object.entries(replacements))
}

const read = (file: string): Promise<string> => readFile(path.join(FOLDER, file), 'utf8')

/** The file of a machine, changed as its first lines say: only the lines above the empty line differ. */
export async function readEnvironment(
  file: 'etcd.env' | 'patroni.env',
  name: MemberName,
): Promise<Record<string, string>> {
  const [own = '', ...shared] = (await read(file)).split('\n\n')
  const ofMachine = replaceEach(file, own, { '=pg1\n': `=${name}\n`, '10.0.0.11': `10.0.0.1${name.slice(2)}` })
  const lines = replaceAll([ofMachine, ...shared].join('\n'), ADDRESSES).split('\n')
  return Object.fromEntries(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

export async function patroniFile({
  folder,
  postgresFolder,
}: {
  folder: string
  postgresFolder: string
}): Promise<string> {
  const text = replaceEach('patroni.yml', await read('patroni.yml'), {
    '/usr/lib/postgresql/15/bin': postgresFolder,
    '/var/lib/postgresql/15/doorcode': path.join(folder, 'data'),
    '/var/lib/postgresql/patroni.pgpass': path.join(folder, 'pgpass'),
    '/var/run/postgresql': folder,
    'shared_buffers: 4GB': 'shared_buffers: 128MB', // three members share this machine
  })
  return replaceAll(text, ADDRESSES)
}

/** Only root can become the user `haproxy`. */
export async function haproxyFile(isRoot: boolean): Promise<string> {
  const text = await read('haproxy.cfg')
  const ofUser = isRoot
    ? text
    : replaceEach('haproxy.cfg', text, { '    user haproxy\n': '', '    group haproxy\n': '' })
  return replaceAll(ofUser, ADDRESSES)
}

export const databaseScript = (): Promise<string> => read('create-database.sql')

/** In create-database.sql. */
export const DOORCODE_PASSWORD = 'replace-doorcode-password'
