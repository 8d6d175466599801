import type { TestContext } from 'node:test'
import type { Instance } from '../../src/operations/doctor/check.ts'
import { examine } from '../../src/operations/doctor/examine.ts'
import type { Finding } from '../../src/operations/doctor/finding.ts'
import { type World, startWorld } from './world.ts'

export type Parts = Partial<Omit<Instance, 'schema'>>

/** The test server trades safety for speed. */
export const OF_TEST_SERVER = 'fsync, full_page_writes, synchronous_commit'

/** Begins the name of a replication slot, which the whole server sees. */
export const OTHER_FILE_SLOT = 'of_test_'

const isOfTestServer = ({ parameters: { settings, name } }: Finding): boolean =>
  settings === OF_TEST_SERVER || (typeof name === 'string' && name.startsWith(OTHER_FILE_SLOT))

/** Findings above ok, without those that the test server causes. */
export async function problemsOf(parts: Parts, outside = false): Promise<Finding[]> {
  const findings = await examine(parts, { outside })
  return findings.filter((finding) => finding.level !== 'ok' && !isOfTestServer(finding))
}

export const codesOf = (findings: readonly Finding[]): string[] => [...new Set(findings.map(({ code }) => code))].sort()

/** The only workspace, without the stopped templates of the emulator's account. */
export async function startOnlyWorld(t: TestContext, options: Parameters<typeof startWorld>[1] = {}): Promise<World> {
  const world = await startWorld(t, options)
  await world.query(
    `update workspaces set deletion_requested_at = now(), deletion_due_at = now(), deleted_at = now(), purged_at = now()
     where id <> $1`,
    [world.workspaceId],
  )
  await world.query(`delete from templates where workspace_id = $1 and status <> 'APPROVED'`, [world.workspaceId])
  return world
}

/** A sandbox needs no public URL and no proxy. */
export const startSandbox = (t: TestContext, options: Parameters<typeof startWorld>[1] = {}): Promise<World> =>
  startOnlyWorld(t, { ...options, sandbox: true })
