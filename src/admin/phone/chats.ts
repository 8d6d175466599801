import { z } from 'zod'
import { type Act, type Entry, callOf } from '@doorcode/whatsapp-emulator/wire/chats.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { asIssue, quoted } from '../../../locales/text.ts'
import { CallError } from '../rpc/errors.ts'
import { type Emulator, callEmulator } from '../../sandbox/emulator.ts'

/** The emulator answers a gesture after its webhook, for which it waits 10 s. */
const ACT_TIMEOUT_MS = 13 * SECOND_MS
const CHAT_TIMEOUT_MS = 5 * SECOND_MS
const MAX_ENTRIES = 1_000
const MAX_TEXT_CHARACTERS = 4_096
const MAX_ID_CHARACTERS = 300
const MAX_INDEX = 100

/** A phone and the business number that it chats with. */
export const customer = {
  phone: z.string().regex(/^\+\d{7,15}$/, asIssue({ code: 'admin.invalid_phone' })),
  number: z.string().regex(/^\d{1,40}$/, asIssue({ code: 'admin.number' })),
}
const { phone } = customer
const message = z.string().min(1).max(MAX_ID_CHARACTERS)
const index = z.int().min(0).max(MAX_INDEX)

/** All gestures that reach the emulator, each as one call of its control API. */
export const actInput = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('text'),
    ...customer,
    text: z.string().min(1).max(MAX_TEXT_CHARACTERS),
    quote: message.optional(),
  }),
  z.strictObject({ do: z.literal('tap'), ...customer, message, button: index }),
  z.strictObject({ do: z.literal('choose'), ...customer, message, row: index }),
  z.strictObject({ do: z.literal('read'), ...customer }),
  z.strictObject({ do: z.literal('block'), ...customer, blocked: z.boolean() }),
  z.strictObject({ do: z.literal('online'), phone, online: z.boolean() }),
  z.strictObject({ do: z.literal('receipts'), phone, readReceipts: z.boolean() }),
]) satisfies z.ZodType<Act>

/** Performs a gesture. Another workspace's chat or message gets the same answer as a missing one. */
export async function act(emulator: Emulator, gesture: Act): Promise<void> {
  await assertReachable(emulator, gesture)
  const { path, body } = callOf(gesture)
  const answer = await callEmulator(emulator.url, path, { body, timeoutMs: ACT_TIMEOUT_MS })
  if (!answer) throw noAnswer()
  if (answer.status === 200) return
  const { data } = z.object({ error: z.object({ message: z.string() }) }).safeParse(answer.body)
  throw new CallError('CONFLICT', data ? quoted(data.error.message) : { code: 'admin.unable' })
}

/** Turning a phone off affects every business that it chats with, so it requires a chat with this one. */
async function assertReachable(emulator: Emulator, gesture: Act): Promise<void> {
  if (!('number' in gesture)) {
    const chats = await listChats(emulator, { phone: gesture.phone }, 1)
    if (!chats.some(({ number }) => emulator.numbers.has(number))) throw missing('no_chat')
  } else if ('message' in gesture) {
    const { phone, number, message } = gesture
    const entries = await listEntries(emulator, { phone, number })
    if (!entries.some(({ id }) => id === message)) throw missing('no_message')
  } else assertOwn(emulator, gesture.number)
}

/** The last entries of a chat with one of the workspace's numbers. */
export async function listEntries(emulator: Emulator, pair: { phone: string; number: string }): Promise<Entry[]> {
  assertOwn(emulator, pair.number)
  const [chat] = await listChats(emulator, pair, MAX_ENTRIES)
  return (chat?.entries ?? []) as Entry[]
}

function assertOwn({ numbers }: Emulator, number: string): void {
  if (!numbers.has(number)) throw missing('no_phone')
}

const conversations = z.object({
  conversations: z.array(z.object({ number: z.string(), entries: z.array(z.looseObject({ id: z.string() })) })),
})

/** The phone's chats, or its chat with a number, with their last entries. */
async function listChats({ url }: Emulator, filter: { phone: string; number?: string }, limit: number) {
  const query = new URLSearchParams({ ...filter, limit: String(limit) })
  const path = `/control/conversations?${query.toString()}`
  const answer = await callEmulator(url, path, { timeoutMs: CHAT_TIMEOUT_MS })
  const { data } = conversations.safeParse(answer?.body)
  if (answer?.status !== 200 || !data) throw noAnswer()
  return data.conversations
}

const missing = (what: 'no_chat' | 'no_message' | 'no_phone'): CallError =>
  new CallError('NOT_FOUND', { code: `admin.${what}` })

const noAnswer = (): CallError => new CallError('BAD_GATEWAY', { code: 'admin.silent' })
