import { dateFormat } from '../ui/formats.ts'

/** Quotas count UTC months and days. */
export const dayInUtc = (language: string, at: string): string =>
  dateFormat(language, {
    timeZone: 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  }).format(new Date(at))
