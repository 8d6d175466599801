import assert from 'node:assert/strict'
import { createTRPCUntypedClient, httpLink } from '@trpc/client'
import { runCommandIn } from './command-line.ts'
import { signIn } from './dashboard.ts'
import { type ActionName, COMMANDS, type Input } from './operator-actions.ts'
import type { World } from './world.ts'

/** The two ways to perform an operator action. */
export const ENTRY_POINTS = ['command line', 'dashboard'] as const

function wordsOf(action: ActionName, input: Input): string[] {
  const textOf = (each: unknown): string => (typeof each === 'string' ? each : JSON.stringify(each))
  return COMMANDS[action].split(' ').flatMap((word) => {
    const member = /\{(\w+)\}/.exec(word)?.[1]
    if (member === undefined) return word
    const value = input[member]
    if (value === undefined) return []
    return word.replace(/\{\w+\}/, () => [value ?? 'all'].flat().map(textOf).join())
  })
}

/** The dashboard's calls whose name differs from their action's. */
const CALLS: Partial<Record<ActionName, string>> = { 'endpoints.resume': 'endpoints.enable' }

/** Performs actions in the world's workspace: as commands, or as calls of an owner. `who`: the author in the audit log. */
export async function openEntryPoint(world: World, name: (typeof ENTRY_POINTS)[number]) {
  const { workspaceId } = world
  const run = async (words: readonly string[]): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await runCommandIn(world, [...words, '--json'])
    if (code !== 0) throw new Error(String((JSON.parse(stderr) as { detail: unknown }).detail))
    assert.equal(stderr, '')
    return JSON.parse(stdout) as Record<string, unknown>
  }
  if (name === 'command line')
    return {
      who: name,
      perform: (action: ActionName, input: Input = {}) => run(wordsOf(action, { workspaceId, ...input })),
    }
  const { cookie, email } = await signIn(world, 'owner')
  const origin = world.first.url
  const client = createTRPCUntypedClient({
    links: [httpLink({ url: `${origin}/dashboard/calls`, headers: { origin, cookie } })],
  })
  return {
    who: email,
    perform: async (action: ActionName, input: Input = {}) =>
      ((await client.mutation(CALLS[action] ?? action, { workspaceId, ...input })) ?? {}) as Record<string, unknown>,
  }
}
