import { translatorOf } from '../../../locales/resources.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import { advanceSandbox } from '../../../src/sandbox/advance.ts'
import { explainConversation } from '../../../src/explain/explain.ts'
import { codAccount } from '../../world/cod.ts'
import { explained } from '../../world/explained.ts'
import { startSandbox } from '../../world/sandbox.ts'
import type { World } from '../../world/world.ts'

test('a reschedule shows each question, tap, answer and event in order', async (t) => {
  const world = await startSandbox(t)
  await world.receiver()
  const { order, ana } = await confirm(world)
  const { confirmationId } = order
  for (const button of [2, 0, 1]) await ana.taps(button)

  const explanation = await explained(world, confirmationId)
  assert.deepEqual(
    [explanation.kind, explanation.confirmationId, explanation.status],
    ['confirmation', confirmationId, 'rescheduled'],
  )
  const story = explanation.timeline.filter(({ what }) =>
    ['request', 'message', 'customer', 'answer', 'event'].includes(what),
  )
  assert.deepEqual(
    story.map(
      ({ what, detail }) => `${what}: ${detail.replaceAll(/ \d{4}-\d{2}-\d{2}|, \w+ \d+|\(\d{4}-\d{2}-\d{2}/g, '…')}`,
    ),
    [
      story[0] && `request: ${story[0].detail}`,
      'message: the confirmation question: “Hello Ana, please confirm your order 5521 of 349 MAD, to be paid on delivery. ⏎ Demo Shop” [Confirm | Cancel | Change time]',
      'customer: taps “change time” on the confirmation question',
      'answer: the customer wants another time',
      story[4] && `message: ${story[4].detail.replaceAll(/, \w+ \d+/g, '…')}`,
      story[5] && `customer: ${story[5].detail.replaceAll(/, \w+ \d+| \d{4}-\d{2}-\d{2}/g, '…')}`,
      'answer: the customer chose a day …)',
      'message: the time question: “At what time?” [09:00-12:00 | 12:00-18:00]',
      'customer: chooses “12:00-18:00” in the time question',
      'answer: the delivery is rescheduled …, 12:00-18:00)',
      'message: the closing message of the confirmation: “Thank you!”',
      story[11] && `event: ${story[11].detail}`,
    ],
  )
  assert.match(story[4]?.detail ?? '', /^the day question: “Which day\?” \[\w+/)
  assert.match(story[5]?.detail ?? '', /^chooses “.*” in the day question: \d{4}-\d{2}-\d{2}$/)
  assert.match(story[11]?.detail ?? '', /^cod\.reschedule_requested .* for 1 endpoint$/)
  const times = explanation.timeline.map(({ at }) => at)
  assert.deepEqual(times, times.toSorted())
  assert.equal(explanation.timeline.filter(({ what }) => what === 'attempt').length, 4)
  assert.equal(explanation.timeline.filter(({ what }) => what === 'webhook').length, 1)
  assert.equal(explanation.next.sentence, 'No action is needed: the customer chose another time.')
})

test('a late answer follows the customer’s message despite a wrong provider clock', async (t) => {
  const { world, order, ana } = await startConversation(t)
  const anHourAgo = Math.floor((world.clock.now().getTime() - HOUR_MS) / 1000)
  for (const button of [2, 0]) await ana.taps(button, { timestamp: anHourAgo })
  const { timeline } = await explained(world, order.confirmationId)
  assert.deepEqual(
    timeline.map(({ what }) => what).filter((what) => ['request', 'message', 'customer', 'answer'].includes(what)),
    ['request', 'message', 'customer', 'answer', 'message', 'customer', 'answer', 'message'],
  )
})

test('a message or an event is explained with its whole conversation', async (t) => {
  const { world, order, ana } = await startConversation(t)
  const { confirmationId } = order
  await ana.taps(0)
  const { timeline } = await explained(world, confirmationId)
  const message = timeline.find(({ what }) => what === 'message')
  const event = timeline.find(({ what }) => what === 'event')
  for (const [kind, id] of [
    ['message', message?.['messageId']],
    ['event', event?.['eventId']],
  ] as const) {
    const explanation = await explained(world, String(id))
    assert.deepEqual([explanation.kind, explanation.confirmationId], [kind, confirmationId])
    assert.deepEqual(explanation.timeline, timeline)
  }
})

test('a message of the customer that changes nothing shows why', async (t) => {
  const { world, order, ana } = await startConversation(t)
  const { confirmationId } = order
  const { order: other } = await confirm(world)
  await ana.taps(0)
  await ana.taps(0)
  await ana.types('When will it come?')
  for (const payload of [
    `dc1:c:${UNKNOWN}:1`,
    `dc0:c:${confirmationId}:1`,
    'buy now',
    `dc1:c:${other.confirmationId}:1`,
  ])
    await ana.sends({ raw: { type: 'button', button: { payload, text: 'Cancel' }, context: { id: ana.last().id } } })
  await ana.sends({ raw: { type: 'image', image: { id: '1' } } })
  const { timeline, status } = await explained(world, confirmationId)
  assert.equal(status, 'confirmed')
  assert.deepEqual(
    timeline.filter(({ what }) => what === 'customer').map(({ detail }) => detail),
    [
      'taps “confirm” on the confirmation question',
      'taps “confirm” on the confirmation question; ignored: "confirm" changes nothing while confirmed',
      'writes “When will it come?”; ignored: there is no open question',
      'taps a button of another confirmation; ignored: no confirmation of this workspace has this button',
      'taps a button from another release; ignored: the button was sent by another release',
      'taps a button that Doorcode did not send; ignored: the button was not sent by Doorcode',
      'sends a message of the type "image"; ignored: a message of type "image" answers no question',
    ],
  )
  const [forged] = (await explained(world, other.confirmationId)).timeline.filter(({ what }) => what === 'customer')
  assert.equal(
    forged?.detail,
    'taps “cancel” on the confirmation question; ignored: the tapped message belongs to another conversation',
  )
})

test('a refusal check shows its request, list of reasons and note', async (t) => {
  const { world, order, ana } = await startConversation(t)
  const { confirmationId } = order
  await ana.taps(0)
  await world.askAboutRefusal(order)
  assert.match((await explained(world, confirmationId)).next.sentence, /^The customer can answer until \d{4}-/)
  await ana.taps(0)
  assert.match((await explained(world, confirmationId)).next.sentence, /can answer the latest question until/)
  await ana.chooses(-1)
  await ana.types('It was\nopen')
  const { status, timeline, next } = await explained(world, confirmationId)
  assert.equal(status, 'confirmed, refusal check refusal_confirmed')
  const details = timeline.map(({ detail }) => detail)
  for (const shown of [
    'the list of reasons: “Why?” [Too late | Damaged | Other]',
    'chooses “Other” in the list of reasons',
    'the customer has another reason, and is asked for a note (Other)',
    'writes “It was ⏎ open”',
    'the refusal is confirmed (Other, It was ⏎ open)',
  ]) {
    assert.ok(details.includes(shown), `${shown} is not in ${JSON.stringify(details)}`)
  }
  assert.equal(timeline.filter(({ what }) => what === 'quota').length, 2)
  assert.equal(next.sentence, 'No action is needed: the customer said that they refused the parcel.')
})

const HOSTILE = 'open\n2026-12-01T00:00:00.000Z  event     forged\u001b[2J\r\u009bK\u2028\u2029\u202e\u2066'

test('no reference or note adds a line, terminal escape or direction to entries', async (t) => {
  const world = await startSandbox(t)
  const { order, ana } = await confirm(world, `A-1001${HOSTILE}`)
  await ana.taps(0)
  await world.askAboutRefusal(order)
  await ana.taps(0)
  await ana.types(HOSTILE)

  const { workspaceId } = world
  const { confirmationId } = order
  const english = (await explained(world, confirmationId)).timeline
  const arabic = await explainConversation(world.parts, { workspaceId, confirmationId })
  const shown = '⏎ 2026-12-01T00:00:00.000Z  event     forged\\u001b[2J\\u000d\\u009bK\\u2028\\u2029\\u202e\\u2066'
  for (const details of [
    english.map(({ detail }) => detail),
    (arabic?.timeline ?? []).map(({ detail }) => translatorOf('ar').textOf(detail)),
  ]) {
    assert.equal(details.filter((detail) => detail.includes(shown)).length, 3, details.join('\n'))
    for (const detail of details)
      assert.doesNotMatch(withoutOurIsolates(detail), /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u)
  }
  const request = english.find(({ what }) => what === 'request')
  assert.equal(request?.['reference'], `A-1001${HOSTILE}`, 'a program reads the reference as it was given')
})

/** Arabic facts stand in isolates, each of which ends. */
function withoutOurIsolates(text: string): string {
  const inner = text.replaceAll(/\u2068([^\u2068\u2069]*)\u2069/g, '$1')
  return inner === text ? text : withoutOurIsolates(inner)
}

test('armed timers show their time, and the customer must answer', async (t) => {
  const { world, order } = await startConversation(t, { confirmation: { reminderMinutes: 60, noResponseMinutes: 180 } })
  const { timeline, next } = await explained(world, order.confirmationId)
  const timers = timeline.filter(({ what }) => what === 'timer').map(({ detail }) => detail)
  assert.deepEqual(timers, [
    'scheduled for this time: the reminder is sent (confirmation)',
    'scheduled for this time: the conversation ends without an answer (confirmation)',
  ])
  assert.equal(next.who, 'customer')
  assert.match(
    next.sentence,
    /^The customer can answer until .*\. After that, the conversation ends without an answer\.$/,
  )
})

test('a customer who wanted another time and chose no day must be asked by the shop, not counted as answered', async (t) => {
  const { world, order, ana } = await startConversation(t)
  await ana.taps('Change time')
  await world.after('24h')
  const { status, next } = await explained(world, order.confirmationId)
  assert.deepEqual(
    [status, next],
    [
      'rescheduled',
      {
        who: 'client',
        sentence: 'Ask the customer for a day: they want another time, and chose no day before the follow-up expired.',
      },
    ],
  )
  await ana.taps(0)
  assert.equal((await explained(world, order.confirmationId)).next.who, 'none', 'a day that is chosen later counts')
})

test('a range that is reported after the follow-up expired still leaves the shop to ask for a day', async (t) => {
  const { world, order, ana } = await startConversation(t)
  for (const button of ['Change time', 0]) await ana.taps(button)
  const timeQuestion = ana.last()
  await ana.taps('Change time', { on: ana.screen()[0] })
  const chosenAt = Math.floor(world.clock.now().getTime() / 1000)
  await world.after('24h')
  await ana.taps('12:00-18:00', { on: timeQuestion, timestamp: chosenAt })
  const { reschedule } = await world.getConfirmation(order)
  assert.deepEqual(reschedule, { date: null, timeRange: '12:00-18:00', note: null })
  assert.match((await explained(world, order.confirmationId)).next.sentence, /^Ask the customer for a day/)

  const { order: second, ana: eve } = await confirm(world)
  for (const button of ['Change time', 0]) await eve.taps(button)
  const question = eve.last()
  await eve.taps('Change time', { on: eve.screen()[0] })
  await eve.taps('12:00-18:00', { on: question })
  await eve.types('Any day')
  assert.equal((await explained(world, second.confirmationId)).next.who, 'none', 'the note says which day')
})

test('a deadline that passed before the question arrived is explained by the question, not by a silent customer', async (t) => {
  const world = await startSandbox(t, { cod: { confirmation: { reminderMinutes: null, noResponseMinutes: 60 } } })
  const nextAfter = async (reported: 'nothing' | 'sent' | 'delivered') => {
    const order = await world.askToConfirm()
    if (reported !== 'nothing') await world.reported(world.customer(order).last(), { status: reported })
    await world.after('61m')
    const { status, next } = await explained(world, order.confirmationId)
    assert.equal(status, 'no_response')
    return next
  }
  assert.deepEqual(await nextAfter('sent'), {
    who: 'customer',
    sentence: 'WhatsApp holds the message and delivers it as soon as the customer’s phone is online.',
  })
  const silent = await nextAfter('nothing')
  assert.equal(silent.who, 'operator')
  assert.match(silent.sentence, /^Check that WhatsApp’s webhooks reach \/whatsapp\//)
  assert.equal((await nextAfter('delivered')).who, 'none')
})

test('a question that fails after its deadline shows who must act, not that webhooks are missing', async (t) => {
  const world = await startSandbox(t, { cod: { confirmation: { reminderMinutes: null, noResponseMinutes: 60 } } })
  const { order, ana } = await confirm(world)
  await world.reported(ana.last(), 'sent')
  await world.after('61m')
  await world.reported(ana.last(), { status: 'failed', errors: [131026] })
  const { status, failureCode, next } = await explained(world, order.confirmationId)
  assert.deepEqual([status, failureCode], ['no_response', 'RECIPIENT_UNREACHABLE'])
  assert.equal(next.sentence, 'Check the number with the recipient, or use another channel.')
})

test('a question that never arrived needs no action once WhatsApp has dropped it', async (t) => {
  const world = await startSandbox(t, { cod: { confirmation: { reminderMinutes: null, noResponseMinutes: 60 } } })
  const { order, ana } = await confirm(world)
  await world.reported(ana.last(), 'sent')
  for (const [moved, who] of [
    ['696h', 'customer'],
    ['25h', 'none'],
  ] as const) {
    await world.after(moved)
    assert.equal((await explained(world, order.confirmationId)).next.who, who)
  }
})

test('a question that WhatsApp dropped when its template’s time was over leads the shop to the customer', async (t) => {
  const account = codAccount()
  const templates = account.templates?.map((each) => ({ ...each, message_send_ttl_seconds: 1_800 }))
  const world = await startSandbox(t, {
    account: { ...account, templates },
    cod: { confirmation: { noResponseMinutes: 240 } },
  })
  const { order, ana } = await confirm(world)
  await world.reported(ana.last(), 'sent')
  const who = async () => (await explained(world, order.confirmationId)).next.who
  assert.equal(await who(), 'customer')
  world.advance('35m')
  assert.equal(await who(), 'client', 'the question was dropped')
  await world.after('90m')
  assert.equal(ana.screen().length, 2)
  await world.reported(ana.last(), 'sent')
  assert.equal(await who(), 'customer', 'the reminder may still arrive')
  await world.after('130m')
  const { status, next } = await explained(world, order.confirmationId)
  assert.deepEqual([status, next.who], ['no_response', 'client'])
  assert.match(next.sentence, /^Contact the customer in another way, because WhatsApp dropped this message/)
})

test('a failed question shows who must act', async (t) => {
  const { world, order, ana } = await startConversation(t)
  await ana.taps(2)
  await world.reported(ana.last(), { status: 'failed', errors: [131026] })
  const { status, next, timeline } = await explained(world, order.confirmationId)
  assert.equal(status, 'rescheduling')
  assert.equal(next.sentence, 'Check the number with the recipient, or use another channel.')
  assert.ok(timeline.some(({ detail }) => /reports a failure of the day question at .*\(code 131026/.test(detail)))
})

test('every instant is in the workspace’s time as it was then', async (t) => {
  const world = await startSandbox(t, { cod: { confirmation: { reminderMinutes: 60, noResponseMinutes: 180 } } })
  const receiver = await world.receiver()
  const before = Date.now()
  const { confirmationId } = (await confirm(world)).order
  await advanceSandbox(world.parts, { workspaceId: world.workspaceId, byMs: 4 * HOUR_MS })
  await receiver.waitFor(1)
  const { timeline } = await explained(world, confirmationId)
  const hours = timeline.map(({ at, what, detail }) => {
    const word = /reminder|no_response/.exec(detail)?.[0]
    return `${Math.floor((Date.parse(at) - before) / HOUR_MS)} ${what}${word ? ` ${word}` : ''}`
  })
  assert.deepEqual(hours, [
    '0 request',
    '0 quota',
    '0 message',
    '0 attempt',
    '1 message reminder',
    '1 attempt reminder',
    '3 event no_response',
    '3 webhook',
  ])
})

const UNKNOWN = '019f0000-0000-7000-8000-000000000000'

async function startConversation(t: TestContext, cod: object = {}) {
  const world = await startSandbox(t, { cod })
  return { world, ...(await confirm(world)) }
}

async function confirm(world: World, reference = 'A-1001') {
  const order = await world.askToConfirm({ reference })
  return { order, ana: world.customer(order) }
}
