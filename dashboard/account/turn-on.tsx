import { Box, Button, Center, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { QRCodeSVG } from 'qrcode.react'
import { useState } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { FormProblem } from '../ui/form/form-problem.tsx'
import { Copyable } from '../ui/copy.tsx'
import { useAccountCall } from './use-account-call.ts'
import { BackupCodes, textsIn } from './backup-codes.tsx'
import { PasswordPrompt } from './password-prompt.tsx'

type Step = { name: 'password' } | { name: 'scan'; uri: string; codes: string[] } | { name: 'codes'; codes: string[] }

/** Asks for the password, then for the app's first code, then shows the backup codes. A correct code turns it on. */
export function TurnOn({ onDone }: { onDone: () => void }) {
  const { t } = useTexts()
  const [step, setStep] = useState<Step>({ name: 'password' })
  if (step.name === 'password') {
    return (
      <PasswordPrompt
        about={t('page_account.turn_on_about')}
        path="two-factor/enable"
        action={t('page_account.next')}
        onDone={({ totpURI, backupCodes }) =>
          setStep({ name: 'scan', uri: String(totpURI), codes: textsIn(backupCodes) })
        }
      />
    )
  }
  if (step.name === 'scan') {
    return <Scan uri={step.uri} onDone={() => setStep({ name: 'codes', codes: step.codes })} />
  }
  return <BackupCodes codes={step.codes} onDone={onDone} />
}

const QR_PIXELS = 192

function Scan({ uri, onDone }: { uri: string; onDone: () => void }) {
  const { t } = useTexts()
  const { problem, busy, call } = useAccountCall()
  const form = useForm({ initialValues: { code: '' } })
  const verify = async ({ code }: { code: string }): Promise<void> => {
    const answer = await call('two-factor/verify-totp', { code: code.replaceAll(' ', '') })
    if (answer.ok) onDone()
  }
  return (
    <form onSubmit={form.onSubmit((values) => void verify(values))}>
      <Stack>
        <Text size="sm">{t('page_account.scan')}</Text>
        <Center>
          <Box p="sm" bg="white">
            <QRCodeSVG value={uri} size={QR_PIXELS} title={t('page_account.qr_code')} />
          </Box>
        </Center>
        <Text size="sm">{t('page_account.or_type')}</Text>
        <Copyable text={secretIn(uri)} block />
        <FormProblem>{problem}</FormProblem>
        <TextInput
          label={t('page_account.code')}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          data-autofocus
          dir="ltr"
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={busy}>
          {t('page_account.confirm')}
        </Button>
      </Stack>
    </form>
  )
}

/** The secret in groups of four, because people copy it from one screen to another. */
const secretIn = (uri: string): string =>
  (new URL(uri).searchParams.get('secret') ?? '').replaceAll(/(.{4})(?=.)/g, '$1 ')
