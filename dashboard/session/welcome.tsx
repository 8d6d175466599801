import { Alert, Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type RouterOutputs, api, checkLink } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed, Loading } from '../ui/fallback.tsx'
import { FormProblem, PasswordField } from '../ui/form/fields.tsx'
import { ServerForm, useServerForm } from '../ui/form/server-form.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { Frame } from './frame.tsx'
import { useSignInCall } from './sign-in-call.ts'
import { SignInForm } from './sign-in.tsx'

type Link = RouterOutputs['session']['link']

/** Where a one-time link leads. Its token is in the fragment, which no proxy sees. */
export function Welcome() {
  const { t } = useTexts()
  const token = useToken()
  const link = useQuery(checkLink(token))
  return (
    <Frame title={link.data?.purpose === 'password' ? t('page_session.new_password_title') : t('page_session.welcome')}>
      {token === '' && <Text>{t('page_session.no_token')}</Text>}
      {link.isLoading && <Loading />}
      {link.error && <Failed error={link.error} />}
      {(token === '' || link.error) && <AnchorLink to="/sign-in">{t('page_session.to_sign_in')}</AnchorLink>}
      {link.data && <Use key={token} link={link.data} token={token} />}
    </Frame>
  )
}

/** Follows changes of the fragment, which do not reload the page: a link may be pasted in two parts. */
function useToken(): string {
  const [token, setToken] = useState(() => location.hash.slice(1))
  useEffect(() => {
    const read = (): void => setToken(location.hash.slice(1))
    window.addEventListener('hashchange', read)
    return () => window.removeEventListener('hashchange', read)
  }, [])
  return token
}

function Use({ link, token }: { link: Link; token: string }) {
  if (link.purpose === 'password') return <NewPassword link={link} token={token} />
  if (link.purpose === 'invitation' && link.hasAccount) return <Join link={link} token={token} />
  return <NewAccount link={link} token={token} />
}

/** What the link lets its holder do, in words. */
function LinkPurpose({ link: { purpose, workspaceName, role, email } }: { link: Link }) {
  const { t } = useTexts()
  if (purpose === 'setup') return <Text>{t('page_session.setup')}</Text>
  return (
    <Text>
      {t('page_session.invited', { email: email ?? '', workspace: workspaceName ?? '' })}{' '}
      {role && t(`page_session.roles_${role}`)}
    </Text>
  )
}

function NewAccount({ link, token }: { link: Link; token: string }) {
  const { t } = useTexts()
  const labels = {
    name: t('page_session.name'),
    email: t('page_session.email'),
    password: t('page_session.password'),
  }
  const form = useServerForm(labels, { name: '', email: link.email ?? '', password: '' })
  const { problem, comeIn } = useComeIn()
  const accept = useMutation(
    api.session.accept.mutationOptions({
      onSuccess: ({ email }, { password }) => comeIn(email, password, '/dashboard/?new=true'),
      onError: form.showFaults,
    }),
  )
  return (
    <ServerForm form={form} call={accept} onSubmit={(values) => accept.mutate({ token, ...values })}>
      <LinkPurpose link={link} />
      <TextInput autoComplete="name" required autoFocus {...form.field('name')} />
      <TextInput
        type="email"
        autoComplete="username"
        required
        readOnly={link.email !== null}
        dir="ltr"
        {...form.field('email')}
      />
      <PasswordField
        description={t('page_session.password_hint')}
        autoComplete="new-password"
        {...form.field('password')}
      />
      <ComeIn problem={problem} loading={accept.isPending || accept.isSuccess}>
        {t('page_session.begin')}
      </ComeIn>
    </ServerForm>
  )
}

/** Signs in with the new password, which a browser may not keep: then `problem` says so, as the link is used up. */
function useComeIn() {
  const { problem, call } = useSignInCall()
  const comeIn = async (email: string, password: string, to = '/dashboard/'): Promise<void> => {
    const { ok, code, body } = await call('sign-in/email', { email, password })
    if (code === 'NO_TLS') return
    location.assign(ok && body['twoFactorRedirect'] !== true ? to : '/dashboard/sign-in')
  }
  return { problem, comeIn }
}

function ComeIn({ problem, loading, children }: { problem: string | undefined; loading: boolean; children: string }) {
  if (problem !== undefined) return <FormProblem>{problem}</FormProblem>
  return (
    <Button type="submit" loading={loading}>
      {children}
    </Button>
  )
}

/** For a person who already has an account. */
function Join({ link, token }: { link: Link; token: string }) {
  const { t } = useTexts()
  const session = useQuery(api.session.current.queryOptions())
  const { problem, busy, call } = useSignInCall(() => void session.refetch())
  const join = useMutation(
    api.session.join.mutationOptions({
      onSuccess: ({ workspaceId }) => location.assign(`/dashboard/w/${workspaceId}/overview`),
    }),
  )
  if (session.isLoading) return <Loading />
  const person = session.data?.person
  const another = person !== undefined && person.email !== link.email
  return (
    <Stack>
      <LinkPurpose link={link} />
      {another && (
        <>
          <Alert color="warning">
            {t('page_session.signed_in_as', { now: person.email, invited: link.email ?? '' })}
          </Alert>
          <FormProblem>{problem}</FormProblem>
          <Button variant="default" loading={busy} onClick={() => void call('sign-out', {})}>
            {t('page_session.sign_out_here')}
          </Button>
        </>
      )}
      {person && !another && (
        <Button loading={join.isPending || join.isSuccess} onClick={() => join.mutate({ token })}>
          {t('page_session.join')}
        </Button>
      )}
      {join.error && <Failed error={join.error} />}
      {!person && (
        <>
          <Text size="sm">{t('page_session.sign_in_to_join')}</Text>
          <SignInForm email={link.email ?? ''} onDone={() => join.mutate({ token })} />
        </>
      )}
    </Stack>
  )
}

function NewPassword({ link, token }: { link: Link; token: string }) {
  const { t } = useTexts()
  const labels = { password: t('page_session.password') }
  const form = useServerForm(labels, { password: '' })
  const { problem, comeIn } = useComeIn()
  const set = useMutation(
    api.session.setPassword.mutationOptions({
      onSuccess: ({ email }, { password }) => comeIn(email, password),
      onError: form.showFaults,
    }),
  )
  return (
    <ServerForm form={form} call={set} onSubmit={(values) => set.mutate({ token, ...values })}>
      <Text>{t('page_session.new_password')}</Text>
      <TextInput
        label={t('page_session.email')}
        type="email"
        autoComplete="username"
        readOnly
        dir="ltr"
        value={link.email ?? ''}
      />
      <PasswordField
        description={t('page_session.password_hint')}
        autoComplete="new-password"
        autoFocus
        {...form.field('password')}
      />
      <ComeIn problem={problem} loading={set.isPending || set.isSuccess}>
        {t('page_session.set_password')}
      </ComeIn>
    </ServerForm>
  )
}
