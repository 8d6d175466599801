import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { confirmationOutcomes, confirmationTransitions, confirmationTriggers } from './confirmation.ts'
import { refusalOutcomes, refusalTransitions, refusalTriggers } from './refusal.ts'

const document = readFileSync(new URL('../../docs/cod-states.md', import.meta.url), 'utf8')
const between = (mark: string): string =>
  document.split(`<!-- ${mark} -->`)[1]?.split(`<!-- /${mark} -->`)[0]?.trim() ?? ''

type Machine = {
  transitions: readonly { on: string; from: readonly string[]; to: string; does?: string }[]
  outcomes: Partial<Record<string, string>>
  triggers: Record<string, { means: string }>
}

const machines: Record<string, Machine> = {
  confirmation: {
    transitions: confirmationTransitions,
    outcomes: confirmationOutcomes,
    triggers: confirmationTriggers,
  },
  refusal: { transitions: refusalTransitions, outcomes: refusalOutcomes, triggers: refusalTriggers },
}

function drawn({ transitions, outcomes }: Machine): string {
  const arrows = transitions.flatMap(({ on, from, to, does }) => {
    const label = [on, does ?? outcomes[to]].filter((part) => part !== undefined).join(' / ')
    return from.map((status) => `  ${status} --> ${to}: ${label}`)
  })
  return ['```mermaid', 'stateDiagram-v2', '  [*] --> accepted', ...arrows, '```'].join('\n')
}

function explained({ triggers }: Machine): string {
  const rows = Object.entries(triggers).map(([trigger, { means }]) => `| \`${trigger}\` | ${means} |`)
  return ['| on | means |', '|---|---|', ...rows].join('\n')
}

for (const [name, machine] of Object.entries(machines)) {
  test(`the diagram of the ${name} is drawn from the table that decides`, () => {
    assert.equal(between(`${name} states`), drawn(machine))
  })

  test(`every word of the diagram of the ${name} is explained`, () => {
    assert.equal(between(`${name} words`), explained(machine))
  })
}
