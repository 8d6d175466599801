/** What the newest toast offers to undo, while it is shown. */
export const offer: { latest?: { id: string; run: () => void } } = {}
