import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { confirmation } from './confirmation.ts'
import { refusal } from './refusal.ts'

const document = readFileSync(new URL('../../../docs/cod.md', import.meta.url), 'utf8')
const between = (mark: string): string =>
  document.split(`<!-- ${mark} -->`)[1]?.split(`<!-- /${mark} -->`)[0]?.trim() ?? ''

type Machine = {
  transitions: readonly { on: string; from: readonly string[]; to: string; sends?: string }[]
  sentOnlyIn: Partial<Record<string, readonly string[]>>
  outcomes: Partial<Record<string, string>>
  triggers: Record<string, { means: string }>
}

const machines: Record<string, Machine> = { confirmation, refusal }

function drawn({ transitions, outcomes }: Machine): string {
  const arrows = transitions.flatMap(({ on, from, to, sends }) => {
    const label = [on, sends ?? outcomes[to]].filter((part) => part !== undefined).join(' / ')
    return from.map((status) => `  ${status} --> ${to}: ${label}`)
  })
  return ['```mermaid', 'stateDiagram-v2', '  [*] --> accepted', ...arrows, '```'].join('\n')
}

/** In the order of the diagram. */
function explained({ transitions, triggers }: Machine): string {
  const names = new Set([...transitions.map(({ on }) => on), ...Object.keys(triggers)])
  const rows = [...names].map((name) => `| \`${name}\` | ${triggers[name]?.means} |`)
  return ['| on | means |', '|---|---|', ...rows].join('\n')
}

for (const [name, machine] of Object.entries(machines)) {
  test(`the documented diagram of the ${name} matches its transitions`, () => {
    assert.equal(between(`${name} states`), drawn(machine))
  })

  test(`the ${name} sends each message only in a status in which it makes sense`, () => {
    for (const { sends, to } of machine.transitions)
      if (sends !== undefined) assert.ok(machine.sentOnlyIn[sends]?.includes(to), `${sends} in ${to}`)
  })

  test(`the documentation explains every trigger of the ${name}`, () => {
    assert.equal(between(`${name} words`), explained(machine))
  })
}
