import { z } from 'zod'
import { listApprovedTemplates } from '../../accounts/templates/stored.ts'
import { verdictsOf } from '../../accounts/templates/usability.ts'
import type { EmulatorNumber } from '../../accounts/senders.ts'
import type { Sql } from '../../lib/db/pool.ts'
import { UserError } from '../../lib/errors.ts'
import { DASHBOARD_KEY_ID } from '../../workspaces/keys/keys.ts'
import { listKeys } from '../../workspaces/keys/manage-keys.ts'
import { CALL_TIMEOUT_MS, callEmulator, findEmulator, hurryStatuses } from '../emulator.ts'
import type { ShopLanguage } from './shop.ts'

/** The templates that every account of the emulator has, and the use of each. */
const TEMPLATES = { login_code: 'otp', order_confirmation: 'confirmation', delivery_refusal: 'refusal' } as const
export type ShopTemplate = keyof typeof TEMPLATES

export type Shop = Awaited<ReturnType<typeof openShop>>

/**
 * The shop of a demo month: an account of the sandbox on an emulator, with its numbers, templates and customers. Throws UserError if
 * there is no such account.
 */
export async function openShop(sql: Sql, workspaceId: string) {
  const emulator = await findEmulator(sql, workspaceId)
  if (!emulator) throw new UserError({ code: 'sandbox.no_emulator' })
  const numbers = [...emulator.numbers.values()]
  const templates = (await listApprovedTemplates(sql, workspaceId)).filter(
    (template) => template.name in TEMPLATES && verdictsOf(template)[TEMPLATES[template.name as ShopTemplate]] === null,
  )
  const account = accountWithAll(numbers, templates)
  if (!account) throw new UserError({ code: 'sandbox.no_shop_templates', templates: Object.keys(TEMPLATES).join(', ') })
  const senders = numbers.filter(({ accountId }) => accountId === account.accountId)
  const ofAccount = templates.filter(({ accountId }) => accountId === account.accountId)
  const key = (await listKeys(sql, workspaceId)).find(({ revokedAt }) => revokedAt === null)
  const call = async (path: string, body?: object): Promise<unknown> => {
    const answer = await callEmulator(emulator.url, path, { ...(body && { body }), timeoutMs: CALL_TIMEOUT_MS })
    if (!answer) throw new UserError({ code: 'sandbox.no_emulator' })
    return answer.status === 200 ? answer.body : undefined
  }
  return {
    apiKeyId: key?.publicId ?? DASHBOARD_KEY_ID,
    senderOf: (nth: number): EmulatorNumber => senders[nth % senders.length] as EmulatorNumber,
    /** In the language, or in another one if there is no such translation. */
    template(name: ShopTemplate, language: ShopLanguage): { name: string; language: string } {
      const all = ofAccount.filter((template) => template.name === name)
      const found = all.find((template) => template.language.startsWith(language)) ?? all[0]
      return { name, language: found?.language ?? '' }
    },
    hurry: (hurried: boolean) => hurryStatuses(emulator.url, { wabaId: account.wabaId, hurried }),
    /** A customer cannot do it if the message is not on the phone: then nothing happens. */
    act: (action: object) => call('/control/inbound', action),
    /** The code that the customer sees. */
    async codeOn(phone: string): Promise<string | undefined> {
      const shown = messagesShown.safeParse(await call(`/control/messages?limit=1&to=${encodeURIComponent(phone)}`))
      return shown.data?.messages[0]?.code
    },
  }
}

const messagesShown = z.object({ messages: z.array(z.object({ code: z.string().optional() })) })

/** A number of the first account that has a usable template of each name. */
const accountWithAll = (
  numbers: readonly EmulatorNumber[],
  templates: readonly { accountId: string; name: string }[],
): EmulatorNumber | undefined =>
  numbers.find(({ accountId }) =>
    Object.keys(TEMPLATES).every((name) =>
      templates.some((each) => each.accountId === accountId && each.name === name),
    ),
  )
