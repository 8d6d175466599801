import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newPhone, startWorld, type World } from '../../test/world.ts'
import { HOUR_MS } from '../clock.ts'
import { readCodSettings } from '../cod/settings.ts'
import { setCodSettings } from '../cod/settings-store.ts'
import { advanceSandbox } from '../sandbox/advance.ts'
import { type Explanation, explain } from './explain.ts'

const ENGLISH = {
  texts: {
    dayQuestion: 'Which day?',
    timeQuestion: 'At what time?',
    refusalReasonQuestion: 'Why?',
    reasonsListButton: 'Reasons',
    otherLabel: 'Other',
    notePrompt: 'Tell us more',
  },
  timeRanges: ['09:00-12:00', '12:00-18:00'],
  refusalReasons: ['Too late', 'Damaged'],
  closingMessages: { confirmation: 'Thank you!' },
}

test('a reschedule is told whole: what was asked, tapped, answered and told, in the order in which it happened', async (t) => {
  const world = await startShop(t)
  const receiver = await world.receiver()
  const { confirmationId, to } = await confirm(world)
  await tap(world, to, 2)
  await tap(world, to, 0)
  await tap(world, to, 1)
  await receiver.waitFor(1)
  await world.settled()

  const told = await explained(world, confirmationId)
  assert.deepEqual([told.kind, told.confirmationId, told.status], ['confirmation', confirmationId, 'rescheduled'])
  const story = told.timeline.filter(({ what }) => ['request', 'message', 'customer', 'answer', 'event'].includes(what))
  assert.deepEqual(
    story.map(
      ({ what, detail }) => `${what}: ${detail.replaceAll(/ \d{4}-\d{2}-\d{2}|, \w+ \d+|\(\d{4}-\d{2}-\d{2}/g, '…')}`,
    ),
    [
      story[0] && `request: ${story[0].detail}`,
      'message: the confirmation’s question: “Hello Ana, please confirm your order A-1001 of 25 EUR, to be paid on delivery. ⏎ Demo Shop” [Confirm | Cancel | Change time]',
      'customer: taps “change time” of the confirmation’s question',
      'answer: confirmation: wants another time',
      story[4] && `message: ${story[4].detail.replaceAll(/, \w+ \d+/g, '…')}`,
      story[5] && `customer: ${story[5].detail.replaceAll(/, \w+ \d+| \d{4}-\d{2}-\d{2}/g, '…')}`,
      'answer: confirmation: a day is chosen …)',
      'message: the time question: “At what time?” [09:00-12:00 | 12:00-18:00]',
      'customer: chooses “12:00-18:00” of the time question',
      'answer: confirmation: rescheduled …, 12:00-18:00)',
      'message: the confirmation’s closing message: “Thank you!”',
      story[11] && `event: ${story[11].detail}`,
    ],
  )
  assert.match(story[4]?.detail ?? '', /^the day question: “Which day\?” \[\w+/)
  assert.match(story[5]?.detail ?? '', /^chooses “.*” of the day question: \d{4}-\d{2}-\d{2}$/)
  assert.match(story[11]?.detail ?? '', /^cod\.reschedule_requested .* for 1 endpoint$/)
  const times = told.timeline.map(({ at }) => at)
  assert.deepEqual(times, times.toSorted())
  assert.equal(told.timeline.filter(({ what }) => what === 'attempt').length, 4)
  assert.equal(told.timeline.filter(({ what }) => what === 'webhook').length, 1)
  assert.equal(told.next.sentence, 'Nobody must act: the customer chose another time.')
})

test('an answer that is told late stands behind what the customer did, whatever the provider’s clock says', async (t) => {
  const world = await startShop(t)
  const { confirmationId, to } = await confirm(world)
  const anHourAgo = Math.floor((world.clock.now().getTime() - HOUR_MS) / 1000)
  await say(world, { from: to, tap: { button: 2 }, timestamp: anHourAgo })
  await say(world, { from: to, tap: { button: 0 }, timestamp: anHourAgo })
  const { timeline } = await explained(world, confirmationId)
  assert.deepEqual(
    timeline.map(({ what }) => what).filter((what) => ['request', 'message', 'customer', 'answer'].includes(what)),
    ['request', 'message', 'customer', 'answer', 'message', 'customer', 'answer', 'message'],
  )
})

test('its messages and events are told with the whole story', async (t) => {
  const world = await startShop(t)
  const { confirmationId, to } = await confirm(world)
  await tap(world, to, 0)
  const { timeline } = await explained(world, confirmationId)
  const message = timeline.find(({ what }) => what === 'message')
  const event = timeline.find(({ what }) => what === 'event')
  for (const [kind, id] of [
    ['message', message?.['messageId']],
    ['event', event?.['eventId']],
  ] as const) {
    const told = await explained(world, String(id))
    assert.deepEqual([told.kind, told.confirmationId], [kind, confirmationId])
    assert.deepEqual(told.timeline, timeline)
  }
})

test('what fits nothing, was forged, comes from another release or repeats the answer is told with why it changed nothing', async (t) => {
  const world = await startShop(t)
  const { confirmationId, to } = await confirm(world)
  const other = await confirm(world)
  await tap(world, to, 0)
  await tap(world, to, 0)
  await say(world, { from: to, text: 'When will it come?' })
  for (const payload of [
    `dc1:c:${UNKNOWN}:1`,
    `dc0:c:${confirmationId}:1`,
    'buy now',
    `dc1:c:${other.confirmationId}:1`,
  ]) {
    await say(world, {
      from: to,
      raw: { type: 'button', button: { payload, text: 'Cancel' }, context: { id: templateOf(world, to) } },
    })
  }
  await say(world, { from: to, raw: { type: 'image', image: { id: '1' } } })
  const { timeline, status } = await explained(world, confirmationId)
  assert.equal(status, 'confirmed')
  assert.deepEqual(
    timeline.filter(({ what }) => what === 'customer').map(({ detail }) => detail),
    [
      'taps “confirm” of the confirmation’s question',
      'taps “confirm” of the confirmation’s question; ignored: "confirm" changes nothing while confirmed',
      'writes “When will it come?”; ignored: no question is open that it could answer',
      'taps a button of another confirmation; ignored: no confirmation of this workspace has this button',
      'taps a button of another release; ignored: the button was sent by another release',
      'taps a button that is none of ours; ignored: the button is none of ours',
      'sends a message of the type "image"; ignored: a message of the type "image" answers no question',
    ],
  )
  const [forged] = (await explained(world, other.confirmationId)).timeline.filter(({ what }) => what === 'customer')
  assert.equal(
    forged?.detail,
    'taps “cancel” of the confirmation’s question; ignored: the message that was tapped belongs to another conversation',
  )
})

test('a refusal check is told with its request, its list of reasons and the note', async (t) => {
  const world = await startShop(t)
  const { confirmationId, to } = await confirm(world)
  await tap(world, to, 0)
  await check(world, confirmationId)
  assert.match((await explained(world, confirmationId)).next.sentence, /^The customer must answer by \d{4}-/)
  await tap(world, to, 0)
  assert.match((await explained(world, confirmationId)).next.sentence, /must answer the latest question by/)
  await say(world, { from: to, choose: { row: -1 } })
  await say(world, { from: to, text: 'It was\nopen' })
  const { status, timeline, next } = await explained(world, confirmationId)
  assert.equal(status, 'confirmed, refusal check refusal_confirmed')
  const details = timeline.map(({ detail }) => detail)
  for (const told of [
    'the list of reasons: “Why?” [Too late | Damaged | Other]',
    'chooses “Other” of the list of reasons',
    'refusal check: another reason, to be told (Other)',
    'writes “It was ⏎ open”',
    'refusal check: the refusal is confirmed (Other, It was\nopen)',
  ]) {
    assert.ok(details.includes(told), `${told} is not in ${JSON.stringify(details)}`)
  }
  assert.equal(timeline.filter(({ what }) => what === 'quota').length, 2)
  assert.equal(next.sentence, 'Nobody must act: the customer said that the parcel was refused.')
})

test('what a confirmation waits for is told with its time, and who must act', async (t) => {
  const world = await startShop(t, { confirmation: { reminderMinutes: 60, noResponseMinutes: 180 } })
  const { confirmationId } = await confirm(world)
  const { timeline, next } = await explained(world, confirmationId)
  const timers = timeline.filter(({ what }) => what === 'timer').map(({ detail }) => detail)
  assert.deepEqual(timers, [
    'armed for this time: the reminder is sent (confirmation)',
    'armed for this time: it ends without an answer (confirmation)',
  ])
  assert.equal(next.who, 'customer')
  assert.match(next.sentence, /^The customer must answer by .*, when it ends without an answer\.$/)
})

test('a failed question is told with who must act', async (t) => {
  const world = await startShop(t)
  const { confirmationId, to } = await confirm(world)
  await tap(world, to, 2)
  const [question] = world.twin.messages(({ text, to: phone }) => text === 'Which day?' && phone.endsWith(to.slice(1)))
  assert.ok(question)
  await world.twin.report(question, [{ status: 'failed', errors: [131026] }])
  await world.settled()
  const { status, next, timeline } = await explained(world, confirmationId)
  assert.equal(status, 'rescheduling')
  assert.equal(next.sentence, 'The caller must check the number with the recipient or use another channel.')
  assert.ok(timeline.some(({ detail }) => /reports failed of the day question at .*\(code 131026/.test(detail)))
})

test('every instant is in the workspace’s time: what happened before its clock was moved stays before', async (t) => {
  const world = await startShop(t, { confirmation: { reminderMinutes: 60, noResponseMinutes: 180 } })
  const receiver = await world.receiver()
  const before = Date.now()
  const { confirmationId } = await confirm(world)
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

async function startShop(t: TestContext, settings: object = {}): Promise<World> {
  const world = await startWorld(t)
  await world.ask('update workspaces set sandbox = true where id = $1', [world.workspaceId])
  const read = readCodSettings({ timeZone: 'Africa/Casablanca', languages: { en: ENGLISH }, ...settings })
  assert.ok('settings' in read, JSON.stringify(read))
  await setCodSettings(world.parts.db, world.clock, { workspaceId: world.workspaceId, settings: read.settings })
  return world
}

async function confirm(world: World): Promise<{ confirmationId: string; to: string }> {
  const to = newPhone()
  const answer = await world.request('POST', '/api/v1/cod-confirmations', {
    body: {
      to,
      senderId: world.senderId,
      template: { name: 'order_confirmation', language: 'en' },
      parameters: { body: ['Ana', 'A-1001', '25 EUR'] },
      reference: 'A-1001',
    },
  })
  assert.equal(answer.status, 202, answer.text)
  await world.settled()
  return { confirmationId: String(answer.body['confirmationId']), to }
}

async function check(world: World, confirmationId: string): Promise<void> {
  const body = { template: { name: 'delivery_refusal', language: 'en' }, parameters: { body: ['Ana', 'A-1001'] } }
  const answer = await world.request('POST', `/api/v1/cod-confirmations/${confirmationId}/refusal-check`, { body })
  assert.equal(answer.status, 202, answer.text)
  await world.settled()
}

const tap = (world: World, from: string, button: number): Promise<void> => say(world, { from, tap: { button } })

async function say(world: World, said: Parameters<World['twin']['inbound']>[0]): Promise<void> {
  await world.twin.inbound(said)
  await world.settled()
}

/** The provider's id of the template that this customer has. */
const templateOf = (world: World, to: string): string =>
  world.twin.messages((message) => message.to.endsWith(to.slice(1))).at(-1)?.id ?? ''

async function explained(world: World, id: string): Promise<Explanation> {
  const told = await explain(world.parts, id)
  assert.ok(told, `nothing is known of ${id}`)
  return told
}
