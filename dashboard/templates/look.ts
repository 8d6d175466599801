const FIRST_MS = 2_000
const MOST_MS = 120_000
/** About half an hour: WhatsApp allows 200 such calls an hour, and reviews that take longer take long. */
const LOOKS_MOST = 20

/** How long to wait before looking once more; undefined: not any more. */
export const waitBeforeLook = (looks: number): number | undefined =>
  looks >= LOOKS_MOST ? undefined : Math.min(FIRST_MS * 2 ** looks, MOST_MS)
