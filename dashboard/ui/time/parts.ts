/** The month in letters: in figures, some read the day for it. */
export const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const

/** One clock on every page, the one of the phone and of delivery ranges. */
export const CLOCK = { hourCycle: 'h23' } as const
