import { z } from 'zod'
import { inEnglish } from '../../../locales/resources.ts'
import { listAccounts } from '../../accounts/accounts.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { type Finding, findingText, fixText, inOrder, toFinding } from '../../operations/doctor/finding.ts'
import { findSetupProblemsOf } from '../../operations/doctor/setup.ts'
import { listEndpoints } from '../../webhooks/endpoints.ts'
import { getWorkspace } from '../../workspaces/workspaces.ts'
import { type AgentContext, sentence, tool } from './tool.ts'

/** Failures come first. */
const MAX_FINDINGS = 50
/** The slowest response of /readyz takes 2 s. */
const READY_TIMEOUT_MS = 3 * SECOND_MS
const MAX_LOOPS = 50

export const health = tool({
  name: 'health',
  title: 'Check health',
  description:
    'Whether the instance is ready for requests (/readyz), and each problem of the instance and of this workspace with its fix: settings, nodes, database, due work, accounts, numbers, templates, endpoints. An empty list of findings means that nothing is wrong.',
  input: z.strictObject({
    outside: z
      .boolean()
      .default(false)
      .meta({ description: 'Also asks WhatsApp and the public URL, which takes longer; at most once a minute.' }),
  }),
  writes: false,
  async run(context, { outside }) {
    const { operator, workspaceId, doctor } = context
    const [readiness, { findings }, own] = await Promise.all([
      readinessOf(operator.config.publicUrl),
      doctor({ outside }),
      findOwn(context),
    ])
    const accounts = await listAccounts(operator.db, workspaceId)
    const endpoints = await listEndpoints(operator.db, workspaceId)
    const ids = new Set<unknown>([
      workspaceId,
      ...accounts.map(({ wabaId }) => wabaId),
      ...endpoints.map(({ endpointId }) => endpointId),
    ])
    const all = [...findings.filter((each) => isShown(each, ids)), ...own]
    const problems = inOrder(all).filter(({ level }) => level !== 'ok')
    return {
      readiness,
      findings: problems.slice(0, MAX_FINDINGS).map(toShown),
      leftOut: Math.max(0, problems.length - MAX_FINDINGS),
    }
  },
})

/**
 * The doctor examines every workspace: findings about another one are left out, and those about the setup of this one come
 * from `findOwn`. The name of a workspace does not tell whose a finding is: several may have the same.
 */
const isShown = ({ check, parameters }: Finding, ids: ReadonlySet<unknown>): boolean =>
  check !== 'setup' &&
  (!('workspace' in parameters) || ['wabaId', 'endpointId', 'workspaceId'].some((name) => ids.has(parameters[name])))

async function findOwn({ operator: { db, seal, clock }, workspaceId }: AgentContext): Promise<Finding[]> {
  const found = await findSetupProblemsOf(db, await getWorkspace(db, workspaceId), { seal, now: clock.now() })
  return found.map((each) => toFinding('setup', each))
}

function toShown(finding: Finding) {
  const fix = fixText(finding)
  const { level, check, code } = finding
  return { level, check, code, problem: sentence(findingText(finding)), fix: fix ? inEnglish(fix) : null }
}

const readyBody = z.object({
  status: z.string().max(200),
  failing: z.array(z.string().max(200)).max(MAX_LOOPS).optional(),
})

async function readinessOf(publicUrl: string) {
  const url = `${publicUrl}/readyz`
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(READY_TIMEOUT_MS), redirect: 'error' })
    const { status, failing = [] } = readyBody.parse(await response.json())
    return { url, ready: response.ok, status, failing }
  } catch {
    return {
      url,
      ready: false,
      status: 'no response: the server is not running, or this machine cannot reach its public URL',
      failing: [],
    }
  }
}
