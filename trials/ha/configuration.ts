import { readFile } from 'node:fs/promises'
import path from 'node:path'

const FOLDER = path.resolve(import.meta.dirname, '../../deploy/ha')

/** The three machines of deploy/ha, each with a network namespace of its own. */
export const MEMBERS = [
  { name: 'pg1', address: '10.0.0.11' },
  { name: 'pg2', address: '10.0.0.12' },
  { name: 'pg3', address: '10.0.0.13' },
] as const
export type MemberName = (typeof MEMBERS)[number]['name']
export const BALANCER = { host: '127.0.0.1', port: 5_000 }

/** Debian 12 has Patroni 3.0.2, for which the files of deploy/ha say what to replace. */
export type Debian = 12 | 13

/** patroni.yml and etcd.env name both values of each line. */
const ON_DEBIAN_12: Readonly<Record<string, string>> = {
  '\netcd3:\n': '\netcd:\n',
  'synchronous_mode: quorum': 'synchronous_mode: true',
}
const ETCD_ON_DEBIAN_12 = 'ETCD_ENABLE_V2=true'

/** Throws if the file no longer contains a text to replace: the run would not start what the file describes. */
function replaceEach(file: string, text: string, replacements: Readonly<Record<string, string>>): string {
  for (const words of Object.keys(replacements))
    if (!text.includes(words)) throw new Error(`deploy/ha/${file} no longer has "${words}"`)
  return Object.entries(replacements).reduce((result, [from, to]) => result.replaceAll(from, to), text)
}

const read = (file: string): Promise<string> => readFile(path.join(FOLDER, file), 'utf8')

/** The file of a machine, changed as its first lines say: only the lines above the empty line differ. */
export async function readEnvironment(
  file: 'etcd.env' | 'patroni.env',
  name: MemberName,
  debian: Debian = 13,
): Promise<Record<string, string>> {
  const [own = '', ...shared] = (await read(file)).split('\n\n')
  const ofMachine = replaceEach(file, own, { '=pg1\n': `=${name}\n`, '10.0.0.11': `10.0.0.1${name.slice(2)}` })
  const ofDebian =
    file === 'etcd.env' && debian === 12
      ? replaceEach(file, shared.join('\n'), { [`# ${ETCD_ON_DEBIAN_12}`]: ETCD_ON_DEBIAN_12 })
      : shared.join('\n')
  return Object.fromEntries(
    `${ofMachine}\n${ofDebian}`
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

export async function patroniFile({
  folder,
  postgresFolder,
  debian,
}: {
  folder: string
  postgresFolder: string
  debian: Debian
}): Promise<string> {
  const text = replaceEach('patroni.yml', await read('patroni.yml'), {
    '/usr/lib/postgresql/17/bin': postgresFolder,
    '/var/lib/postgresql/17/doorcode': path.join(folder, 'data'),
    '/var/lib/postgresql/patroni.pgpass': path.join(folder, 'pgpass'),
    '/var/run/postgresql': folder,
    'shared_buffers: 4GB': 'shared_buffers: 128MB', // three members share this machine
  })
  return debian === 12 ? replaceEach('patroni.yml', text, ON_DEBIAN_12) : text
}

/** Only root can become the user `haproxy`. */
export async function haproxyFile(isRoot: boolean): Promise<string> {
  const text = await read('haproxy.cfg')
  return isRoot ? text : replaceEach('haproxy.cfg', text, { '    user haproxy\n': '', '    group haproxy\n': '' })
}

export const databaseScript = (): Promise<string> => read('create-database.sql')

/** In create-database.sql. */
export const DOORCODE_PASSWORD = 'replace-doorcode-password'
