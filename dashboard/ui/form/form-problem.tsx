import { Alert } from '@mantine/core'

/** Why a form was not accepted, where that is of no single field. */
export function FormProblem({ children }: { children: string | undefined }) {
  if (children === undefined) return null
  return (
    <Alert color="failure" role="alert">
      {children}
    </Alert>
  )
}
