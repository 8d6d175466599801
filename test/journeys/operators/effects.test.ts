import assert from 'node:assert/strict'
import { test } from 'node:test'
import { record } from '../../database/events.ts'
import { ENTRY_POINTS, openEntryPoint } from '../../world/entry-points.ts'
import type { Input } from '../../world/operator-actions.ts'
import { assertSigned } from '../../world/receiver.ts'
import { startWorld } from '../../world/world.ts'

for (const name of ENTRY_POINTS) {
  test(`${name}: after a rotation both secrets sign for a day`, async (t) => {
    const world = await startWorld(t)
    const receiver = await world.receiver()
    const { endpointId, secret: first } = receiver
    const { perform } = await openEntryPoint(world, name)
    const { secret: second, previousSecretUntil } = await perform('endpoints.rotate', { endpointId })
    assert.match(String(second), /^whsec_/)
    assert.notEqual(second, first)
    const hours = (Date.parse(String(previousSecretUntil)) - Date.now()) / 3_600_000
    assert.ok(hours > 23.9 && hours < 24.1, String(hours))
    await perform('endpoints.ping', { endpointId })
    await world.settled()
    const [ping] = receiver.received
    assert.ok(ping)
    assertSigned(ping, first)
    assertSigned(ping, String(second))
  })

  test(`${name}: everything that waits is tried immediately, and the entry says how many`, async (t) => {
    const world = await startWorld(t)
    const receiver = await world.receiver()
    const { endpointId } = receiver
    const { perform } = await openEntryPoint(world, name)
    receiver.always({ status: 503, headers: { 'retry-after': '600' } })
    await record(world, 3)
    await world.settled()
    receiver.always({ status: 204 })
    await perform('endpoints.retryWaiting', { endpointId })
    await receiver.waitFor(6)
    await world.settled()
    await perform('endpoints.retryWaiting', { endpointId })
    assert.deepEqual(
      await world.query(`select after from audit_log where action = 'endpoint.retried' and target = $1`, [endpointId]),
      [{ after: { waiting: 3 } }],
    )
  })

  test(`${name}: a paused sender accepts nothing, and its accepted messages wait until it is resumed`, async (t) => {
    const world = await startWorld(t, { works: false })
    const { senderId } = world
    const { perform } = await openEntryPoint(world, name)
    const otp = await world.sendOtp()
    await perform('senders.pause', { senderId })
    const rejected = await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })
    assert.equal(rejected.body.code, 'OTP_SENDER_UNAVAILABLE')
    assert.match(
      String(rejected.body.detail),
      /Resume it on the Senders page or with “doorcode sender resume <senderId>”/,
    )
    await world.node({ works: true })
    await world.settled()
    assert.equal(world.whatsapp.got(otp).length, 0)
    await perform('senders.resume', { senderId })
    await world.settled()
    assert.equal(world.whatsapp.got(otp).length, 1)
    await world.sendOtp()
  })

  test(`${name}: a quota and a block apply to the next request`, async (t) => {
    const world = await startWorld(t, { otpQuota: 1 })
    const { perform } = await openEntryPoint(world, name)
    const post = async (to?: string) =>
      (await world.request('POST', '/api/v1/otp/messages', { body: world.otpBody(to === undefined ? {} : { to }) }))
        .body.code
    assert.deepEqual([await post(), await post()], [undefined, 'OTP_QUOTA_EXCEEDED'])
    await perform('workspaces.setQuota', { kind: 'otp', monthlyUnits: 3, otp: 3 })
    const phone = '+212612345678'
    await perform('blocked.add', { phone: ' +212 612-345678 ' })
    assert.deepEqual([await post(phone), await post()], ['RECIPIENT_BLOCKED', undefined])
    await perform('blocked.remove', { phone })
    assert.deepEqual([await post(phone), await post()], [undefined, 'OTP_QUOTA_EXCEEDED'])
  })

  test(`${name}: what the domain rejects is rejected with its reason`, async (t) => {
    const world = await startWorld(t)
    const { perform } = await openEntryPoint(world, name)
    const { accountId } = world.account
    const wrong: [Parameters<typeof perform>[0], Input, RegExp][] = [
      ['endpoints.add', { url: 'https://a:b@example.com/' }, /^The URL must not contain a user name/],
      ['endpoints.add', { url: 'https://example.com/#part' }, /^The URL must not have a fragment/],
      ['senders.connect', { ...world.credentials, wabaId: '123' }, /must be 15 to 17 digits/],
      ['senders.removeAccount', { accountId, wabaId: '1' }, new RegExp(world.credentials.wabaId)],
      ['workspaces.requestDeletion', { name: 'Another shop' }, /Test shop/],
    ]
    for (const [action, input, reason] of wrong)
      await assert.rejects(perform(action, input), { message: reason }, action)
    assert.deepEqual(await world.query('select from audit_log where workspace_id = $1', [world.workspaceId]), [])
  })
}
