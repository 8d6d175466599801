import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import { changesOf, createStreams } from '../../../src/admin/live.ts'
import { openSignIn } from '../../../src/admin/auth/sign-in.ts'
import { type SignedIn, signIn } from '../../world/dashboard.ts'
import { startNode } from '../../world/node.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, startWorld } from '../../world/world.ts'

type Stream = { status: number; words: string[]; ended: boolean; close: () => void }

/** A live stream as a page opens it; `words` are the names of the received events. */
async function watch(url: string, { cookie }: Pick<SignedIn, 'cookie'>, workspaceId: string): Promise<Stream> {
  const abort = new AbortController()
  const response = await fetch(`${url}/dashboard/live/${workspaceId}`, {
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
    signal: abort.signal,
  })
  const stream: Stream = { status: response.status, words: [], ended: false, close: () => abort.abort() }
  if (response.status !== 200 || !response.body) return stream
  void read(response.body, stream)
  await waitFor('the stream to be ready', () => stream.words.includes('ready'))
  return stream
}

async function read(body: ReadableStream<Uint8Array>, stream: Stream): Promise<void> {
  let text = ''
  try {
    for await (const chunk of body) {
      text += Buffer.from(chunk).toString()
      stream.words = [...text.matchAll(/^event: (\w+)$/gm)].map(([, word]) => word ?? '')
    }
  } catch {
    // cut off
  }
  stream.ended = true
}

const changes = ({ words }: Stream): number => words.filter((word) => word === 'changed').length

test('a viewer gets changes of the viewed workspace and of no other', async (t) => {
  const [world, other] = [await startWorld(t), await startWorld(t)]
  const [reader, stranger] = [await signIn(world, 'member'), await signIn(other, 'member')]
  const stream = await watch(world.first.url, reader, world.workspaceId)
  const theirs = await watch(other.first.url, stranger, other.workspaceId)
  await other.sendOtp()
  await waitFor('the other viewer to hear', () => changes(theirs) > 0)
  assert.equal(changes(stream), 0)
  await world.sendOtp()
  await waitFor('the viewer to hear', () => changes(stream) > 0)
  stream.close()
  theirs.close()
})

test('a viewer on another node gets this node’s changes', async (t) => {
  const world = await startWorld(t)
  const reader = await signIn(world, 'member')
  const second = await world.node({ works: false })
  const stream = await watch(second.url, reader, world.workspaceId)
  const otp = await world.sendOtp()
  await waitFor('the viewer to hear of the acceptance', () => changes(stream) > 0)
  await world.settled()
  const changesBefore = changes(stream)
  await world.whatsapp.reports(otp, ['delivered'])
  await waitFor('the viewer to hear of the report', () => changes(stream) > changesBefore)
  stream.close()
})

test('trying something out notifies no viewer', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const [reader, member] = [await signIn(world, 'member'), await signIn(world, 'member')]
  const owner = await signIn(world, 'owner')
  const stream = await watch(world.first.url, reader, workspaceId)
  await member.calls.codSettings.tryOut.mutate({ workspaceId, settings: {}, language: null })
  await member.calls.blocked.check.mutate({ workspaceId, lines: [{ line: 1, phone: '+212612345678', reason: '' }] })
  assert.equal(changes(stream), 0)
  await owner.calls.workspaces.rename.mutate({ workspaceId, name: 'Renamed' })
  await waitFor('the viewer to hear', () => changes(stream) > 0)
  assert.equal(changes(stream), 1)
  stream.close()
})

test('only members get events, and other sites’ pages never do', async (t) => {
  const world = await startWorld(t)
  const [reader, stranger] = [await signIn(world, 'member'), await signIn(world, 'stranger')]
  const { url } = world.first
  assert.equal((await watch(url, stranger, world.workspaceId)).status, 404)
  assert.equal((await watch(url, reader, '019f0000-0000-7000-8000-000000000000')).status, 404)
  assert.equal((await watch(url, reader, 'no-id')).status, 404)
  assert.equal((await watch(url, { cookie: '' }, world.workspaceId)).status, 401)
  const foreign = await fetch(`${url}/dashboard/live/${world.workspaceId}`, {
    headers: { cookie: reader.cookie, 'sec-fetch-site': 'cross-site' },
  })
  assert.equal(foreign.status, 401)
})

test('a removed or signed-out person loses the stream', async (t) => {
  const world = await startWorld(t)
  const url = await startRecheckedStreams(t, world)
  const [removed, gone, stays] = [
    await signIn(world, 'member'),
    await signIn(world, 'member'),
    await signIn(world, 'operator'),
  ]
  const streams = await Promise.all([removed, gone, stays].map((each) => watch(url, each, world.workspaceId)))
  await world.query('delete from members where user_id = $1', [removed.userId])
  await world.query('delete from auth."session" where "userId" = $1', [gone.userId])
  await waitFor('both streams to end', () => streams[0]?.ended === true && streams[1]?.ended === true)
  assert.equal(streams[2]?.ended, false)
  streams[2]?.close()
})

/** Live streams that recheck their viewers many times a second. */
async function startRecheckedStreams(t: TestContext, { parts }: World): Promise<string> {
  const signIn = openSignIn(parts)
  const server = Fastify()
  const streams = createStreams({
    ...parts,
    findViewer: ({ headers: { cookie = '' } }) => signIn.findViewer(new Headers({ cookie })),
    recheckIntervalMs: 20,
  })
  streams.serve(server, changesOf(parts.live))
  t.after(async () => {
    streams.end()
    await server.close()
    await signIn.close()
  })
  return server.listen({ port: 0, host: '127.0.0.1' })
}

test('a shutdown ends the streams and waits for none', async (t) => {
  const world = await startWorld(t)
  const reader = await signIn(world, 'member')
  const second = await startNode({ databaseUrl: world.databaseUrl, clock: world.clock, works: false })
  const stream = await watch(second.url, reader, world.workspaceId)
  const began = performance.now()
  await second.stop()
  assert.ok(performance.now() - began < 2_000, 'the server did not wait for its live answers')
  await waitFor('the stream to end', () => stream.ended)
})

test('one user cannot take all streams of a process', async (t) => {
  const world = await startWorld(t)
  const [greedy, other] = [await signIn(world, 'member'), await signIn(world, 'member')]
  const open = await Promise.all(Array.from({ length: 21 }, () => watch(world.first.url, greedy, world.workspaceId)))
  assert.equal(open.filter(({ status }) => status === 200).length, 20)
  const theirs = await watch(world.first.url, other, world.workspaceId)
  assert.equal(theirs.status, 200)
  for (const { close } of [...open, theirs]) close()
})
