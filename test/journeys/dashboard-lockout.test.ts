import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_ADDRESS_ROWS, rowOfAddress } from '../../src/admin/auth/sign-in-attempts.ts'
import { PASSWORD, type SignedIn, signInWithPassword } from '../dashboard.ts'
import { asCookie, askAuth, eventsOf, trySignIn, withSecondFactor } from '../sign-in-calls.ts'
import { type World, startWorld } from '../world.ts'

const forgetAddress = (world: World) => world.ask('delete from auth."rateLimit"')

const useUpAddress = (world: World) =>
  world.ask(`update auth."rateLimit" set count = 30, "lastRequest" = extract(epoch from now()) * 1000`)

const pausesOf = async (world: World, person: SignedIn) =>
  (await eventsOf(world, person)).filter((action) => action === 'person.sign_in_paused').length

test('attempts that the limit of their address rejects do not count against an account', async (t) => {
  const world = await startWorld(t)
  const { email, cookie } = await signInWithPassword(world, 'owner')
  await trySignIn(world, 'first@shop.example', 'wrong')
  await askAuth(world, 'two-factor/enable', { password: 'wrong' }, { cookie })
  await useUpAddress(world)
  const rowsBefore = await world.ask('select account from sign_in_attempts')
  for (let n = 0; n < 12; n += 1) {
    assert.equal((await trySignIn(world, email, 'wrong')).status, 429)
    assert.equal((await trySignIn(world, `made-up-${n}@shop.example`, 'wrong')).status, 429)
    assert.equal((await askAuth(world, 'two-factor/enable', { password: 'wrong' }, { cookie })).status, 429)
  }
  assert.deepEqual(await world.ask('select account from sign_in_attempts'), rowsBefore)
  await forgetAddress(world)
  assert.equal((await trySignIn(world, email, PASSWORD)).status, 200)
  assert.equal((await askAuth(world, 'two-factor/enable', { password: PASSWORD }, { cookie })).status, 200)
})

test('every pause is in the audit log, however the address is written', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'owner')
  const writings = [` ${person.email}`, `${person.email}\t`, person.email.toUpperCase(), `\u00a0${person.email}`]
  for (let n = 0; n < 10; n += 1) await trySignIn(world, writings[n % writings.length] ?? '', 'wrong')
  assert.equal((await trySignIn(world, person.email, PASSWORD)).status, 429)
  assert.equal(await pausesOf(world, person), 1)
})

test('ten attempts at the password of a signed-in person are in the audit log', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'member')
  for (let n = 0; n < 11; n += 1) {
    await forgetAddress(world)
    await askAuth(
      world,
      'change-password',
      { currentPassword: `wrong ${n}`, newPassword: 'a new long password' },
      person,
    )
  }
  assert.equal(await pausesOf(world, person), 1)
})

test('ten wrong codes of a second factor are in the audit log, of either kind', async (t) => {
  const world = await startWorld(t)
  for (const kind of ['totp', 'backup-code']) {
    const person = await signInWithPassword(world, 'member')
    await withSecondFactor(world, person)
    for (let n = 0; n < 3; n += 1) {
      await forgetAddress(world)
      const pending = asCookie((await trySignIn(world, person.email, PASSWORD)).cookies)
      for (let wrong = 0; wrong < 5; wrong += 1) {
        await askAuth(world, `two-factor/verify-${kind}`, { code: '000000' }, { cookie: pending })
      }
    }
    assert.equal(await pausesOf(world, person), 1, kind)
  }
})

test('made-up addresses fill a fixed number of rows', async (t) => {
  const { seal } = (await startWorld(t)).parts
  const rows = new Set<string>()
  for (let n = 0; n < 2 * MAX_ADDRESS_ROWS; n += 1) rows.add(rowOfAddress(seal, `${n}@shop.example`).toString('hex'))
  assert.ok(rows.size > MAX_ADDRESS_ROWS / 2 && rows.size <= MAX_ADDRESS_ROWS, String(rows.size))
})
