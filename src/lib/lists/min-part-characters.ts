/** Shorter parts match too much. In a file of its own: pages import it, without the library of phone numbers. */
export const MIN_PART_CHARACTERS = 3
