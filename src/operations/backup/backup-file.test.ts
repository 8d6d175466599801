import assert from 'node:assert/strict'
import { readFile, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { UserError } from '../../lib/errors.ts'
import { MAX_KEYS } from '../../lib/seal.ts'
import { newEncryption } from './encryption.ts'
import { type Frame, type Header, MAX_FRAME_BYTES, encodeHeader } from './format.ts'
import { checkFrames } from './check.ts'
import { openBackupFile } from './read-file.ts'
import { writeBackup } from './write-file.ts'
import { temporaryFolder } from '../../../test/world/temporary-folder.ts'

const HEADER: Header = {
  createdAt: '2026-11-23T12:00:00.000Z',
  doorcode: '0.1.0',
  postgresql: '18.1',
  migration: { number: 1, name: '000001_create.sql' },
  containsKey: true,
  keyCheck: 'AAAA',
  encryption: null,
  tables: [{ name: 'workspaces', columns: ['id', 'name'] }],
}

const FRAMES: readonly Frame[] = [
  { kind: 'key', content: randomBytes(32) },
  { kind: 'rows', content: randomBytes(100_000) },
  { kind: 'rows', content: Buffer.from('1\tShop\n') },
  { kind: 'count', content: Buffer.from('2') },
  { kind: 'end', content: Buffer.alloc(0) },
]

const PASSPHRASE = 'correct horse battery staple'

for (const passphrase of [undefined, PASSPHRASE]) {
  const form = passphrase === undefined ? 'a backup without a passphrase' : 'an encrypted backup'

  test(`${form} is read as it was written`, async (t) => {
    const frames: Frame[] = [{ kind: 'rows', content: randomBytes(MAX_FRAME_BYTES) }, ...FRAMES]
    const { file } = await writeExample(t, { passphrase, frames })
    await using backup = await openBackupFile(file, passphrase)
    assert.deepEqual({ ...backup.header, encryption: null }, HEADER)
    for (let reads = 0; reads < 2; reads += 1) assert.deepEqual(await Array.fromAsync(backup.frames()), frames)
  })

  test(`a byte that differs anywhere in ${form} is found`, async (t) => {
    const { file, bytes } = await writeExample(t, { passphrase })
    for (let position = 0; position < bytes.length; position += position < 1_200 ? 41 : 9_999) {
      await assertRejected(file, withFlippedBit(bytes, position), passphrase)
    }
    for (const fromEnd of [1, 15, 16, 47, 48, 55])
      await assertRejected(file, withFlippedBit(bytes, bytes.length - fromEnd), passphrase)
  })

  test(`${form} that was cut off anywhere is rejected`, async (t) => {
    const { file, bytes } = await writeExample(t, { passphrase })
    for (const length of [0, 10, 18, 300, 800, 50_000, bytes.length - 48, bytes.length - 1])
      await assertRejected(file, bytes.subarray(0, length), passphrase)
  })
}

test('each fault of a file has its own error', async (t) => {
  const { file, bytes } = await writeExample(t, { passphrase: PASSPHRASE })
  const newer = Buffer.from(bytes.toString('latin1').replace('doorcode-backup 1', 'doorcode-backup 2'), 'latin1')
  for (const [content, passphrase, expected] of [
    [Buffer.from('-- PostgreSQL database dump\n'), PASSPHRASE, /is not a backup that Doorcode made/],
    [randomBytes(5_000), PASSPHRASE, /is not a backup that Doorcode made/],
    [newer, PASSPHRASE, /was made by a newer release of Doorcode/],
    [withHeader({ ...HEADER, parts: 2 } as Header, bytes), PASSPHRASE, /was made by a newer release of Doorcode/],
    [bytes.subarray(0, -1), PASSPHRASE, /is incomplete: its end is missing/],
    [withFlippedBit(bytes, 100), PASSPHRASE, /is damaged/],
    [withFlippedBit(bytes, bytes.length - 50_000), PASSPHRASE, /is damaged/],
    [bytes, undefined, /is encrypted.*--passphrase-file/],
    [bytes, 'another passphrase', /^The passphrase is not the one that/],
  ] as const) {
    await assertRejected(file, content, passphrase, expected)
  }
  const missing = `${file}.missing`
  await assert.rejects(openBackupFile(missing, undefined), /There is no file/)
  await assert.rejects(openBackupFile(path.dirname(file), undefined), /is not a file/)
})

test('a file cannot ask for more work or memory than its passphrase needs', async (t) => {
  const { file, bytes } = await writeExample(t, { passphrase: PASSPHRASE })
  const { encryption } = await newEncryption(PASSPHRASE)
  for (const change of [
    { cost: 2 ** 17, parallelization: 2 ** 20 },
    { cost: 2 ** 17, parallelization: 17 },
    { cost: 2 ** 20, blockSize: 8 },
    { cost: 2, blockSize: 2 ** 29 },
    { cost: 1 },
    { cost: 0 },
    { cost: -2 },
    { cost: 3 },
    { blockSize: 0 },
    { parallelization: -1 },
    { cost: Number.MAX_SAFE_INTEGER },
  ]) {
    const crafted = withHeader({ ...HEADER, encryption: { ...encryption, ...change } }, bytes)
    await assertRejected(file, crafted, PASSPHRASE, /needs more work or memory/)
  }
})

test('a backup whose keys are none, too many or of another database is rejected before anything is written', async (t) => {
  const tables = FRAMES.filter(({ kind }) => kind !== 'key')
  for (const lengths of [[0], [16], [31], [33], [64], [32, 1], [32], [32, 32, 32, 32, 32, 32]]) {
    const keys = lengths.map((length): Frame => ({ kind: 'key', content: randomBytes(length) }))
    const { file } = await writeExample(t, { frames: [...keys, ...tables] })
    await using backup = await openBackupFile(file, undefined)
    await assert.rejects(
      checkFrames(file, backup, new AbortController().signal),
      /does not contain the instance key of its database/,
      String(lengths),
    )
  }
})

test('a restore keeps no more keys in memory than an instance can have', async (t) => {
  const keys = Array.from({ length: 40 }, (): Frame => ({ kind: 'key', content: Buffer.alloc(MAX_FRAME_BYTES) }))
  const { file } = await writeExample(t, { frames: [...keys, ...FRAMES] })
  await using backup = await openBackupFile(file, undefined)
  let read = 0
  async function* frames() {
    for await (const frame of backup.frames()) {
      read += 1
      yield frame
    }
  }
  await assert.rejects(checkFrames(file, { ...backup, frames }, new AbortController().signal), UserError)
  assert.ok(read <= MAX_KEYS + 1, `${read} frames were read`)
})

test('an encrypted backup with reordered frames is rejected', async (t) => {
  const { file, bytes } = await writeExample(t, { passphrase: PASSPHRASE })
  const start = encodedHeaderBytes(bytes)
  const [key, rows] = [frameAt(bytes, start), frameAt(bytes, start + frameAt(bytes, start).length)]
  const rest = bytes.subarray(start + key.length + rows.length)
  await assertRejected(file, Buffer.concat([bytes.subarray(0, start), rows, key, rest]), PASSPHRASE, /is damaged/)
})

test('a backup never replaces a file without --force', async (t) => {
  const { file, bytes } = await writeExample(t)
  await assert.rejects(writeTo(file), /already exists.*--force/)
  assert.deepEqual(await readFile(file), bytes)
  await writeTo(file, { replace: true })
  assert.equal((await stat(file)).mode & 0o777, 0o600)
})

test('--force replaces nothing but a backup', async (t) => {
  const { folder } = await writeExample(t)
  const other = path.join(folder, 'passphrase')
  await writeFile(other, PASSPHRASE)
  await assert.rejects(writeTo(other, { replace: true }), /is not a backup, so it is not replaced/)
  assert.equal(await readFile(other, 'utf8'), PASSPHRASE)
})

test('a passphrase for a backup that is not encrypted is an error', async (t) => {
  const { file } = await writeExample(t)
  await assert.rejects(openBackupFile(file, PASSPHRASE), /is not encrypted, although you named a passphrase/)
})

test('a backup replaces regular files only, never a device or a socket', async (t) => {
  const { folder } = await writeExample(t)
  const socket = path.join(folder, 'socket')
  const server = createServer().listen(socket)
  await once(server, 'listening')
  t.after(() => server.close())
  await assert.rejects(writeTo(socket, { replace: true }), /is not a regular file\. Choose another name/)
  assert.ok((await stat(socket)).isSocket())
})

test('a backup that fails leaves the folder as it was', async (t) => {
  const { file, bytes, folder } = await writeExample(t)
  const fails = writeBackup({ file, replace: true }, async (writer) => {
    await writer.header(HEADER)
    throw new Error('the database is gone')
  })
  await assert.rejects(fails, /the database is gone/)
  assert.deepEqual(await readdir(folder), [path.basename(file)])
  assert.deepEqual(await readFile(file), bytes)
})

test('a later backup removes the partial file of a killed one', async (t) => {
  const { file, folder } = await writeExample(t)
  const [old, recent] = [`${file}.partial-00000000`, `${file}.partial-11111111`]
  await writeFile(old, 'x')
  await utimes(old, new Date(0), new Date(0))
  await writeFile(recent, 'x')
  await writeTo(file, { replace: true })
  assert.deepEqual((await readdir(folder)).toSorted(), [path.basename(file), path.basename(recent)])
})

test('the error names a folder that does not exist or is not writable', async (t) => {
  const { folder } = await writeExample(t)
  await assert.rejects(writeTo(path.join(folder, 'missing/x')), /The folder .*missing does not exist\. Create it first/)
  await assert.rejects(writeTo('/proc/x'), UserError)
})

type Example = { replace?: boolean; passphrase?: string | undefined; frames?: readonly Frame[] }

async function writeExample(t: TestContext, example: Example = {}) {
  const folder = await temporaryFolder(t)
  const file = path.join(folder, 'doorcode.backup')
  await writeTo(file, example)
  return { folder, file, bytes: await readFile(file) }
}

async function writeTo(file: string, { replace = false, passphrase, frames = FRAMES }: Example = {}): Promise<void> {
  const encrypted = passphrase === undefined ? undefined : await newEncryption(passphrase)
  await writeBackup({ file, replace }, async (writer) => {
    await writer.header({ ...HEADER, encryption: encrypted?.encryption ?? null }, encrypted?.cipher)
    for (const { kind, content } of frames) await writer.frame(kind, content)
  })
}

async function assertRejected(file: string, bytes: Buffer, passphrase?: string, expected = /./): Promise<void> {
  await writeFile(file, bytes)
  const read = async (): Promise<void> => {
    await using backup = await openBackupFile(file, passphrase)
    for await (const _ of backup.frames()) continue
  }
  await assert.rejects(read, (error) => {
    assert.ok(error instanceof UserError, String(error))
    assert.match(error.message, expected)
    return true
  })
}

function withFlippedBit(bytes: Buffer, position: number): Buffer {
  const flipped = Buffer.from(bytes)
  flipped.writeUInt8(flipped.readUInt8(position) ^ 1, position)
  return flipped
}

function encodedHeaderBytes(bytes: Buffer): number {
  let end = 0
  for (let lines = 0; lines < 3; lines += 1) end = bytes.indexOf('\n', end) + 1
  return end
}

const withHeader = (header: Header, bytes: Buffer): Buffer =>
  Buffer.concat([encodeHeader(header), bytes.subarray(encodedHeaderBytes(bytes))])

const frameAt = (bytes: Buffer, at: number): Buffer => bytes.subarray(at, at + 5 + bytes.readUInt32BE(at + 1))

test('the header of a backup is text that "head" shows', () => {
  const [magic, json] = encodeHeader(HEADER).toString().split('\n')
  assert.equal(magic, 'doorcode-backup 1')
  assert.deepEqual(JSON.parse(json ?? ''), HEADER)
})
