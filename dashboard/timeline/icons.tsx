import type { Kind } from './marks.ts'

/** Drawn in a 24 px square; their meaning is in the text next to them. */
const PATHS: Readonly<Record<Kind, string>> = {
  request: 'M3 12h14M12 6l6 6-6 6M21 4v16',
  quota: 'M4 20V10M10 20V4M16 20v-7M22 20H2',
  message: 'M4 5h16v11H9l-5 4z',
  attempt: 'M3 11l18-8-8 18-2-8z',
  report: 'M2 13l4 4L15 8M10 16l1 1L20 8',
  customer: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21c1-4 4-6 8-6s7 2 8 6',
  answer: 'M9 7L4 12l5 5M4 12h10c4 0 6 2 6 6',
  event: 'M13 2L5 14h6l-1 8 8-12h-6z',
  webhook: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  timer: 'M12 7v5l3 3M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18',
}

export function KindIcon({ kind }: { kind: Kind }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[kind]} />
    </svg>
  )
}
