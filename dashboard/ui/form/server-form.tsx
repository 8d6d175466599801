import { Stack, type StackProps } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { type Labels, useFaults } from './faults.ts'
import { FormErrors } from './form-errors.tsx'

type ServerFormState<Values extends Record<string, unknown>> = ReturnType<typeof useServerForm<Values>>

/** A form whose values only the server checks. */
export function useServerForm<Values extends Record<string, unknown>>(labels: Labels, initialValues: Values) {
  const faultsIn = useFaults(labels)
  const form = useForm({ initialValues })
  return {
    ...form,
    labels,
    /** Pass it to the call as `onError`. */
    showFaults: (error: unknown): Record<string, string> => {
      const faults = faultsIn(error)
      form.setErrors(faults)
      return faults
    },
    /** The label, the value and the error of an input. */
    field: (name: keyof Values & string) => ({ label: labels[name], ...form.getInputProps(name) }),
  }
}

type Props<Values extends Record<string, unknown>> = {
  form: ServerFormState<Values>
  call: { error: unknown }
  onSubmit: (values: Values) => void
  gap?: StackProps['gap']
  children: ReactNode
}

export const ServerForm = <Values extends Record<string, unknown>>({
  form,
  call,
  onSubmit,
  gap = 'md',
  children,
}: Props<Values>) => (
  <form noValidate onSubmit={form.onSubmit(onSubmit)}>
    <Stack gap={gap}>
      <FormErrors errors={form.errors} labels={form.labels} failed={call.error} />
      {children}
    </Stack>
  </form>
)
