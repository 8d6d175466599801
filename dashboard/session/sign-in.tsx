import { Alert, Button, Container, PasswordInput, Stack, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { askSignIn } from '../api.ts'
import { useWords } from '../words.ts'
import { sessionWords } from './words.ts'

export function SignIn() {
  const text = useWords(sessionWords)
  const [problem, setProblem] = useState<string>()
  const form = useForm({ initialValues: { email: '', password: '' } })
  const signIn = async (values: { email: string; password: string }): Promise<void> => {
    const answer = await askSignIn('sign-in/email', values)
    if (answer.ok) location.assign('/dashboard/')
    else setProblem(text.wrong)
  }
  return (
    <Container size="xs" py="xl">
      <form onSubmit={form.onSubmit((values) => void signIn(values))}>
        <Stack>
          <Title order={1}>{text.signIn}</Title>
          {problem !== undefined && (
            <Alert color="red" role="alert">
              {problem}
            </Alert>
          )}
          <TextInput label={text.email} type="email" autoComplete="username" {...form.getInputProps('email')} />
          <PasswordInput label={text.password} autoComplete="current-password" {...form.getInputProps('password')} />
          <Button type="submit">{text.signIn}</Button>
        </Stack>
      </form>
    </Container>
  )
}
