import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { type OtpReport, type OtpState, applyReport } from './status.ts'

const at = (second: number): Date => new Date(Date.UTC(2026, 10, 20, 10, 0, second))

const sending: OtpState = {
  status: 'sending',
  sentAt: null,
  failure: null,
  sentEventRecorded: false,
  failedEventRecorded: false,
}

const report = (outcome: OtpReport['outcome'], second: number): OtpReport =>
  outcome === 'failed' ? { outcome, at: at(second), failureCode: 'RECIPIENT_UNREACHABLE' } : { outcome, at: at(second) }

function run(...reports: OtpReport[]) {
  let state = sending
  const events: string[] = []
  const ignored: boolean[] = []
  for (const each of reports) {
    const step = applyReport(state, each)
    state = step.state
    if (step.event) events.push(step.event)
    ignored.push(step.ignored !== null)
  }
  return { state, events, ignored }
}

test('each report in its usual order moves the status, and the first one alone makes an event', () => {
  const { state, events } = run(report('sent', 1), report('delivered', 2), report('read', 3))
  assert.equal(state.status, 'read')
  assert.deepEqual(state.sentAt, at(1))
  assert.deepEqual(events, ['message.sent'])
})

test('a lower report changes no status but fills an earlier sentAt', () => {
  const { state, ignored } = run(report('read', 5), report('sent', 1))
  assert.equal(state.status, 'read')
  assert.deepEqual(state.sentAt, at(1))
  assert.deepEqual(ignored, [false, true])
})

test('a failure after delivery is stale', () => {
  const { state, events } = run(report('delivered', 1), report('failed', 9))
  assert.equal(state.status, 'delivered')
  assert.equal(state.failure, null)
  assert.deepEqual(events, ['message.sent'])
})

test('a failure after "sent" takes effect, and each event is recorded once', () => {
  const { state, events } = run(report('sent', 1), report('failed', 2), report('failed', 3))
  assert.equal(state.status, 'failed')
  assert.deepEqual(state.failure, { code: 'RECIPIENT_UNREACHABLE', at: at(3) })
  assert.deepEqual(events, ['message.sent', 'message.failed'])
})

test('"sent" of the failure’s second or before it corrects nothing; later than it, it does', () => {
  for (const [second, status] of [
    [4, 'failed'],
    [5, 'failed'],
    [6, 'sent'],
  ] as const) {
    assert.equal(run(report('failed', 5), report('sent', second)).state.status, status)
  }
})

test('an outcome beyond "sent" corrects a failure whenever it happened', () => {
  for (const outcome of ['delivered', 'read', 'played'] as const) {
    const { state, events } = run(report('failed', 5), report(outcome, 1))
    assert.equal(state.status, outcome)
    assert.equal(state.failure, null)
    assert.deepEqual(events, ['message.failed', 'message.sent'])
  }
})

const anyReport = fc
  .tuple(fc.constantFrom<OtpReport['outcome'][]>('sent', 'delivered', 'read', 'played', 'failed'), fc.nat(20))
  .map(([outcome, second]) => report(outcome, second))
const RANK: Record<string, number> = { queued: 0, sending: 0, failed: 0, sent: 1, delivered: 2, read: 3, played: 4 }

test('whatever is reported in whatever order: no outcome beyond "sent" is ever taken back, and no event comes twice', () => {
  fc.assert(
    fc.property(fc.array(anyReport, { maxLength: 30 }), (reports) => {
      let state = sending
      const events: string[] = []
      for (const each of reports) {
        const step = applyReport(state, each)
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
