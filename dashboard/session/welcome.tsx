import { Button, Container, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, askSignIn, faultsOf } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { Loading } from '../ui/loading.tsx'
import { useWords } from '../words.ts'
import { sessionWords } from './words.ts'

/** Where a one-time link leads. */
export function Welcome() {
  const text = useWords(sessionWords)
  const token = location.hash.slice(1)
  const link = useQuery({ ...api.session.link.queryOptions({ token }), enabled: token !== '' })
  return (
    <Container size="xs" py="xl">
      <Stack>
        <Title order={1}>{text.welcome}</Title>
        {token === '' && <Text>{text.noToken}</Text>}
        {link.isLoading && <Loading />}
        {link.error && <Failed error={link.error} />}
        {link.data && <NewAccount token={token} />}
      </Stack>
    </Container>
  )
}

function NewAccount({ token }: { token: string }) {
  const text = useWords(sessionWords)
  const form = useForm({ initialValues: { name: '', email: '', password: '' } })
  const accept = useMutation(
    api.session.accept.mutationOptions({
      onSuccess: async ({ email }, { password }) => {
        await askSignIn('sign-in/email', { email, password })
        location.assign('/dashboard/')
      },
      onError: (error) =>
        form.setErrors(Object.fromEntries(faultsOf(error).map(({ path, message }) => [path, message]))),
    }),
  )
  return (
    <form onSubmit={form.onSubmit((values) => accept.mutate({ token, ...values }))}>
      <Stack>
        <Text>{text.setup}</Text>
        <TextInput label={text.name} autoComplete="name" {...form.getInputProps('name')} />
        <TextInput label={text.email} type="email" autoComplete="username" {...form.getInputProps('email')} />
        <PasswordInput
          label={text.password}
          description={text.passwordHint}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        {accept.error && faultsOf(accept.error).length === 0 && <Failed error={accept.error} />}
        <Button type="submit" loading={accept.isPending}>
          {text.begin}
        </Button>
      </Stack>
    </form>
  )
}
