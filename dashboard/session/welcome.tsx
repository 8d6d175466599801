import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link as RouterLink } from '@tanstack/react-router'
import { useState } from 'react'
import { type Answers, aboutLink, api, askSignIn, faultsOf } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { Loading } from '../ui/loading.tsx'
import { useWords } from '../words.ts'
import { Frame } from './frame.tsx'
import { PasswordField } from './password-field.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { sessionWords } from './words.ts'

type Link = Answers['session']['link']

/** Where a one-time link leads. Its token is in the fragment, which no proxy sees. */
export function Welcome() {
  const text = useWords(sessionWords)
  const [token] = useState(() => location.hash.slice(1))
  const link = useQuery(aboutLink(token))
  return (
    <Frame title={link.data?.purpose === 'password' ? text.newPasswordTitle : text.welcome}>
      {token === '' && <Text>{text.noToken}</Text>}
      {link.isLoading && <Loading />}
      {link.error && <Failed error={link.error} />}
      {(token === '' || link.error) && (
        <Anchor renderRoot={(props) => <RouterLink {...props} to="/sign-in" />}>{text.toSignIn}</Anchor>
      )}
      {link.data && <Use link={link.data} token={token} />}
    </Frame>
  )
}

function Use({ link, token }: { link: Link; token: string }) {
  if (link.purpose === 'password') return <NewPassword link={link} token={token} />
  if (link.purpose === 'invitation' && link.hasAccount) return <Join link={link} token={token} />
  return <NewAccount link={link} token={token} />
}

/** What the link lets its holder do, in words. */
function About({ link: { purpose, workspaceName, role, email } }: { link: Link }) {
  const text = useWords(sessionWords)
  if (purpose === 'setup') return <Text>{text.setup}</Text>
  return (
    <Text>
      {text.invited(email ?? '', workspaceName ?? '')} {role && text.roles[role]}
    </Text>
  )
}

function NewAccount({ link, token }: { link: Link; token: string }) {
  const text = useWords(sessionWords)
  const faultsIn = useFaults({ name: text.name, email: text.email, password: text.password })
  const form = useForm({ initialValues: { name: '', email: link.email ?? '', password: '' } })
  const accept = useMutation(
    api.session.accept.mutationOptions({
      onSuccess: ({ email }, { password }) => comeIn(email, password),
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  return (
    <form onSubmit={form.onSubmit((values) => accept.mutate({ token, ...values }))}>
      <Stack>
        <About link={link} />
        <TextInput label={text.name} autoComplete="name" required autoFocus {...form.getInputProps('name')} />
        <TextInput
          label={text.email}
          type="email"
          autoComplete="username"
          required
          readOnly={link.email !== null}
          dir="ltr"
          {...form.getInputProps('email')}
        />
        <PasswordField
          label={text.password}
          description={text.passwordHint}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        {accept.error && faultsOf(accept.error).length === 0 && <Failed error={accept.error} />}
        <Button type="submit" loading={accept.isPending || accept.isSuccess}>
          {text.begin}
        </Button>
      </Stack>
    </form>
  )
}

async function comeIn(email: string, password: string): Promise<void> {
  const { ok, body } = await askSignIn('sign-in/email', { email, password })
  location.assign(ok && body['twoFactorRedirect'] !== true ? '/dashboard/' : '/dashboard/sign-in')
}

/** Somebody who has an account here already: it gets the workspace as well. */
function Join({ link, token }: { link: Link; token: string }) {
  const text = useWords(sessionWords)
  const session = useQuery(api.session.current.queryOptions())
  const join = useMutation(
    api.session.join.mutationOptions({
      onSuccess: ({ workspaceId }) => location.assign(`/dashboard/w/${workspaceId}/overview`),
    }),
  )
  if (session.isLoading) return <Loading />
  const person = session.data?.person
  const another = person !== undefined && person.email !== link.email
  const signOut = async (): Promise<void> => {
    await askSignIn('sign-out')
    await session.refetch()
  }
  return (
    <Stack>
      <About link={link} />
      {another && (
        <>
          <Alert color="yellow">{text.signedInAs(person.email, link.email ?? '')}</Alert>
          <Button variant="default" onClick={() => void signOut()}>
            {text.signOutHere}
          </Button>
        </>
      )}
      {person && !another && (
        <Button loading={join.isPending || join.isSuccess} onClick={() => join.mutate({ token })}>
          {text.join}
        </Button>
      )}
      {join.error && <Failed error={join.error} />}
      {!person && (
        <>
          <Text size="sm">{text.signInToJoin}</Text>
          <SignInForm email={link.email ?? ''} onDone={() => join.mutate({ token })} />
        </>
      )}
    </Stack>
  )
}

function NewPassword({ link, token }: { link: Link; token: string }) {
  const text = useWords(sessionWords)
  const faultsIn = useFaults({ password: text.password })
  const form = useForm({ initialValues: { password: '' } })
  const set = useMutation(
    api.session.setPassword.mutationOptions({
      onSuccess: ({ email }, { password }) => comeIn(email, password),
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  return (
    <form onSubmit={form.onSubmit((values) => set.mutate({ token, ...values }))}>
      <Stack>
        <Text>{text.newPassword}</Text>
        <TextInput
          label={text.email}
          type="email"
          autoComplete="username"
          readOnly
          dir="ltr"
          value={link.email ?? ''}
        />
        <PasswordField
          label={text.password}
          description={text.passwordHint}
          autoComplete="new-password"
          autoFocus
          {...form.getInputProps('password')}
        />
        {set.error && faultsOf(set.error).length === 0 && <Failed error={set.error} />}
        <Button type="submit" loading={set.isPending || set.isSuccess}>
          {text.setPassword}
        </Button>
      </Stack>
    </form>
  )
}
