import { type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js/max'

let countries: ReadonlyMap<string, CountryCode> | undefined // takes 80 ms

/** Such as EET or EST5EDT: many countries share these zones, although the database links each to one city. */
const SHARED_ZONE = /^[A-Z]{2}T(?:\d[A-Z]{3})?$/

/** The calling code of the country of an IANA time zone, from Unicode's data, such as 212. Undefined for zones without one. */
export function callingCodeIn(timeZone: string): string | undefined {
  if (SHARED_ZONE.test(timeZone)) return undefined
  countries ??= new Map(getCountries().flatMap((country) => zonesOf(country).map((zone) => [zone, country])))
  const country = countries.get(new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone)
  return country && getCountryCallingCode(country)
}

const zonesOf = (country: CountryCode): string[] => new Intl.Locale('und', { region: country }).getTimeZones() ?? []
