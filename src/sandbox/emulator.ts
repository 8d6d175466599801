import { z } from 'zod'
import { SECOND_MS } from '../lib/clock.ts'
import type { Sql } from '../lib/db/pool.ts'
import { UserError } from '../lib/errors.ts'
import type { Parts } from '../runtime/parts.ts'
import { type EmulatorNumber, listEmulatorNumbers } from '../accounts/senders.ts'

/** The WhatsApp emulator of a workspace, and the workspace's numbers on it. */
export type Emulator = { url: string; numbers: ReadonlyMap<string, EmulatorNumber> }

const PROBE_TIMEOUT_MS = 2 * SECOND_MS

export async function findEmulator(sql: Sql, workspaceId: string): Promise<Emulator | undefined> {
  const rows = await listEmulatorNumbers(sql, workspaceId)
  const byUrl = Map.groupBy(rows, ({ graphUrl }) => withoutVersion(graphUrl))
  for (const [url, numbers] of byUrl) {
    if (await isEmulator(url)) return { url, numbers: new Map(numbers.map((number) => [number.phoneNumberId, number])) }
  }
  return undefined
}

/** Behind a proxy, the emulator may be below a path. */
const withoutVersion = (graphUrl: string): string => graphUrl.replace(/\/v\d+\.\d+$/, '')

/** The emulator of the workspace's accounts, or the one that `npm start` runs on this machine. */
export async function findEmulatorUrl(
  { db, config }: Pick<Parts, 'db' | 'config'>,
  workspaceId: string,
): Promise<string | undefined> {
  const used = await findEmulator(db, workspaceId)
  if (used) return used.url
  const local = `http://127.0.0.1:${config.emulatorPort}`
  return (await isEmulator(local)) ? local : undefined
}

const frontPage = z.object({ control: z.object({ 'GET /control/live': z.unknown().nonoptional() }) })

async function isEmulator(url: string): Promise<boolean> {
  const answer = await callEmulator(url, '/', { timeoutMs: PROBE_TIMEOUT_MS })
  return answer?.status === 200 && frontPage.safeParse(answer.body).success
}

/** Fits a chat of a thousand long messages. */
const MAX_ANSWER_CHARACTERS = 8 * 1024 * 1024

/** Returns undefined if the response is late, is not JSON or is longer than MAX_ANSWER_CHARACTERS. */
export async function callEmulator(
  url: string,
  path: string,
  {
    body,
    method = 'POST',
    timeoutMs,
  }: { body?: object; method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; timeoutMs: number },
): Promise<{ status: number; body: unknown } | undefined> {
  try {
    const response = await fetch(`${url}${path}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      method: body || method === 'DELETE' ? method : 'GET',
      ...(body && { body: JSON.stringify(body) }),
    })
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      if (text.length > MAX_ANSWER_CHARACTERS) return undefined
    }
    return { status: response.status, body: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

export const CALL_TIMEOUT_MS = 5 * SECOND_MS

/** Turns the usual delays of an account's statuses off or on. Throws UserError if the emulator does not respond. */
export async function hurryStatuses(
  url: string,
  { wabaId, hurried }: { wabaId: string; hurried: boolean },
): Promise<void> {
  const change = { method: 'PATCH', body: { hurried }, timeoutMs: CALL_TIMEOUT_MS } as const
  const response = await callEmulator(url, `/control/accounts/${wabaId}`, change)
  if (!response) throw new UserError({ code: 'sandbox.no_emulator' })
}

/**
 * Removes the chats of a workspace from its emulator, and gives statuses their usual delays again, which a demo month that was not finished
 * has taken away. Does nothing if no emulator runs: a later one has no chats of the workspace, or keeps them. Throws UserError if it stops meanwhile.
 */
export async function resetEmulator(sql: Sql, workspaceId: string): Promise<void> {
  const emulator = await findEmulator(sql, workspaceId)
  if (!emulator) return
  const numbers = [...emulator.numbers.values()]
  const removal = { method: 'DELETE', timeoutMs: CALL_TIMEOUT_MS } as const
  for (const { phoneNumberId } of numbers)
    await callEmulator(emulator.url, `/control/numbers/${phoneNumberId}/chats`, removal)
  for (const wabaId of new Set(numbers.map((number) => number.wabaId)))
    await hurryStatuses(emulator.url, { wabaId, hurried: false })
}
