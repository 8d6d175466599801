/** The open chat, by the customer's phone and the id of the business number, and the open tab next to it. */
type PhoneSearch = { phone?: string; number?: string; tab?: 'send' | 'clock' }

export function readPhoneSearch({ phone, number, tab }: Record<string, unknown>): PhoneSearch {
  const chosenTab = tab === 'send' || tab === 'clock' ? ({ tab } as const) : {}
  // The router reads digits in the address as a number.
  const digits = String(typeof phone === 'string' || typeof phone === 'number' ? phone : '').replace(/^\+/, '')
  const id = String(typeof number === 'string' || typeof number === 'number' ? number : '')
  return /^\d{7,15}$/.test(digits) && /^\d{1,40}$/.test(id)
    ? { phone: `+${digits}`, number: id, ...chosenTab }
    : chosenTab
}
