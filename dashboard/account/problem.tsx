import { Alert } from '@mantine/core'

export function FormError({ children }: { children: string | undefined }) {
  if (children === undefined) return null
  return (
    <Alert color="red" role="alert">
      {children}
    </Alert>
  )
}
