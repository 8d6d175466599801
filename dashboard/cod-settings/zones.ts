/** Browsers list these zones only under names that the IANA database has replaced, which few people look for. */
const PRESENT_NAMES: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
}

const withPresentName = (zone: string): string => PRESENT_NAMES[zone] ?? zone

export const zoneOfBrowser = (): string => withPresentName(Intl.DateTimeFormat().resolvedOptions().timeZone)

/** `value`: the zone that is set, under whatever name. */
export const zonesWith = (value: string): string[] =>
  [...new Set([value, 'UTC', ...Intl.supportedValuesOf('timeZone').map(withPresentName)])].filter(Boolean)
