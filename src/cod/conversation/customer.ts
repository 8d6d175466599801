import { type Sql, changes, statement } from '../../lib/db/pool.ts'
import { erasedIn } from '../../lib/phone/erased-recipient.ts'

/**
 * The E.164 forms of one customer's number: the provider's, and those that a request may have used
 * (docs/whatsapp-cloud-api.md#customers-and-their-numbers). Only for finding a customer within one sender.
 */
export function phoneForms(waId: string): string[] {
  const digits = waId.replace(/\D/g, '')
  return [...new Set([digits, ...otherForms(digits)])].map((form) => `+${form}`)
}

function otherForms(digits: string): string[] {
  // Brazil: eight digits after the area code, or nine with a leading 9.
  const [, brazilArea, brazilRest] = /^55(\d{2})9?(\d{8})$/.exec(digits) ?? []
  if (brazilArea && brazilRest) return [`55${brazilArea}9${brazilRest}`, `55${brazilArea}${brazilRest}`]
  // Mexico: a 1 after the country code, or nothing.
  const [, mexico] = /^521?(\d{10})$/.exec(digits) ?? []
  if (mexico) return [`52${mexico}`, `521${mexico}`]
  // Argentina: mobile numbers have a 9 after the country code; one without it may be a landline, so only it is added.
  const [, argentina] = /^549(\d{10})$/.exec(digits) ?? []
  return argentina ? [`54${argentina}`] : []
}

/** Stores the provider's user ids on locked confirmations: a later message may come without the number. */
export async function storeUserIds(
  tx: Sql,
  customers: readonly { id: string; user_id: string | null }[],
): Promise<void> {
  const identified = customers.filter(({ user_id }) => user_id !== null)
  if (identified.length > 0) await tx.rows(writeUserIds, [changes(identified)])
}

const writeUserIds = statement(
  'store_customer_user_ids',
  `update confirmations c set customer_user_id = $1::jsonb -> c.id::text ->> 'user_id'
   where c.id = any (array (select jsonb_object_keys($1::jsonb)::uuid)) and not (${erasedIn('c.recipient')})`,
)
