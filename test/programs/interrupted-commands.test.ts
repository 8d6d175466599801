import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { Connection } from '../../src/lib/db/connection.ts'
import { newFile } from '../world/backups.ts'
import { environmentOf, interruptCommand, runCommand } from '../world/command-line.ts'
import { waitFor } from '../world/wait-for.ts'
import { newPhone, startWorld } from '../world/world.ts'

test('a command that Ctrl-C interrupts says what it leaves', async (t) => {
  const world = await startWorld(t, { works: false })
  const { folder, file } = await newFile(t)
  const { to } = await world.sendOtp({ to: newPhone() })
  const recipient = ['--workspace', world.workspaceId, '--phone', to]
  const locking = new Connection({ connectionString: world.databaseUrl })
  await locking.connect()
  t.after(() => locking.close())
  for (const [words, expected] of [
    [['backup', file], 'The backup was interrupted, and no file was written.'],
    [
      ['verify', '--workspace', world.workspaceId],
      'The verification was interrupted. It changes nothing. Run it again',
    ],
    [['recipient', 'export', ...recipient, '--file', file], 'The export was interrupted, and no file was written.'],
    [
      ['recipient', 'erase', ...recipient, '--yes'],
      'The erasure was interrupted. What was erased stays erased: run the command',
    ],
    [['explain', (await world.sendOtp()).messageId], 'The command was interrupted. Check whether it made its change'],
  ] as const) {
    await locking.query('begin; lock table messages in access exclusive mode')
    const running = runCommand(words, environmentOf(world))
    await waitFor(`${words[0]} to wait`, async () => ((await locking.query(WAITS)).rowCount ?? 0) > 0)
    interruptCommand()
    const { code, stdout, stderr } = await running
    await locking.query('rollback')
    assert.deepEqual([code, stdout], [1, ''])
    assert.ok(stderr.startsWith(expected), stderr)
  }
  assert.deepEqual(await readdir(folder), [], 'no partial file')
})

const WAITS = `select from pg_locks where not granted and relation = 'messages'::regclass
  and database = (select oid from pg_database where datname = current_database())`
