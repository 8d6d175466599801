import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PASSWORD, createCalls, signIn } from '../../world/dashboard.ts'
import { environmentOf, runCommand } from '../../world/command-line.ts'
import { startWorld } from '../../world/world.ts'

const HOSTILE = ['Shop\u202egnp', 'Shop\u2028Admin', 'Shop\u2066', 'Shop\u0007', '\u200d\u200c']
const HARMLESS = 'می\u200cخواهم 1'

test('no name that a person chooses can end its line or turn the text around it', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const { endpointId } = await world.receiver()
  const { calls } = await signIn(world, 'owner')
  const invited = async (name: string) => {
    const email = `newcomer-${Math.random()}@shop.example`
    const { token } = await calls.people.invite.mutate({ workspaceId, email, role: 'member' })
    return createCalls(world.first.url).session.accept.mutate({ token, name, password: PASSWORD })
  }
  const entryPoints: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
    'a new workspace': (name) => calls.workspaces.create.mutate({ name, sandbox: true }),
    'a workspace': (name) => calls.workspaces.rename.mutate({ workspaceId, name }),
    'a key': (name) => calls.keys.create.mutate({ workspaceId, name }),
    'a person': (name) => calls.account.rename.mutate({ name }),
    'a new person': invited,
    'an endpoint': (description) => calls.endpoints.update.mutate({ workspaceId, endpointId, description }),
  }
  for (const [entryPoint, enter] of Object.entries(entryPoints)) {
    // An endpoint without a visible description is shown by its URL.
    for (const name of entryPoint === 'an endpoint' ? HOSTILE.slice(0, -1) : HOSTILE)
      await assert.rejects(enter(name), `${entryPoint}: ${JSON.stringify(name)}`)
    await enter(HARMLESS)
  }
})

test('the command line has the same rule for names', async (t) => {
  const world = await startWorld(t)
  for (const name of HOSTILE) {
    const { code, stderr } = await runCommand(['workspace', 'create', '--name', name], environmentOf(world))
    assert.equal(code, 1, JSON.stringify(name))
    assert.match(stderr, /--name must be 1 to 100 characters on one line/)
  }
})
