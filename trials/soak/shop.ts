import { ENGLISH } from '../../test/world/cod.ts'
import { INSTANCE_KEY } from '../../test/database/seal.ts'
import { setupParts } from '../../bench/shop.ts'
import type { Emulator } from '@doorcode/whatsapp-emulator'
import { DEMO, demoAccount } from '@doorcode/whatsapp-emulator'
import { setCodSettings } from '../../src/cod/settings/settings-store.ts'
import { readCodSettings } from '../../src/cod/settings/settings.ts'
import { readConfig } from '../../src/lib/config.ts'
import { connectAccount, addEndpoint } from '../../test/world/set-up.ts'
import { setQuota } from '../../src/workspaces/quota.ts'
import { createKey } from '../../src/workspaces/keys/keys.ts'
import { createWorkspace } from '../../src/workspaces/workspaces.ts'

/** A workspace with one fast number, COD settings, keys and one webhook endpoint. */
export type SoakShop = { workspaceId: string; senderId: string; keys: [string, ...string[]]; secret: string }

const MONTHLY_UNITS = 1_000_000
/** Enough keys that the rate limit of 20 requests/s per key is never reached. */
const KEYS = 16

const SETTINGS = {
  timeZone: 'Africa/Casablanca',
  languages: {
    en: ENGLISH,
  },
}

type ShopOptions = { databaseUrl: string; emulator: Emulator; callbackOrigin: string; endpointUrl: string }

export async function openShop({ databaseUrl, emulator, callbackOrigin, endpointUrl }: ShopOptions): Promise<SoakShop> {
  const parts = await setupParts(databaseUrl)
  try {
    const { workspaceId } = await createWorkspace(parts.db, parts.clock, { name: 'Soak shop', sandbox: false })
    for (const kind of ['otp', 'cod_confirmation'] as const)
      await setQuota(parts.db, { workspaceId, kind, monthlyUnits: MONTHLY_UNITS })
    const seed = demoAccount()
    const added = emulator.addAccount(seed)
    const { accessToken, appSecret, verifyToken } = seed
    const account = await connectAccount(parts, {
      workspaceId,
      wabaId: added.id,
      graphUrl: emulator.url,
      accessToken,
      appSecret,
      verifyToken,
    })
    added.callbackUrl = `${callbackOrigin}${account.webhookPath}`
    const read = readCodSettings(SETTINGS)
    if (!('settings' in read)) throw new Error(`the settings are wrong: ${JSON.stringify(read)}`)
    await setCodSettings(parts.db, parts.clock, { workspaceId, settings: read.settings })
    const [first, ...others] = await Promise.all(
      Array.from({ length: KEYS }, () => createKey(parts.db, parts.clock, { workspaceId, name: 'soak' })),
    )
    const sender = account.senders.find(({ phoneNumberId }) => phoneNumberId === DEMO.highNumberId)
    if (!first || !sender) throw new Error('the shop has no key or no number')
    const config = readConfig({
      DATABASE_URL: databaseUrl,
      DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
      DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
    })
    const { secret } = await addEndpoint({ ...parts, config }, { workspaceId, url: endpointUrl })
    return { workspaceId, senderId: sender.senderId, keys: [first.apiKey, ...others.map((key) => key.apiKey)], secret }
  } finally {
    await parts.close()
  }
}
