/** A page about one thing that was opened. */
export type RecentPage = { path: string; title: string }

const MAX_RECENT = 20

/** Only in this tab's memory: titles have phone numbers, which must be gone when they are erased. */
let pages: readonly RecentPage[] = []

export function rememberPage(page: RecentPage): void {
  pages = [page, ...pages.filter(({ path }) => path !== page.path)].slice(0, MAX_RECENT)
}

/** The latest first, without the page that is open. */
export const recentPages = (workspaceId: string, openPath: string): readonly RecentPage[] =>
  pages.filter(({ path }) => path !== openPath && path.includes(`/w/${workspaceId}/`))
