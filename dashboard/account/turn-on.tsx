import { Box, Button, Center, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { QRCodeSVG } from 'qrcode.react'
import { useState } from 'react'
import { Copyable } from '../ui/copy.tsx'
import { useWords } from '../words.ts'
import { useAskingOfAccount } from './asking.ts'
import { BackupCodes, textsIn } from './backup-codes.tsx'
import { PasswordFirst } from './password-first.tsx'
import { Problem } from './problem.tsx'
import { accountWords } from './words.ts'

type Step = { name: 'password' } | { name: 'scan'; uri: string; codes: string[] } | { name: 'codes'; codes: string[] }

/** The password, then the app that shows the first code, then the backup codes. On only after the code was right. */
export function TurnOn({ onDone }: { onDone: () => void }) {
  const text = useWords(accountWords)
  const [step, setStep] = useState<Step>({ name: 'password' })
  if (step.name === 'password') {
    return (
      <PasswordFirst
        about={text.turnOnAbout}
        path="two-factor/enable"
        action={text.next}
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
  const text = useWords(accountWords)
  const { problem, busy, ask } = useAskingOfAccount()
  const form = useForm({ initialValues: { code: '' } })
  const verify = async ({ code }: { code: string }): Promise<void> => {
    const answer = await ask('two-factor/verify-totp', { code: code.replaceAll(' ', '') })
    if (answer.ok) onDone()
  }
  return (
    <form onSubmit={form.onSubmit((values) => void verify(values))}>
      <Stack>
        <Text size="sm">{text.scan}</Text>
        <Center>
          <Box p="sm" bg="white">
            <QRCodeSVG value={uri} size={QR_PIXELS} title={text.qrCode} />
          </Box>
        </Center>
        <Text size="sm">{text.orType}</Text>
        <Copyable text={secretIn(uri)} block />
        <Problem>{problem}</Problem>
        <TextInput
          label={text.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          data-autofocus
          dir="ltr"
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={busy}>
          {text.confirm}
        </Button>
      </Stack>
    </form>
  )
}

/** In groups of four, as people copy it from one screen to another. */
export const secretIn = (uri: string): string =>
  (new URL(uri).searchParams.get('secret') ?? '').replaceAll(/(.{4})(?=.)/g, '$1 ')
