import assert from 'node:assert/strict'
import { mkdir, open, readFile, readdir, stat, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import { demoAccount, startEmulator } from '../src/index.ts'
import { EMULATOR_LIMITS } from '../src/limits.ts'
import { Inbox, type StoredInbound } from '../src/messages/inbox.ts'
import { type Message, Messages } from '../src/messages/messages.ts'
import { Phones } from '../src/messages/phones.ts'
import { ServiceWindows } from '../src/messages/service-windows.ts'
import { FILE, SLOW, copyOf, newFolder, send, start } from './saved-state.ts'
import { listen, order, otp } from './world.ts'

function inSql(sql: string) {
  return (file: string): Promise<void> => {
    const database = new DatabaseSync(file)
    database.exec(sql)
    database.close()
    return Promise.resolve()
  }
}

for (const [what, damage, says] of [
  ['cut off', (file: string) => truncate(file, 10_000), /it is damaged/],
  ['overwritten in its middle', overwrite, /it is damaged/],
  ['not a database', (file: string) => writeFile(file, 'hello'), /it is damaged/],
  ['empty', (file: string) => truncate(file, 0), /it is empty/],
  ['whole and makes no sense', inSql(`update things set value = '{}'`), /it was not understood/],
  ['of an older form', inSql('pragma user_version = 1'), /an older release has written it/],
  ['of a newer format', inSql('pragma user_version = 9'), /a newer release has written it/],
] as const) {
  test(`a file that is ${what} is put aside, and the emulator starts empty`, async (t) => {
    const data = await newFolder(t)
    const first = await start(t, { data, speed: SLOW, accounts: [demoAccount()] })
    await send(first, otp())
    await first.close()
    const file = path.join(data, FILE)
    await damage(file)
    const damaged = await readFile(file)
    const warnings: string[] = []
    const second = await start(t, { data, accounts: [demoAccount()], warn: (line) => warnings.push(line) })
    assert.deepEqual(second.messages(), [])
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', says)
    const aside = (await readdir(data)).find((name) => name.endsWith('.aside')) ?? ''
    assert.ok(warnings[0]?.includes(aside))
    assert.deepEqual(await readFile(path.join(data, aside)), damaged)
    await send(second, otp())
    await second.close()
    const third = await start(t, { data, accounts: [demoAccount()], warn: (line) => warnings.push(line) })
    assert.deepEqual([third.messages().length, warnings.length], [1, 1])
  })
}

test('a folder in place of the file is put aside with a warning', async (t) => {
  const data = await newFolder(t)
  await mkdir(path.join(data, FILE))
  const warnings: string[] = []
  const first = await start(t, { data, accounts: [demoAccount()], warn: (line) => warnings.push(line) })
  await first.close()
  assert.match(warnings.join(), /because it is not a file\. It is now .*\.aside, and the emulator starts empty/)
  assert.ok((await stat(path.join(data, FILE))).isFile())
})

test('a folder serves one emulator at a time', async (t) => {
  const data = await newFolder(t)
  const first = await start(t, { data, accounts: [demoAccount()] })
  await send(first, otp())
  await assert.rejects(startEmulator({ data }), /Another WhatsApp emulator uses .*\. Stop it, or choose another folder/)
  await first.close()
  const { port } = new URL((await start(t, {})).url)
  await assert.rejects(startEmulator({ data, port: Number(port) }), /EADDRINUSE/)
  const second = await start(t, { data })
  assert.equal(second.messages().length, 1)
})

for (const [what, damage] of [
  ['was being written when the process was killed', (log: string, bytes: number) => truncate(log, bytes - 100)],
  ['is damaged', (log: string, bytes: number) => overwrite(log, bytes - 100)],
] as const) {
  test(`a commit that ${what} is dropped, and earlier ones are kept`, async (t) => {
    const data = await newFolder(t)
    const first = await start(t, { data, speed: SLOW, accounts: [demoAccount()] })
    await send(first, order('order_confirmation', ['Ana', 'A-1', '25 EUR']))
    await send(first, order('order_confirmation', ['Ana', 'A-2', '25 EUR']))
    const copy = await copyOf(t, data)
    const log = path.join(copy, `${FILE}-wal`)
    await damage(log, (await stat(log)).size)
    const warnings: string[] = []
    const second = await start(t, { data: copy, speed: SLOW, warn: (line) => warnings.push(line) })
    assert.deepEqual([second.messages().map(({ parameters }) => parameters[1]), warnings], [['A-1'], []])
  })
}

test('a full disk is reported once, and changes are written later', async (t) => {
  const data = await newFolder(t)
  const warnings: string[] = []
  const warn = (line: string): void => void warnings.push(line)
  // SQLite reports a full disk and a full file with the same error.
  const first = await start(t, {
    data,
    dataBytes: 400_000,
    throughputLimit: false,
    speed: SLOW,
    accounts: [demoAccount()],
    warn,
  })
  for (let at = 0; at < 200 && warnings.length === 0; at++) await send(first, order(), `+346001${10_000 + at}`)
  await send(first, order())
  assert.equal(warnings.length, 1)
  assert.match(
    warnings[0] ?? '',
    /cannot be written to .*emulator\.db: database or disk is full.*control\/reset makes room/,
  )
  first.reset()
  await send(first, otp())
  const second = await start(t, { data: await copyOf(t, data), speed: SLOW })
  assert.deepEqual(
    second.messages().map(({ code }) => code),
    ['493817'],
  )
  assert.equal(warnings.length, 1)
})

test('what exceeds a limit is removed from the store, too', () => {
  const removed: string[] = []
  const storage = {
    rows: () => [],
    put() {},
    touch() {},
    remove: (section: string, key: string) => void removed.push(`${section} ${key}`),
  }
  const [windows, phones, inbox, messages] = [ServiceWindows, Phones, Inbox, Messages].map(
    (Kind) => new Kind(storage),
  ) as [ServiceWindows, Phones, Inbox, Messages]
  const { windowsKept, phonesKept, inboundKept, messagesKept } = EMULATOR_LIMITS
  for (let at = 0; at <= windowsKept; at++) windows.open('1', String(at), 0)
  for (let at = 0; at <= phonesKept; at++) phones.rememberUserId(String(at), '1')
  for (let at = 0; at <= inboundKept; at++) inbox.add({ record: { id: String(at) } } as StoredInbound)
  for (let at = 0; at <= messagesKept; at++) messages.add({ id: String(at) } as Message)
  assert.deepEqual(removed, ['windows 1/0', 'userIds 0', 'inbox 0', 'messages 0'])
})

test('unreferenced posts are removed from the store', async (t) => {
  const data = await newFolder(t)
  const callback = await listen(t)
  const first = await start(t, { data, speed: 0, accounts: [demoAccount({ callbackUrl: callback.url })] })
  await send(first, order())
  await first.idle()
  first.reset()
  await first.close()
  const second = await start(t, { data, speed: SLOW })
  await second.close()
  const database = new DatabaseSync(path.join(data, FILE))
  t.after(() => database.close())
  assert.deepEqual(database.prepare(`select key from things where section = 'posts'`).all(), [])
})

test('only the owner can read the file, and a missing folder is created', async (t) => {
  const data = path.join(await newFolder(t), 'made')
  const emulator = await start(t, { data })
  for (const name of [FILE, `${FILE}-wal`]) assert.equal((await stat(path.join(data, name))).mode & 0o777, 0o600)
  await emulator.close()
  assert.deepEqual([(await stat(data)).mode & 0o777, await readdir(data)], [0o700, [FILE]])
})

test('an unwritable folder is reported once, and the emulator goes on', async (t) => {
  const data = await newFolder(t)
  await mkdir(path.join(data, `${FILE}-wal`)) // where SQLite is to write its log
  const warnings: string[] = []
  const emulator = await start(t, { data, accounts: [demoAccount()], warn: (line) => warnings.push(line) })
  await send(emulator, otp())
  await emulator.close()
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /cannot be written to .*emulator\.db: disk I\/O error/)
})

test('an unreadable folder ends the start', async (t) => {
  const data = path.join(await newFolder(t), 'file')
  await writeFile(data, '')
  await assert.rejects(startEmulator({ data }), /emulator\.db cannot be read .*choose another folder/)
})

/** Overwrites with meaningless bytes, starting with the head of the second page. */
async function overwrite(file: string, at = 4_096): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(50, 0xff), 0, 50, at)
  await handle.close()
}
