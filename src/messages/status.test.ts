import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { StatusReport } from '../providers/provider.ts'
import { type MessageState, applyReport } from './status.ts'

const at = (second: number): Date => new Date(Date.UTC(2026, 10, 20, 10, 0, second))

const sending: MessageState = {
  status: 'sending',
  sentAt: null,
  failure: null,
  sentEventRecorded: false,
  failedEventRecorded: false,
}

type Report = Parameters<typeof applyReport>[1] & { at: Date }

const report = (outcome: StatusReport['outcome'], second: number): Report => ({
  outcome,
  at: at(second),
  failureCode: outcome === 'failed' ? 'RECIPIENT_UNREACHABLE' : null,
  ours: false,
})

function run(...reports: Report[]) {
  let state = sending
  const events: string[] = []
  const ignored: boolean[] = []
  for (const each of reports) {
    const step = applyReport(state, each, each.at)
    state = step.state
    if (step.event) events.push(step.event)
    ignored.push(step.ignored !== null)
  }
  return { state, events, ignored }
}

test('a lower report changes no status but may set an earlier sentAt', () => {
  const { state, ignored } = run(report('read', 5), report('sent', 1))
  assert.equal(state.status, 'read')
  assert.deepEqual(state.sentAt, at(1))
  assert.deepEqual(ignored, [false, true])
})

test('a failure after "sent" takes effect, and each event is recorded once', () => {
  const { state, events } = run(report('sent', 1), report('failed', 2), report('failed', 3))
  assert.equal(state.status, 'failed')
  assert.deepEqual(state.failure, { code: 'RECIPIENT_UNREACHABLE', at: at(3), ours: false })
  assert.deepEqual(events, ['message.sent', 'message.failed'])
})

test('"sent" corrects a failure only when it is later', () => {
  for (const [second, status] of [
    [4, 'failed'],
    [5, 'failed'],
    [6, 'sent'],
  ] as const) {
    assert.equal(run(report('failed', 5), report('sent', second)).state.status, status)
  }
})

test('a failure takes effect after a later "sent", and is corrected by one that arrives after it', () => {
  assert.equal(run(report('sent', 5), report('failed', 1)).state.status, 'failed')
  assert.equal(run(report('failed', 1), report('sent', 5)).state.status, 'sent')
})

const givenUp = (second: number): Report => ({
  outcome: 'failed',
  at: at(second),
  failureCode: 'PROVIDER_UNAVAILABLE',
  ours: true,
})

test('any sent-type outcome corrects our own failure at any time', () => {
  for (const outcome of ['sent', 'delivered', 'read', 'played'] as const) {
    for (const second of [1, 5, 9]) {
      const { state, events } = run(givenUp(5), report(outcome, second))
      assert.deepEqual([state.status, state.failure, state.sentAt], [outcome, null, at(second)])
      assert.deepEqual(events, ['message.failed', 'message.sent'])
    }
  }
})

test('the provider’s failure replaces our own at any time', () => {
  for (const second of [1, 5, 9]) {
    const { state, events } = run(givenUp(5), report('failed', second), report('sent', 1))
    assert.deepEqual(state.failure, { code: 'RECIPIENT_UNREACHABLE', at: at(second), ours: false })
    assert.deepEqual(events, ['message.failed'])
  }
})

const anyReport = fc
  .tuple(fc.constantFrom<StatusReport['outcome'][]>('sent', 'delivered', 'read', 'played', 'failed'), fc.nat(20))
  .map(([outcome, second]) => report(outcome, second))
const RANK: Record<string, number> = { queued: 0, sending: 0, failed: 0, sent: 1, delivered: 2, read: 3, played: 4 }

test('no order of reports undoes an outcome beyond "sent" or repeats an event', () => {
  fc.assert(
    fc.property(fc.array(anyReport, { maxLength: 30 }), (reports) => {
      let state = sending
      const events: string[] = []
      for (const each of reports) {
        const step = applyReport(state, each, each.at)
        const before = RANK[state.status] ?? 0
        if (before >= 2) assert.ok((RANK[step.state.status] ?? 0) >= before)
        if (step.event) events.push(step.event)
        assert.equal(step.state.status === 'failed', step.state.failure !== null)
        state = step.state
      }
      assert.equal(new Set(events).size, events.length)
      const sentTypes = reports.filter(({ outcome }) => outcome !== 'failed').map((each) => each.at.getTime())
      assert.equal(state.sentAt?.getTime(), sentTypes.length > 0 ? Math.min(...sentTypes) : undefined)
    }),
  )
})

test('the highest outcome beyond "sent" decides, in any order of the reports', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(['sent', 'delivered', 'read', 'failed'] as const, { minLength: 1 }), (outcomes) => {
      const { state } = run(...outcomes.map((outcome, index) => report(outcome, index)))
      if (outcomes.includes('read')) assert.equal(state.status, 'read')
      else if (outcomes.includes('delivered')) assert.equal(state.status, 'delivered')
    }),
  )
})
