import { type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js/max'

let countries: ReadonlyMap<string, CountryCode> | undefined // takes 80 ms

/** The calling code of the country of an IANA time zone, from Unicode's data, such as 212. Undefined for zones without one. */
export function callingCodeIn(timeZone: string): string | undefined {
  countries ??= new Map(getCountries().flatMap((country) => zonesOf(country).map((zone) => [zone, country])))
  const country = countries.get(new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone)
  return country && getCountryCallingCode(country)
}

const zonesOf = (country: CountryCode): string[] => new Intl.Locale('und', { region: country }).getTimeZones() ?? []
