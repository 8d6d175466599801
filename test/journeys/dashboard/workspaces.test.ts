import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, later } from '../../../src/lib/clock.ts'
import { createWorkspace } from '../../../src/workspaces/workspaces.ts'
import { type SignedIn, signIn } from '../../world/dashboard.ts'
import { type World, startWorld } from '../../world/world.ts'

const usageOf = async ({ workspaceId }: World, { calls }: SignedIn, kind: string) =>
  (await calls.workspaces.usage.query({ workspaceId })).kinds.find((each) => each.kind === kind)

test('only owners and operators can create a workspace', async (t) => {
  const world = await startWorld(t)
  const [admin, operator] = [await signIn(world, 'admin'), await signIn(world, 'operator')]
  const input = { name: 'Another', sandbox: false }
  assert.equal(await admin.calls.workspaces.mayCreate.query(), false)
  await assert.rejects(admin.calls.workspaces.create.mutate(input), /Only operators and owners/)
  const { workspaceId } = await operator.calls.workspaces.create.mutate(input)
  const { name, sandbox } = await operator.calls.workspaces.get.query({ workspaceId })
  assert.deepEqual({ name, sandbox }, input)
})

test('an admin renames the workspace, and the log has both names', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [admin, member] = [await signIn(world, 'admin'), await signIn(world, 'member')]
  await assert.rejects(admin.calls.workspaces.rename.mutate({ workspaceId, name: '  ' }), /Some fields are not valid/)
  await admin.calls.workspaces.rename.mutate({ workspaceId, name: ' Rosa ' })
  assert.equal((await member.calls.workspaces.get.query({ workspaceId })).name, 'Rosa')
  const [entry] = await world.query(
    `select who, before, after from audit_log where workspace_id = $1 and action = 'workspace.renamed'`,
    [workspaceId],
  )
  assert.deepEqual(entry, { who: admin.email, before: { name: 'Test shop' }, after: { name: 'Rosa' } })
})

test('a used-up quota is forecast as such, and a quota is a whole number', async (t) => {
  const world = await startWorld(t, { otpQuota: 1 })
  const { workspaceId } = world
  const owner = await signIn(world, 'owner')
  await world.sendOtp()
  assert.deepEqual((await usageOf(world, owner, 'otp'))?.forecast, { will: 'is_out' })
  for (const monthlyUnits of [-1, 1.5, 2_147_483_648]) {
    const quota = { workspaceId, kind: 'otp' as const, monthlyUnits }
    await assert.rejects(owner.calls.workspaces.setQuota.mutate(quota), /Some fields are not valid/)
  }
})

test('the forecast uses each kind’s units of the last seven days', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const { workspaceId } = world
  const member = await signIn(world, 'member')
  const now = world.clock.now()
  const noonOfTheFirst = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 12))
  await showsTime(world, noonOfTheFirst)
  for (let each = 0; each < 4; each += 1) await world.sendOtp()
  const order = await world.confirmedOrder()
  await world.startRefusalCheck(order)
  assert.equal((await usageOf(world, member, 'otp'))?.forecast.will, 'is_too_early')
  const noonOfTheThird = later(noonOfTheFirst, 2 * DAY_MS)
  await showsTime(world, noonOfTheThird)
  await world.query(`update quotas set monthly_units = 8 where workspace_id = $1 and kind = 'otp'`, [workspaceId])
  await world.query(`update quotas set monthly_units = 2 where workspace_id = $1 and kind like 'cod%'`, [workspaceId])
  const runsOutInDays = async (kind: string): Promise<number | undefined> => {
    const usage = await usageOf(world, member, kind)
    if (usage?.forecast.will !== 'runs_out') return undefined
    return Math.round((Date.parse(usage.forecast.at) - noonOfTheThird.getTime()) / DAY_MS)
  }
  for (const kind of ['otp', 'cod_confirmation', 'cod_refusal']) assert.equal(await runsOutInDays(kind), 2, kind)
})

test('a sandbox’s month follows its own clock', async (t) => {
  const world = await startWorld(t)
  const operator = await signIn(world, 'operator')
  const { workspaceId } = await createWorkspace(world.parts.db, world.parts.clock, { name: 'Sandbox', sandbox: true })
  const monthOf = async (): Promise<string> => (await operator.calls.workspaces.usage.query({ workspaceId })).month
  const now = world.clock.now()
  const present = await monthOf()
  const toNext = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime()
  await world.query('update workspaces set clock_offset_ms = $2 where id = $1', [workspaceId, toNext + 60_000])
  const following = await monthOf()
  assert.ok(following > present)
  assert.equal(following.slice(8), '01')
})

/** A sandbox with a moved clock; its stored times are in its own time. */
async function showsTime(world: World, at: Date): Promise<void> {
  const offset = at.getTime() - world.clock.now().getTime()
  await world.query('update workspaces set sandbox = true, clock_offset_ms = $2 where id = $1', [
    world.workspaceId,
    offset,
  ])
}
