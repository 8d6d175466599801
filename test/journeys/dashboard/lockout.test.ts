import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginAttempt, rowOfMadeUpAddress } from '../../../src/admin/auth/sign-in-attempts.ts'
import { PASSWORD, type SignedIn, signInWithPassword } from '../../world/dashboard.ts'
import { asCookie, askAuth, eventsOf, trySignIn, withSecondFactor } from '../../world/sign-in-calls.ts'
import { type World, startWorld } from '../../world/world.ts'

const forgetAddress = (world: World) => world.query('delete from auth."rateLimit"')

const useUpAddress = (world: World) =>
  world.query(`update auth."rateLimit" set count = 30, "lastRequest" = extract(epoch from now()) * 1000`)

const pausesOf = async (world: World, person: SignedIn) =>
  (await eventsOf(world, person)).filter((action) => action === 'person.sign_in_paused').length

test('attempts that the limit of their address rejects do not count against an account', async (t) => {
  const world = await startWorld(t)
  const { email, cookie } = await signInWithPassword(world, 'owner')
  await trySignIn(world, 'first@shop.example', 'wrong')
  await askAuth(world, 'two-factor/enable', { password: 'wrong' }, { cookie })
  await useUpAddress(world)
  const rowsBefore = await world.query('select account from sign_in_attempts')
  for (let n = 0; n < 12; n += 1) {
    assert.equal((await trySignIn(world, email, 'wrong')).status, 429)
    assert.equal((await trySignIn(world, `made-up-${n}@shop.example`, 'wrong')).status, 429)
    assert.equal((await askAuth(world, 'two-factor/enable', { password: 'wrong' }, { cookie })).status, 429)
  }
  assert.deepEqual(await world.query('select account from sign_in_attempts'), rowsBefore)
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

/** An address without an account, whose attempts would be counted in the person's row if accounts shared them. */
function neighbourOf({ parts: { seal } }: World, { email }: SignedIn): string {
  const row = rowOfMadeUpAddress(seal, email)
  for (let n = 0; n < 2_000_000; n += 1) {
    const address = `neighbour-${n}@shop.example`
    if (rowOfMadeUpAddress(seal, address).equals(row)) return address
  }
  return assert.fail('no address has the same row')
}

test('attempts at an address without an account pause no account', async (t) => {
  const world = await startWorld(t)
  const person = await signInWithPassword(world, 'owner')
  const neighbour = neighbourOf(world, person)
  for (let n = 0; n < 11; n += 1) await trySignIn(world, neighbour, 'wrong')
  assert.equal((await trySignIn(world, neighbour, 'wrong')).status, 429)
  await forgetAddress(world)
  assert.equal((await trySignIn(world, person.email, PASSWORD)).status, 200)
  assert.equal(await pausesOf(world, person), 0)
})

test('a sign-in ends no pause of another account', async (t) => {
  const world = await startWorld(t)
  const [person, other] = [await signInWithPassword(world, 'owner'), await signInWithPassword(world, 'member')]
  await world.query('update auth."user" set "email" = $2 where "id" = $1', [other.userId, neighbourOf(world, person)])
  for (let n = 0; n < 10; n += 1) await trySignIn(world, person.email, 'wrong')
  const [{ email } = assert.fail('no person')] = await world.query<{ email: string }>(
    'select "email" from auth."user" where "id" = $1',
    [other.userId],
  )
  assert.equal((await trySignIn(world, email, PASSWORD)).status, 200)
  assert.equal((await trySignIn(world, person.email, PASSWORD)).status, 429)
  assert.equal(await pausesOf(world, person), 1)
})

test('attempts at made-up addresses share rows', async (t) => {
  const world = await startWorld(t)
  const { parts } = world
  const addresses = Array.from({ length: ADDRESSES }, (_, n) => `nobody-${n}@shop.example`)
  await world.query('delete from sign_in_attempts')
  for (const address of addresses.slice(0, 5)) await trySignIn(world, address, 'wrong')
  const rowsOfPages = await world.query('select account from sign_in_attempts')
  for (const address of addresses) await beginAttempt(parts, rowOfMadeUpAddress(parts.seal, address))
  const rows = await world.query<{ account: Buffer }>('select account from sign_in_attempts')
  assert.ok(rowsOfPages.length > 0 && rows.length < ADDRESSES, String(rows.length))
  assert.deepEqual(new Set(rows.map(({ account }) => account.length)), new Set([2]))
})

/** Of 65,536 rows, about 30 are met twice: the odds that none is are one in 10^13. */
const ADDRESSES = 2_000
