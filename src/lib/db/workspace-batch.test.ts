import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fileDatabase } from '../../../test/database/database.ts'
import { spyOnDb } from '../../../test/database/db-spy.ts'
import { newId } from '../ids.ts'
import { openDb } from './pool.ts'
import { batchReads, workspaceStatement } from './workspace-batch.ts'

const EMPTY = '00000000-0000-0000-0000-000000000000'

const selectLetters = workspaceStatement<{ workspaceId: string; letter: string; parameter: string }>(
  'test_letters_of_workspace',
  `select $1::uuid as "workspaceId", letter, $2::text as parameter from unnest(array['a', 'b', 'c']) as letter
   where $1 <> '${EMPTY}' order by letter desc limit 2`,
)

async function openBatched(t: TestContext) {
  const db = openDb({ url: await fileDatabase(), poolSize: 2 })
  t.after(() => db.close())
  const sent: string[] = []
  const spied = spyOnDb(db, ({ statement: { name }, run }) => {
    sent.push(name)
    return run()
  })
  return { db, sent, batched: batchReads(spied) }
}

test('reads of 60 workspaces take three statements, and each workspace gets its own rows in order', async (t) => {
  const { db, sent, batched } = await openBatched(t)
  const ids = Array.from({ length: 60 }, newId)
  const found = await Promise.all(ids.map((id) => batched.rows(selectLetters, [id, 'x'])))
  assert.deepEqual(sent, Array(3).fill('test_letters_of_workspace_batch'))
  assert.deepEqual(found[59], await db.rows(selectLetters, [ids[59], 'x']))
  assert.deepEqual(
    found.flat().map(({ workspaceId, letter }) => [workspaceId, letter]),
    ids.flatMap((id) => ['c', 'b'].map((letter) => [id, letter])),
  )
})

test('a workspace without rows gets an empty array from a batch', async (t) => {
  const { batched } = await openBatched(t)
  const read = (id: string) => batched.rows(selectLetters, [id, 'x'])
  const found = await Promise.all([read(newId()), read(EMPTY), read(newId())])
  assert.deepEqual(
    found.map(({ length }) => length),
    [2, 0, 2],
  )
})

test('reads with different parameters are not batched', async (t) => {
  const { sent, batched } = await openBatched(t)
  const read = (parameter: string) => batched.row(selectLetters, [newId(), parameter])
  const found = await Promise.all([read('x'), read('y'), read('x')])
  assert.deepEqual(
    found.map((row) => row?.parameter),
    ['x', 'y', 'x'],
  )
  assert.equal(sent.length, 2)
})

test('the statements of many reads run one at a time', async (t) => {
  const db = openDb({ url: await fileDatabase(), poolSize: 2 })
  t.after(() => db.close())
  let running = 0
  let most = 0
  const batched = batchReads(
    spyOnDb(db, async ({ run }) => {
      running += 1
      most = Math.max(most, running)
      return run().finally(() => (running -= 1))
    }),
  )
  await Promise.all(['x', 'y', 'z'].map((parameter) => batched.rows(selectLetters, [newId(), parameter])))
  assert.equal(most, 1)
})
