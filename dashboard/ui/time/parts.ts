/** The month is a word, because some readers would take a number for the day. */
export const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const

/** The 24-hour clock on every page, as on the phone and in delivery ranges. */
export const CLOCK = { hourCycle: 'h23' } as const
