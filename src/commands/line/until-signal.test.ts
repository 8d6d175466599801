import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import { interruptCommand } from '../../../test/world/command-line.ts'
import type { Output } from '../command.ts'
import { runUntilSignal } from './until-signal.ts'

const DONE: Output = { result: {}, text: 'done' }
const never = new Promise<never>(() => {})

function run(work: (resources: AsyncDisposableStack) => Promise<Output>) {
  const printed: string[] = []
  const code = runUntilSignal(
    { interruptedMessage: 'Nothing was done.' },
    {
      work: (_signal, resources) => work(resources),
      print: ({ text, failed }) => (printed.push(text), failed ? 1 : 0),
      printError: (error) => printed.push(String(error)),
      maxEndMs: 20,
    },
  )
  return { printed, code }
}

test('a result is printed before closing, and after Ctrl-C closing has a limit', async () => {
  const { printed, code } = run(async (resources) => {
    resources.defer(() => never)
    return DONE
  })
  await nextTurn()
  assert.deepEqual(printed, ['done'])
  interruptCommand()
  assert.equal(await code, 0)
})

test('work that ends after Ctrl-C still prints its result', async () => {
  const work = Promise.withResolvers<Output>()
  const { printed, code } = run((resources) => {
    resources.defer(() => never)
    return work.promise
  })
  interruptCommand()
  await nextTurn()
  work.resolve(DONE)
  await nextTurn()
  assert.deepEqual(printed, ['done'])
  assert.equal(await code, 0)
})

test('work without an outcome in time is never said to have done nothing', async () => {
  const { code } = run(() => never)
  interruptCommand()
  await assert.rejects(code, /did not end in time, so its outcome is unknown/)
})

test('work that Ctrl-C ended says what it leaves', async () => {
  const work = Promise.withResolvers<Output>()
  const { printed, code } = run(() => work.promise)
  interruptCommand()
  work.reject(new Error('the connection ended'))
  await assert.rejects(code, /Nothing was done\./)
  assert.deepEqual(printed, [])
})

test('a fault while closing changes neither result nor exit code', async () => {
  const { printed, code } = run(async (resources) => {
    resources.defer(() => Promise.reject(new Error('the folder is locked')))
    return DONE
  })
  assert.equal(await code, 0)
  assert.deepEqual(printed, ['done', 'Error: the folder is locked'])
})
