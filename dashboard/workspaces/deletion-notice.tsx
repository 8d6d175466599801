import { Suspense, lazy } from 'react'
import { withTexts } from '../texts/load.ts'
import { useWorkspace } from '../ui/workspace.ts'

const DeletionBanner = lazy(
  withTexts(async () => ({ default: (await import('./deletion-banner.tsx')).DeletionBanner })),
)

/** The banner of a workspace that waits for its deletion, which few do: the first load leaves it out. */
export const DeletionNotice = () =>
  useWorkspace().deletionDueAt !== null && (
    <Suspense>
      <DeletionBanner />
    </Suspense>
  )
