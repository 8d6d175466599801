import { type ServerResponse, createServer } from 'node:http'
import type { TestContext } from 'node:test'
import { DEMO, demoAccount } from '@doorcode/whatsapp-emulator'
import { listen } from './listen.ts'
import type { World } from './world.ts'

/** An account of the emulator without a workspace, with this number. */
export function anotherAccount(world: World, displayPhoneNumber = '+1 555-010-0190') {
  const { id: _id, ...seed } = demoAccount({ accessToken: 'EAAanother', appSecret: 'another0secret' })
  const added = world.emulator.addAccount({
    ...seed,
    numbers: [{ displayPhoneNumber, verifiedName: 'Second Shop' }],
    templates: (seed.templates ?? []).map(({ id: _id, ...template }) => template),
  })
  return {
    added,
    form: accountForm(world, { wabaId: added.id, accessToken: 'EAAanother', appSecret: 'another0secret' }),
  }
}

/** What the page for connecting an account submits. */
export const accountForm = (world: World, fields: object) => ({
  workspaceId: world.workspaceId,
  wabaId: DEMO.accountId,
  graphUrl: world.emulator.url,
  accessToken: DEMO.accessToken,
  appSecret: DEMO.appSecret,
  verifyToken: 'a-verify-token',
  ...fields,
})

export type SlowEmulator = Awaited<ReturnType<typeof startSlowEmulator>>

/** Forwards to the emulator; requests for a path can be held or fail. */
export async function startSlowEmulator(t: TestContext, world: World) {
  let held: { path: string; arrive: () => void; until: Promise<'answered' | 'failed'> } | undefined
  const forward = async (url: string, authorization: string, response: ServerResponse): Promise<void> => {
    const hold = held && url.includes(held.path) ? held : undefined
    hold?.arrive()
    const outcome = await (hold?.until ?? 'answered')
    if (outcome === 'failed') {
      response.writeHead(503).end()
      return
    }
    const answer = await fetch(`${world.emulator.url}${url}`, { headers: { authorization } })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  }
  const server = createServer((request, response) => {
    void forward(request.url ?? '', request.headers.authorization ?? '', response)
  })
  const address = await listen(t, server)
  const use = (url: string) =>
    world.query('update provider_accounts set graph_url = $2 where id = $1', [world.account.accountId, url])
  await use(`http://${address}`)
  return {
    /** The account is on the emulator itself again. */
    remove: () => use(world.emulator.url),
    /** `arrived`: when a request is held. Each hold ends the one before for requests that have not arrived. */
    hold(path: string): { arrived: Promise<void>; go: () => void; fail: () => void } {
      const { promise, resolve } = Promise.withResolvers<'answered' | 'failed'>()
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
      held = { path, arrive, until: promise }
      return { arrived, go: () => resolve('answered'), fail: () => resolve('failed') }
    },
  }
}
