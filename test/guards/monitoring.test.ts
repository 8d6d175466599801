import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { type Alert, readAlerts, readBoard } from '../world/monitoring.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const OBSERVABILITY = path.join(ROOT, 'deploy/observability')

/** What a person on call needs of each alert. */
const POINTS = ['Symptom', 'Means', 'Look at', 'Do']

/** The entries of the runbook: their points, by the name of their alert. */
async function readRunbook(): Promise<Map<string, string>> {
  const text = await readFile(path.join(ROOT, 'docs/runbook.md'), 'utf8')
  return new Map(
    text
      .split(/^### /m)
      .slice(1)
      .map((entry) => [entry.split('\n')[0] ?? '', entry]),
  )
}

test('every alert has an entry in the runbook that says what to look at and what to do, and each entry its alert', async () => {
  const runbook = await readRunbook()
  const alerts = await readAlerts()
  assert.deepEqual([...runbook.keys()].sort(), alerts.map(({ alert }) => alert).sort())
  for (const { alert, labels } of alerts) {
    const points = Array.from((runbook.get(alert) ?? '').matchAll(/^- \*\*([^*]+)\*\*(?: \((\w+)\))?: \S/gm))
    assert.deepEqual(
      points.map(([, point]) => point),
      POINTS,
      alert,
    )
    assert.equal(points[0]?.[2], labels.severity, alert)
  }
})

test('every alert says how urgent it is, what is wrong, and where its entry is', async () => {
  const wrong = (await readAlerts()).filter(
    ({ alert, labels, annotations }: Alert) =>
      !['page', 'ticket'].includes(labels.severity) ||
      !annotations.summary ||
      annotations.runbook !== `docs/runbook.md#${alert.toLowerCase()}`,
  )
  assert.deepEqual(wrong, [])
})

test('the panels of the board have ids of their own, and do not overlap', async () => {
  const { panels } = await readBoard()
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const taken = new Map<string, string>()
  for (const { title, gridPos } of panels)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        assert.equal(taken.get(`${x} ${y}`), undefined, title)
        taken.set(`${x} ${y}`, title)
      }
})

const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0

test('promtool accepts the rules, and they fire when they should', {
  skip: !HAS_PROMTOOL && 'promtool is missing: it is in the Debian package "prometheus"',
}, () => {
  for (const args of [
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', 'rules.yml'],
    ['test', 'rules', 'rules.test.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: OBSERVABILITY, encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
  }
})
