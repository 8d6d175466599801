/**
 * `npm run ha`: the cluster of deploy/ha on machines with a network of their own, two nodes under load, and its failures one
 * after the other. Fails if something accepted was lost or doubled, if nothing was accepted for longer than the scenario
 * allows, or if the control without synchronous replication lost nothing.
 * `--seed 1 --rate 100 --only switchover,crash` choose the load and the scenarios.
 */
import { parseArgs } from 'node:util'
import { positive } from '../soak/scene.ts'
import { isInOwnNetwork, runInOwnNetwork } from './network.ts'
import { Missing, findPrograms, findUser } from './requirements.ts'
import { runScenarios } from './run.ts'
import { type Scenario, control, scenarios } from './scenarios.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    rate: { type: 'string', default: '100' },
    only: { type: 'string' },
  },
})
const options = {
  seed: positive('seed', values.seed),
  requestsPerSecond: positive('rate', values.rate),
  chosen: chosenScenarios(),
}

const opened = new AsyncDisposableStack()
try {
  process.exitCode = isInOwnNetwork() ? await runHere() : await runElsewhere()
} catch (error) {
  console.error(error instanceof Missing ? error.message : error)
  process.exitCode = error instanceof Missing ? 2 : 1
}
await opened.disposeAsync()
process.exit() // after an error the callers of the load would keep running

async function runElsewhere(): Promise<number> {
  await Promise.all([findPrograms(), findUser()])
  return runInOwnNetwork(import.meta.filename, process.argv.slice(2))
}

async function runHere(): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void opened.disposeAsync().finally(() => process.exit(1)))
  return runScenarios(opened, options)
}

function chosenScenarios(): Scenario[] {
  const all = [...scenarios, control]
  const names = values.only?.split(',') ?? all.map(({ name }) => name)
  return names.map((name) => {
    const found = all.find((scenario) => scenario.name === name)
    if (found) return found
    console.error(
      `--only: there is no scenario "${name}". The scenarios are ${all.map((each) => each.name).join(', ')}.`,
    )
    return process.exit(2)
  })
}
