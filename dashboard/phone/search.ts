/** The open chat, by the customer's phone and the id of the business number. */
export type PhoneSearch = { phone?: string; number?: string }

export function readPhoneSearch({ phone, number }: Record<string, unknown>): PhoneSearch {
  // The router reads digits in the address as a number.
  const digits = String(typeof phone === 'string' || typeof phone === 'number' ? phone : '').replace(/^\+/, '')
  const id = String(typeof number === 'string' || typeof number === 'number' ? number : '')
  return /^\d{7,15}$/.test(digits) && /^\d{1,40}$/.test(id) ? { phone: `+${digits}`, number: id } : {}
}
