import { Suspense } from 'react'
import { withTexts } from '../texts/load.ts'
import { lazyPart } from '../ui/shell/lazy-part.ts'
import { useWorkspace } from '../ui/workspace.ts'

const DeletionBanner = lazyPart(withTexts(async () => (await import('./deletion-banner.tsx')).DeletionBanner))
const SandboxWorkBanner = lazyPart(withTexts(async () => (await import('./sandbox-work-banner.tsx')).SandboxWorkBanner))

/** The banners of a workspace that waits for its deletion or is being filled, which few are: the first load leaves them out. */
export function WorkspaceNotices() {
  const { deletionDueAt, sandboxWork } = useWorkspace()
  return (
    <Suspense>
      {deletionDueAt !== null && <DeletionBanner />}
      {sandboxWork !== null && <SandboxWorkBanner />}
    </Suspense>
  )
}
