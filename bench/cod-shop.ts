import { setCodSettings } from '../src/cod/settings/settings-store.ts'
import { readCodSettings } from '../src/cod/settings/settings.ts'
import { openQuotaMonths, quotaMonth, setQuota } from '../src/workspaces/quota.ts'
import { CONFIRMATION_TEMPLATE } from './provider.ts'
import { type Shop, type ShopsOptions, interleaved, openShops, post, setupParts } from './shop.ts'

const MONTHLY_UNITS = 1_000_000_000

/** The defaults: a deadline after 24 h, no reminder and no closing message. */
const read = readCodSettings({
  timeZone: 'Africa/Casablanca',
  languages: {
    [CONFIRMATION_TEMPLATE.language]: {
      texts: {
        dayQuestion: 'Which day suits you?',
        timeQuestion: 'What time suits you?',
        refusalReasonQuestion: 'Why did you refuse the parcel?',
        reasonsListButton: 'Choose a reason',
        otherLabel: 'Other',
        notePrompt: 'Please tell us why.',
      },
      timeRanges: ['Morning', 'Afternoon', 'Evening'],
      refusalReasons: ['Too expensive', 'Too late'],
    },
  },
})

/** Workspaces that may ask about orders. */
export async function openCodShops(options: ShopsOptions): Promise<Shop[]> {
  if (!('settings' in read)) throw new Error(`the settings of the bench are wrong: ${JSON.stringify(read.faults)}`)
  const shops = await openShops(options)
  const parts = await setupParts(options.databaseUrl)
  const kind = 'cod_confirmation'
  try {
    for (const { workspaceId } of shops) {
      await setQuota(parts.db, { workspaceId, kind, monthlyUnits: MONTHLY_UNITS })
      await setCodSettings(parts.db, parts.clock, { workspaceId, settings: read.settings })
    }
    const month = quotaMonth(new Date())
    await openQuotaMonths(
      parts.db,
      shops.map(({ workspaceId }) => ({ workspace_id: workspaceId, kind, month })),
    )
    return shops
  } finally {
    await parts.close()
  }
}

export type ConfirmationRequest = { recipient: string; text: string }

/**
 * Requests of all shops and all their keys in turn, each with a recipient, an idempotency key and a reference of its
 * own. `path`: the floor has a route of its own.
 */
export function confirmationRequests(
  shops: readonly Shop[],
  path = '/api/v1/cod-confirmations',
): () => ConfirmationRequest {
  const clients = interleaved(shops)
  const run = Math.floor(Math.random() * 1e9).toString(36)
  const { name, language } = CONFIRMATION_TEMPLATE
  let made = 0
  return () => {
    const client = clients[made % clients.length]
    if (!client) throw new Error('there is no key to ask with')
    made += 1
    const recipient = `+2126${String(made % 100_000_000).padStart(8, '0')}`
    const body = `{"to":"${recipient}","senderId":"${client.senderId}","template":{"name":"${name}","language":"${language}"},"parameters":{"body":["${made}","349 MAD"]},"reference":"order-${made}"}`
    return { recipient, text: post(path, body, `${client.head}idempotency-key: ${run}-${made}\r\n`) }
  }
}
