import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { isLockTimeout } from '../../lib/db/pool.ts'
import { type ListedNode, listNodes } from '../../runtime/jobs/node.ts'
import type { Parts } from '../../runtime/parts.ts'
import { examine } from './examine.ts'
import { type Finding, inOrder } from './finding.ts'
import { differingSettings } from './nodes.ts'
import { type ServerFacts, readServer } from './database/server.ts'
import { type OldestDue, listOldestDue } from './work/oldest-due.ts'

/** Many people may open the page at the same time. */
const INSIDE_MS = 5 * SECOND_MS
/** The shortest time between two calls to other systems, for all viewers together. */
const OUTSIDE_MS = MINUTE_MS

export type SystemReport = {
  findings: Finding[]
  examinedAt: Date
  /** When this process last made the checks that ask other systems; null: not yet. */
  outsideAt: Date | null
  nodes: ListedNode[]
  /** Names of settings that should be the same on all running nodes. */
  differing: string[]
  server: ServerFacts
  work: OldestDue[]
}

/** The examinations of a running process, each kept for a moment. */
export type Examiner = (wanted: { outside: boolean }) => Promise<SystemReport>

export function createExaminer(parts: Pick<Parts, 'config' | 'db' | 'clock' | 'seal' | 'provider'>): Examiner {
  const { db, clock } = parts
  const inside = remembered(INSIDE_MS, async () => {
    const examinedAt = clock.now()
    const findings = await examine(parts, { outside: false })
    const nodes = await listNodes(db)
    const differing = differingSettings(nodes.filter(({ isAlive }) => isAlive))
    return {
      findings,
      examinedAt,
      nodes,
      differing,
      server: await readServer(db),
      work: await listOldestDue(db, examinedAt).catch(unlessLocked),
    }
  })
  const others = remembered(OUTSIDE_MS, async () => {
    const at = clock.now()
    return { at, findings: await examine(parts, { outside: true, inside: false }) }
  })
  return async ({ outside }) => {
    const [own, other] = await Promise.all([inside.get(), outside ? others.get() : others.last()])
    const findings = inOrder([...own.findings, ...(other?.findings ?? [])])
    return { ...own, findings, outsideAt: other?.at ?? null }
  }
}

/** The findings name the session that has locked a table, so they are shown without this list. */
function unlessLocked(error: unknown): OldestDue[] {
  if (isLockTimeout(error)) return []
  throw error
}

/** One run at a time, whose answer serves every caller within `ms`. */
function remembered<Answer>(ms: number, run: () => Promise<Answer>) {
  let latest: { answer: Promise<Answer>; at: number } | undefined
  return {
    get(): Promise<Answer> {
      if (latest && performance.now() - latest.at < ms) return latest.answer
      const asked = { answer: run(), at: performance.now() }
      asked.answer.catch(() => latest === asked && (latest = undefined))
      latest = asked
      return asked.answer
    },
    last: (): Promise<Answer | undefined> => latest?.answer.catch(() => undefined) ?? Promise.resolve(undefined),
  }
}
