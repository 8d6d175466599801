import assert from 'node:assert/strict'
import { createTRPCUntypedClient, httpLink } from '@trpc/client'
import { runCommandIn } from './command-line.ts'
import { signIn } from './dashboard.ts'
import type { World } from './world.ts'

/** The two ways to perform an operator action. */
export const ENTRY_POINTS = ['command line', 'dashboard'] as const

/** The command for each of the dashboard's calls that has one, with the members of the input. Missing members are left out. */
const COMMANDS = {
  'workspaces.requestDeletion': 'workspace delete {workspaceId} --name={name}',
  'workspaces.cancelDeletion': 'workspace restore {workspaceId}',
  'workspaces.setQuota': 'workspace quota --workspace={workspaceId} --otp={otp} --cod-refusals={codRefusals}',
  'keys.create': 'key create --workspace={workspaceId} --name={name}',
  'keys.revoke': 'key revoke {publicId}',
  'endpoints.add':
    'endpoint add --workspace={workspaceId} --url={url} --description={description} --events={eventTypes}',
  'endpoints.update': 'endpoint update {endpointId} --url={url} --description={description} --events={eventTypes}',
  'endpoints.remove': 'endpoint delete {endpointId} --yes',
  'endpoints.pause': 'endpoint pause {endpointId}',
  'endpoints.resume': 'endpoint resume {endpointId}',
  'endpoints.enable': 'endpoint enable {endpointId}',
  'endpoints.rotate': 'endpoint rotate {endpointId}',
  'endpoints.ping': 'endpoint ping {endpointId}',
  'endpoints.resend': 'endpoint resend {endpointId} --event={eventId}',
  'endpoints.retryWaiting': 'endpoint resend {endpointId} --status=pending',
  'endpoints.resendChosen': 'endpoint resend {endpointId} --status={statuses}',
  'senders.connect':
    'account connect --workspace={workspaceId} --waba-id={wabaId} --graph-url={graphUrl} --access-token={accessToken} --app-secret={appSecret} --verify-token={verifyToken}',
  'senders.sync': 'account sync {accountId}',
  'senders.removeAccount': 'account delete {accountId} --waba-id={wabaId}',
  'senders.pause': 'sender pause {senderId}',
  'senders.resume': 'sender resume {senderId}',
  'codSettings.save': 'cod-settings set --workspace={workspaceId} --file={file}',
  'blocked.add': 'block add --workspace={workspaceId} --phone={phone}',
  'blocked.remove': 'block remove --workspace={workspaceId} --phone={phone}',
  'recipients.export': 'recipient export --workspace={workspaceId} --phone={phone}',
  'recipients.erase': 'recipient erase --workspace={workspaceId} --phone={phone} --yes',
  'phone.advance': 'sandbox advance --workspace={workspaceId} --by={duration}',
} as const

export type ActionName = keyof typeof COMMANDS

export type Input = Readonly<Record<string, string | number | boolean | object | null>>

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

/** The words of every command that performs an action of the dashboard. */
export const sharedCommands = (): string[] => [
  ...new Set(Object.values(COMMANDS).map((command) => command.split(' ').slice(0, 2).join(' '))),
]

/** The dashboard's calls whose name differs from their action's. */
const CALLS: Partial<Record<ActionName, string>> = { 'endpoints.resume': 'endpoints.enable' }

export type EntryPoint = Awaited<ReturnType<typeof openEntryPoint>>

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
