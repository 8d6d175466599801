import assert from 'node:assert/strict'
import { test } from 'node:test'
import { later } from '../../../lib/clock.ts'
import { type Finding, type NewFinding, toFinding } from '../finding.ts'
import { CLEAR_AFTER_MS, RAISE_AFTER_MS, type StoredFinding, decideFindings } from './decide.ts'

const start = new Date('2026-11-24T12:00:00Z')
const quarantined = toFinding('quarantine', { code: 'quarantined', number: 3 })
const fine = toFinding('quarantine', { code: 'ok' })
const unclear: NewFinding = { code: 'check_failed', error: 'Error' }

/** Examinations in turn, each so many milliseconds after the start; returns which alerts they made. */
function alertsOf(examinations: readonly (readonly [afterMs: number, findings: readonly Finding[]])[], sends = true) {
  let stored: StoredFinding[] = []
  const alerts: string[] = []
  for (const [afterMs, findings] of examinations) {
    const { rows } = decideFindings(stored, findings, { now: later(start, afterMs), sends })
    for (const { code, raised, alerts: isNew } of rows)
      if (isNew) alerts.push(`${code} ${raised ? 'raised' : 'cleared'} ${afterMs}`)
    stored = rows.map(({ alerts: _alerts, ...row }) => ({ ...row, hasAlert: false }))
  }
  return { alerts, stored }
}

test('a finding raises one alert once it has held, and one when it has been gone for long', () => {
  const gone = RAISE_AFTER_MS + 1
  const { alerts, stored } = alertsOf([
    [0, [quarantined]],
    [RAISE_AFTER_MS - 1, [quarantined]],
    [RAISE_AFTER_MS, [quarantined]],
    [gone, [fine]],
    [gone + CLEAR_AFTER_MS - 1, [fine]],
    [gone + CLEAR_AFTER_MS, [fine]],
    [gone + CLEAR_AFTER_MS + 1, [fine]],
  ])
  assert.deepEqual(alerts, [`quarantined raised ${RAISE_AFTER_MS}`, `quarantined cleared ${gone + CLEAR_AFTER_MS}`])
  assert.deepEqual(stored, [], 'what is over leaves no row')
})

test('what comes and goes raises nothing, and what goes and comes clears nothing', () => {
  const brief = Array.from({ length: 20 }, (_, turn) => [turn * 60_000, turn % 2 ? [fine] : [quarantined]] as const)
  assert.deepEqual(alertsOf(brief).alerts, [])
  const held = [
    [0, [quarantined]],
    [RAISE_AFTER_MS, [quarantined]],
  ] as const
  const wavering = brief.map(([afterMs, findings]) => [afterMs + 2 * RAISE_AFTER_MS, findings] as const)
  assert.deepEqual(alertsOf([...held, ...wavering]).alerts, [`quarantined raised ${RAISE_AFTER_MS}`])
})

test('a check that fails, or is not made, says nothing about what it found before', () => {
  const failed = toFinding('quarantine', unclear)
  const { alerts, stored } = alertsOf([
    [0, [quarantined]],
    [RAISE_AFTER_MS, [quarantined]],
    [RAISE_AFTER_MS + 1, [failed]],
    [2 * CLEAR_AFTER_MS, [failed]],
    [3 * CLEAR_AFTER_MS, []],
    [4 * CLEAR_AFTER_MS, []],
  ])
  assert.deepEqual(alerts, [`quarantined raised ${RAISE_AFTER_MS}`, `check_failed raised ${2 * CLEAR_AFTER_MS}`])
  assert.deepEqual(
    stored.map(({ code, found }) => [code, found]),
    [
      ['quarantined', true],
      ['check_failed', true],
    ],
  )
})

test('a finding is raised by the next examination that finds it, not by one that leaves its check out', () => {
  const { alerts } = alertsOf([
    [0, [quarantined]],
    [RAISE_AFTER_MS, []],
    [2 * RAISE_AFTER_MS, [quarantined]],
  ])
  assert.deepEqual(alerts, [`quarantined raised ${2 * RAISE_AFTER_MS}`])
})

test('without a receiver no alert is made, and one that is set later gets what is wrong then', () => {
  const { alerts, stored } = alertsOf(
    [
      [0, [quarantined]],
      [CLEAR_AFTER_MS, [quarantined]],
    ],
    false,
  )
  assert.deepEqual(alerts, [])
  const { rows } = decideFindings(stored, [quarantined], { now: later(start, CLEAR_AFTER_MS + 1), sends: true })
  assert.deepEqual(
    rows.map(({ alerts: isNew }) => isNew),
    [true],
  )
})

test('many findings of a kind are one alert, whose text is limited', () => {
  const many = Array.from({ length: 200 }, (_, index) =>
    toFinding('setup', {
      code: 'template_stopped',
      name: `t${index}`,
      language: 'en',
      workspace: 'x'.repeat(900),
      status: 'PAUSED',
    }),
  )
  const { rows } = decideFindings([], many, { now: start, sends: true })
  assert.equal(rows.length, 1)
  assert.match(rows[0]?.text ?? '', /More of the same kind: 180\.$/)
  assert.ok((rows[0]?.text.length ?? 0) < 21 * 501)
  assert.equal(rows[0]?.fix.split('\n').length, 1, 'the same advice is given once')
})
