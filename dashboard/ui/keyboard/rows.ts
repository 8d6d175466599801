/** Each row of a list that opens a page has one link for it. */
const LINKS = 'main [data-row-link]'

/** Dispatched on the link of a row to which a key moved. */
export const ROW_MOVED = 'doorcode:row'

/** Moves the focus to the next or previous row, or to the first if no row has it. Does nothing on a page without such rows. */
export function moveToRow(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(LINKS)]
  const current = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement))
  const next = links[current === -1 ? 0 : Math.min(links.length - 1, Math.max(0, current + by))]
  if (!next) return
  next.focus()
  next.closest('tr')?.scrollIntoView({ block: 'nearest' })
  next.dispatchEvent(new CustomEvent(ROW_MOVED, { bubbles: true }))
}

/** The id of what a row's link opens. */
export const idOfRow = (link: EventTarget | null): string | undefined =>
  link instanceof HTMLAnchorElement ? link.pathname.split('/').at(-1) : undefined
