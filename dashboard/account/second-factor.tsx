import { Box, Button, Center, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { QRCodeSVG } from 'qrcode.react'
import { useState } from 'react'
import { useAccountCall } from '../session/sign-in-call.ts'
import { useTexts } from '../texts/use-texts.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { Secret, SecretDialog } from '../ui/dialog/secret-dialog.tsx'
import { FormProblem, PasswordField } from '../ui/form/fields.tsx'
import { StateMark } from '../ui/state/status.tsx'
import { useSession } from '../ui/workspace.ts'

export function SecondFactor() {
  const { t } = useTexts()
  const { person } = useSession()
  const [doing, setDoing] = useState<'on' | 'off' | 'codes' | null>(null)
  const close = (): void => setDoing(null)
  return (
    <>
      <StateMark colour={person.twoFactor ? 'success' : 'neutral'}>
        {person.twoFactor ? t('page_account.is_on') : t('page_account.is_off')}
      </StateMark>
      <Group>
        {person.twoFactor ? (
          <>
            <Button variant="default" onClick={() => setDoing('codes')}>
              {t('page_account.new_codes')}
            </Button>
            <Button variant="default" onClick={() => setDoing('off')}>
              {t('page_account.turn_off')}
            </Button>
          </>
        ) : (
          <Button variant="default" onClick={() => setDoing('on')}>
            {t('page_account.turn_on')}
          </Button>
        )}
      </Group>
      <SecretDialog
        opened={doing === 'on'}
        onClose={close}
        title={t('page_account.turn_on')}
        closeOnClickOutside={false}
      >
        <TurnOn onDone={close} />
      </SecretDialog>
      <SecretDialog
        opened={doing === 'codes'}
        onClose={close}
        title={t('page_account.new_codes')}
        closeOnClickOutside={false}
      >
        <NewCodes onDone={close} />
      </SecretDialog>
      <Modal opened={doing === 'off'} onClose={close} title={t('page_account.turn_off_title')}>
        <PasswordPrompt
          about={t('page_account.turn_off_about')}
          path="two-factor/disable"
          action={t('page_account.turn_off')}
          colour="red"
          onDone={close}
        />
      </Modal>
    </>
  )
}

function NewCodes({ onDone }: { onDone: () => void }) {
  const { t } = useTexts()
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes) return <BackupCodes codes={codes} onDone={onDone} />
  return (
    <PasswordPrompt
      about={t('page_account.new_codes_about')}
      path="two-factor/generate-backup-codes"
      action={t('page_account.new_codes')}
      onDone={(body) => setCodes(textsIn(body['backupCodes']))}
    />
  )
}

type Step = { name: 'password' } | { name: 'scan'; uri: string; codes: string[] } | { name: 'codes'; codes: string[] }

/** Asks for the password, then for the app's first code, then shows the backup codes. A correct code turns it on. */
function TurnOn({ onDone }: { onDone: () => void }) {
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
        <CodeBlock text={secretIn(uri)} />
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

type PasswordPromptProps = {
  about: string
  path: string
  action: string
  colour?: string
  onDone: (body: Readonly<Record<string, unknown>>) => void
}

/** Asks for the password again: an unattended browser is not enough. */
function PasswordPrompt({ about, path, action, colour, onDone }: PasswordPromptProps) {
  const { t } = useTexts()
  const { problem, busy, call } = useAccountCall()
  const form = useForm({ initialValues: { password: '' } })
  const go = async (values: { password: string }): Promise<void> => {
    const answer = await call(path, values)
    if (answer.ok) onDone(answer.body)
  }
  return (
    <form onSubmit={form.onSubmit((values) => void go(values))}>
      <Stack>
        <Text size="sm">{about}</Text>
        <FormProblem>{problem}</FormProblem>
        <PasswordField
          label={t('page_account.current_password')}
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={busy} {...(colour !== undefined && { color: colour })}>
          {action}
        </Button>
      </Stack>
    </form>
  )
}

/** Shown only once, in a SecretDialog. */
function BackupCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useTexts()
  return (
    <Stack>
      <Text fw={600}>{t('page_account.backup_codes')}</Text>
      <Text size="sm">{t('page_account.backup_codes_about')}</Text>
      <Secret text={codes.join('\n')} />
      <Button onClick={onDone}>{t('page_account.kept')}</Button>
    </Stack>
  )
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
