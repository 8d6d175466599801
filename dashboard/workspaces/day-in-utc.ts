/** Quotas count UTC months and days. */
export const dayInUtc = (language: string, at: string): string =>
  new Intl.DateTimeFormat(`${language}-u-nu-latn`, {
    timeZone: 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  }).format(new Date(at))
