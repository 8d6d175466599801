import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { FormProblem, PasswordField } from '../ui/form/fields.tsx'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { type Labels, faultSentence } from '../ui/form/faults.ts'
import { Frame } from './frame.tsx'
import { useSignInCall } from './sign-in-call.ts'

export function SignIn() {
  const { t } = useTexts()
  const { back } = useSearch({ from: '/sign-in' })
  return (
    <Frame title={t('page_session.sign_in')}>
      <SignInForm onDone={() => location.assign(`/dashboard${back ?? '/'}`)} />
    </Frame>
  )
}

/** The password, then the second factor where there is one. `email`: the only account that may sign in here. */
export function SignInForm({ email, onDone }: { email?: string; onDone: () => void }) {
  const [step, setStep] = useState<'password' | 'totp' | 'backup'>('password')
  if (step === 'password') {
    return <PasswordStep email={email} onDone={onDone} onSecondFactor={() => setStep('totp')} />
  }
  return (
    <CodeStep
      key={step}
      kind={step}
      onDone={onDone}
      onOther={() => setStep(step === 'totp' ? 'backup' : 'totp')}
      onAgain={() => setStep('password')}
    />
  )
}

/** A form whose fields must all have a value; only then is it sent. */
function useRequiredForm<Values extends Record<string, string>>(labels: Labels, initialValues: Values) {
  const texts = useTexts()
  const emptyIn = (values: Values): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values)
        .filter(([, value]) => value.trim() === '')
        .map(([name]) => [name, faultSentence(labels[name] ?? name, { code: 'http.must_not_be_empty' }, texts)]),
    )
  return useForm({ initialValues, validate: emptyIn })
}

type PasswordStepProps = { email: string | undefined; onDone: () => void; onSecondFactor: () => void }

function PasswordStep({ email, onDone, onSecondFactor }: PasswordStepProps) {
  const { t } = useTexts()
  const { problem, busy, call } = useSignInCall()
  const labels = { email: t('page_session.email'), password: t('page_session.password') }
  const form = useRequiredForm(labels, { email: email ?? '', password: '' })
  const signIn = async (values: { email: string; password: string }): Promise<void> => {
    const response = await call('sign-in/email', { ...values, email: values.email.trim() })
    if (!response.ok) return
    if (response.body['twoFactorRedirect'] === true) onSecondFactor()
    else onDone()
  }
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void signIn(values))}>
      <Stack>
        <FormErrors errors={form.errors} labels={labels} />
        <FormProblem>{problem}</FormProblem>
        <TextInput
          label={labels.email}
          type="email"
          autoComplete="username"
          required
          readOnly={email !== undefined}
          autoFocus={email === undefined}
          dir="ltr"
          {...form.getInputProps('email')}
        />
        <PasswordField
          label={labels.password}
          autoComplete="current-password"
          autoFocus={email !== undefined}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={busy}>
          {t('page_session.sign_in')}
        </Button>
        <Text size="sm" c="dimmed">
          {t('page_session.forgotten')}
        </Text>
        {email === undefined && (
          <Text size="sm" c="dimmed">
            {t('page_session.no_account')}
          </Text>
        )}
      </Stack>
    </form>
  )
}

type CodeStepProps = { kind: 'totp' | 'backup'; onDone: () => void; onOther: () => void; onAgain: () => void }

function CodeStep({ kind, onDone, onOther, onAgain }: CodeStepProps) {
  const { t } = useTexts()
  const { problem, busy, call } = useSignInCall()
  const labels = { code: kind === 'totp' ? t('page_session.totp') : t('page_session.backup') }
  const form = useRequiredForm(labels, { code: '' })
  const verify = async ({ code }: { code: string }): Promise<void> => {
    const path = kind === 'totp' ? 'two-factor/verify-totp' : 'two-factor/verify-backup-code'
    const response = await call(path, { code: code.replaceAll(' ', '') })
    if (response.ok) onDone()
    else form.setFieldValue('code', '')
  }
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void verify(values))}>
      <Stack>
        <Text size="sm">{kind === 'totp' ? t('page_session.totp_about') : t('page_session.backup_about')}</Text>
        <FormErrors errors={form.errors} labels={labels} />
        <FormProblem>{problem}</FormProblem>
        <TextInput
          label={labels.code}
          autoComplete="one-time-code"
          inputMode={kind === 'totp' ? 'numeric' : 'text'}
          required
          autoFocus
          dir="ltr"
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={busy}>
          {t('page_session.sign_in')}
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={onOther} ta="start">
          {kind === 'totp' ? t('page_session.use_backup') : t('page_session.use_totp')}
        </Anchor>
        <Anchor component="button" type="button" size="sm" onClick={onAgain} ta="start">
          {t('page_session.begin_again')}
        </Anchor>
      </Stack>
    </form>
  )
}
