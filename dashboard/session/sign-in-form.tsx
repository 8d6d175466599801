import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useWords } from '../words.ts'
import { useAsking } from './asking.ts'
import { PasswordField } from './password-field.tsx'
import { sessionWords } from './words.ts'

/** The password, then the second factor where there is one. `email`: of the one account that may come in here. */
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

function PasswordStep({
  email,
  onDone,
  onSecondFactor,
}: {
  email: string | undefined
  onDone: () => void
  onSecondFactor: () => void
}) {
  const text = useWords(sessionWords)
  const { problem, busy, ask } = useAsking()
  const form = useForm({ initialValues: { email: email ?? '', password: '' } })
  const signIn = async (values: { email: string; password: string }): Promise<void> => {
    const answer = await ask('sign-in/email', { ...values, email: values.email.trim() })
    if (!answer.ok) return
    if (answer.body['twoFactorRedirect'] === true) onSecondFactor()
    else onDone()
  }
  return (
    <form onSubmit={form.onSubmit((values) => void signIn(values))}>
      <Stack>
        <Problem>{problem}</Problem>
        <TextInput
          label={text.email}
          type="email"
          autoComplete="username"
          required
          readOnly={email !== undefined}
          autoFocus={email === undefined}
          dir="ltr"
          {...form.getInputProps('email')}
        />
        <PasswordField
          label={text.password}
          autoComplete="current-password"
          autoFocus={email !== undefined}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={busy}>
          {text.signIn}
        </Button>
        <Text size="sm" c="dimmed">
          {text.forgotten}
        </Text>
        {email === undefined && (
          <Text size="sm" c="dimmed">
            {text.noAccount}
          </Text>
        )}
      </Stack>
    </form>
  )
}

function CodeStep({
  kind,
  onDone,
  onOther,
  onAgain,
}: {
  kind: 'totp' | 'backup'
  onDone: () => void
  onOther: () => void
  onAgain: () => void
}) {
  const text = useWords(sessionWords)
  const { problem, busy, ask } = useAsking()
  const form = useForm({ initialValues: { code: '' } })
  const verify = async ({ code }: { code: string }): Promise<void> => {
    const path = kind === 'totp' ? 'two-factor/verify-totp' : 'two-factor/verify-backup-code'
    const answer = await ask(path, { code: code.replaceAll(' ', '') })
    if (answer.ok) onDone()
    else form.setFieldValue('code', '')
  }
  return (
    <form onSubmit={form.onSubmit((values) => void verify(values))}>
      <Stack>
        <Text size="sm">{kind === 'totp' ? text.totpAbout : text.backupAbout}</Text>
        <Problem>{problem}</Problem>
        <TextInput
          label={kind === 'totp' ? text.totp : text.backup}
          autoComplete="one-time-code"
          inputMode={kind === 'totp' ? 'numeric' : 'text'}
          required
          autoFocus
          dir="ltr"
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={busy}>
          {text.signIn}
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={onOther} ta="start">
          {kind === 'totp' ? text.useBackup : text.useTotp}
        </Anchor>
        <Anchor component="button" type="button" size="sm" onClick={onAgain} ta="start">
          {text.beginAgain}
        </Anchor>
      </Stack>
    </form>
  )
}

function Problem({ children }: { children: string | undefined }) {
  return (
    <div aria-live="assertive">
      {children !== undefined && (
        <Alert color="red" role="alert">
          {children}
        </Alert>
      )}
    </div>
  )
}
