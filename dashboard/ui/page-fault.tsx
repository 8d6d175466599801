import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { codeOf } from '../api.ts'
import { Failed } from './failed.tsx'
import { NotFound } from './not-found.tsx'

/** In place of a page that could not be shown. What is missing looks like an address that never was. */
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
