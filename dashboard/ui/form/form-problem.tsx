import { Alert } from '@mantine/core'

/** Why a form was not accepted, if the cause is not a single field. */
export function FormProblem({ children }: { children: string | undefined }) {
  if (children === undefined) return null
  return (
    <Alert color="failure" role="alert">
      {children}
    </Alert>
  )
}
