const FIRST_MS = 2_000
const MAX_MS = 120_000
/** About half an hour: WhatsApp allows 200 such calls an hour, and reviews that take longer take long. */
const MAX_POLLS = 20

/** How long to wait before the next poll; undefined: no further poll. */
export const waitBeforePoll = (polls: number): number | undefined =>
  polls >= MAX_POLLS ? undefined : Math.min(FIRST_MS * 2 ** polls, MAX_MS)
