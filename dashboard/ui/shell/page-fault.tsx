import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { codeOf } from '../../api.ts'
import { Failed } from '../failed.tsx'
import { NotFound } from './not-found.tsx'

/** In place of a page that failed. A missing object looks like an unknown address. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  const queries = useQueryErrorResetBoundary()
  const router = useRouter()
  if (codeOf(error) === 'NOT_FOUND') return <NotFound />
  const again = (): void => {
    queries.reset()
    reset()
    void router.invalidate()
  }
  return <Failed error={error} onAgain={again} />
}
