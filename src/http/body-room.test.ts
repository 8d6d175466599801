import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { BODIES_BYTES_MOST, SLOW_BODY_MS, bodyRoom } from './body-room.ts'

function startRoom(most: number) {
  let now = 0
  const room = bodyRoom({ most, monotonicMs: () => now })
  const gaveWay: string[] = []
  return {
    gaveWay,
    wait: (ms: number): void => {
      now += ms
    },
    enter: (name: string) => {
      const place = room.enter(() => {
        gaveWay.push(name)
        place.leave()
      })
      return place
    },
  }
}

test('bodies hold no more together than there is room, and what one leaves another may take', () => {
  const { enter, gaveWay } = startRoom(10)
  const [one, two] = [enter('one'), enter('two')]
  assert.deepEqual([one.take(4), two.take(6), one.take(1), two.take(1)], [true, true, false, false])
  one.leave()
  one.leave()
  assert.deepEqual([two.take(5), two.take(4)], [false, true])
  assert.equal(one.take(1), false, 'who has left takes nothing')
  assert.deepEqual(gaveWay, [])
})

test('when there is no room the slowest bodies give way, no more of them than it takes', () => {
  const { enter, wait, gaveWay } = startRoom(10)
  for (const name of ['one', 'two', 'three']) assert.ok(enter(name).take(3))
  wait(SLOW_BODY_MS - 1)
  const early = enter('early')
  assert.equal(early.take(2), false, 'they are not slow yet')
  assert.ok(early.take(1))
  wait(1)
  assert.ok(enter('late').take(4))
  assert.deepEqual(gaveWay, ['one', 'two'])
})

test('a body that is whole keeps its room, and a slow one takes none from others', () => {
  const { enter, wait, gaveWay } = startRoom(10)
  const whole = enter('whole')
  assert.ok(whole.take(6))
  whole.arrived()
  const slow = enter('slow')
  assert.ok(slow.take(4))
  wait(SLOW_BODY_MS)
  assert.equal(slow.take(1), false)
  assert.deepEqual(gaveWay, [])
  assert.equal(enter('large').take(7), false)
  assert.deepEqual(gaveWay, ['slow'])
})

test('the operations guide and the changelog tell the room of bodies and their time', async () => {
  const read = (name: string): Promise<string> => readFile(new URL(`../../${name}`, import.meta.url), 'utf8')
  const room = `${BODIES_BYTES_MOST / 1024 / 1024} MiB of a process`
  for (const name of ['docs/operations.md', 'CHANGELOG.md']) assert.ok((await read(name)).includes(room), name)
  assert.ok(
    (await read('docs/operations.md')).includes(`longer than ${SLOW_BODY_MS / 1000} seconds to arrive gives way`),
  )
})
