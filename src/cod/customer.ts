/**
 * The forms under which one customer's number may come (whatsapp-cloud-api.md §4.5), in E.164: as the provider named it,
 * and as it may have been asked for. Only for looking a customer up within one sender.
 */
export function phoneForms(waId: string): string[] {
  const digits = waId.replace(/\D/g, '')
  return [...new Set([digits, ...otherForms(digits)])].map((form) => `+${form}`)
}

function otherForms(digits: string): string[] {
  // Brazil: eight digits after the area code, or nine with a leading 9.
  const [, brazilArea, brazilRest] = /^55(\d{2})9?(\d{8})$/.exec(digits) ?? []
  if (brazilArea && brazilRest) return [`55${brazilArea}9${brazilRest}`, `55${brazilArea}${brazilRest}`]
  // Mexico: a 1 after the country code, or none.
  const [, mexico] = /^521?(\d{10})$/.exec(digits) ?? []
  if (mexico) return [`52${mexico}`, `521${mexico}`]
  // Argentina: mobile numbers have a 9 after the country code; one without it may be a landline, so only it is added.
  const [, argentina] = /^549(\d{10})$/.exec(digits) ?? []
  return argentina ? [`54${argentina}`] : []
}
