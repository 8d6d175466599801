import { systemClock } from '../src/lib/clock.ts'
import { type Db, openDb } from '../src/lib/db/pool.ts'
import { newId } from '../src/lib/ids.ts'
import { createLog } from '../src/lib/log.ts'
import { createWhatsApp } from '../src/providers/whatsapp/whatsapp.ts'
import { openTestSeal } from '../test/database/seal.ts'
import { connectAccount } from '../test/world/set-up.ts'
import { openQuotaMonths, quotaMonth, setQuota } from '../src/workspaces/quota.ts'
import { createKey } from '../src/workspaces/keys/keys.ts'
import { createWorkspace } from '../src/workspaces/workspaces.ts'
import { APP_SECRET, TEMPLATE } from './provider.ts'

/** A workspace with one number of the highest throughput. */
export type Shop = {
  workspaceId: string
  accountId: string
  senderId: string
  phoneNumberId: string
  webhookPath: string
  keys: string[]
}

export type ShopsOptions = { databaseUrl: string; graphUrl: string; shops: number; keysEach: number }

const MONTHLY_UNITS = 1_000_000_000

/** How the ids of inserted rows begin: with the current time, because a worker removes rows by the time in their ids. */
export const TIME_OF_IDS = newId().slice(0, 'xxxxxxxx-xxxx'.length)

/** An account belongs to one workspace, so each shop has one that no other has. */
let newWabaId = 100_000_000_000_000

export type Setup = Awaited<ReturnType<typeof setupParts>>

/** The parts that an operator's commands need. */
export async function setupParts(databaseUrl: string) {
  const db = openDb({ url: databaseUrl, poolSize: 4 })
  const provider = createWhatsApp()
  return {
    db,
    provider,
    clock: systemClock,
    seal: await openTestSeal(db),
    log: createLog('silent'),
    wake: () => {},
    live: { changed: () => {}, follow: () => () => {} },
    node: { id: newId(), mayDeclareDead: () => false },
    close: async () => {
      await provider.close()
      await db.close()
    },
  }
}

/** Creates what exists before the first request, including the month's counters: opening them must not be measured. */
export async function openShops({ databaseUrl, graphUrl, shops, keysEach }: ShopsOptions): Promise<Shop[]> {
  const parts = await setupParts(databaseUrl)
  try {
    const opened: Shop[] = []
    for (let number = 0; number < shops; number += 1) {
      const { workspaceId } = await createWorkspace(parts.db, parts.clock, { name: `Shop ${number}`, sandbox: false })
      await setQuota(parts.db, { workspaceId, kind: 'otp', monthlyUnits: MONTHLY_UNITS })
      const account = await connectAccount(parts, {
        workspaceId,
        wabaId: String(newWabaId++),
        graphUrl,
        accessToken: 'bench-token',
        appSecret: APP_SECRET,
        verifyToken: 'bench-verify',
      })
      const sender = account.senders[0]
      if (!sender) throw new Error('the account has no number')
      const keys = await Promise.all(
        Array.from({ length: keysEach }, () => createKey(parts.db, parts.clock, { workspaceId, name: 'bench' })),
      )
      opened.push({
        workspaceId,
        accountId: account.accountId,
        senderId: sender.senderId,
        phoneNumberId: sender.phoneNumberId,
        webhookPath: account.webhookPath,
        keys: keys.map(({ apiKey }) => apiKey),
      })
    }
    await openMonths(parts.db, opened)
    return opened
  } finally {
    await parts.close()
  }
}

const openMonths = (db: Db, shops: readonly Shop[]): Promise<void> =>
  openQuotaMonths(
    db,
    shops.map(({ workspaceId }) => ({ workspace_id: workspaceId, kind: 'otp', month: quotaMonth(new Date()) })),
  )

export type OtpRequests = {
  /** The complete text of the next HTTP request. */
  next: () => string
  /** The recipient of the request that was made last; no two requests have the same. */
  lastRecipient: () => string
}

/**
 * Requests of all shops and all their keys in turn, so that no key comes near its rate limit. Each has an idempotency
 * key, a recipient and a reference of its own. `numbers`: how the recipients begin.
 */
export function otpRequests(shops: readonly Shop[], numbers = '+2126'): OtpRequests {
  const clients = interleaved(shops)
  let made = 0
  let recipient = ''
  const run = Math.floor(Math.random() * 1e9).toString(36)
  return {
    lastRecipient: () => recipient,
    next() {
      const client = clients[made % clients.length]
      if (!client) throw new Error('there is no key to ask with')
      recipient = `${numbers}${String(made % 100_000_000).padStart(8, '0')}`
      made += 1
      const body = `{"to":"${recipient}","senderId":"${client.senderId}","template":{"name":"${TEMPLATE.name}","language":"${TEMPLATE.language}"},"code":"493817","reference":"login-${made}"}`
      return post('/api/v1/otp/messages', body, `${client.head}idempotency-key: ${run}-${made}\r\n`)
    },
  }
}

/** The keys of all shops in turn. */
export function interleaved(shops: readonly Shop[]): { senderId: string; head: string }[] {
  const keysEach = shops[0]?.keys.length ?? 0
  return Array.from({ length: keysEach }, (_, index) =>
    shops.map(({ senderId, keys }) => ({ senderId, head: `authorization: Bearer ${keys[index]}\r\n` })),
  ).flat()
}

/** `body` has ASCII characters only. */
export const post = (path: string, body: string, headers: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
