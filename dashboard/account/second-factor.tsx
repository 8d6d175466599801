import { Badge, Button, Group, Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { SecretDialog } from '../ui/dialog/secret-dialog.tsx'
import { useSession } from '../ui/workspace.ts'
import { BackupCodes, textsIn } from './backup-codes.tsx'
import { PasswordPrompt } from './password-prompt.tsx'
import { TurnOn } from './turn-on.tsx'

export function SecondFactor() {
  const { t } = useTexts()
  const { person } = useSession()
  const [doing, setDoing] = useState<'on' | 'off' | 'codes' | null>(null)
  const close = (): void => setDoing(null)
  return (
    <>
      <Group>
        <Badge variant="light" color={person.twoFactor ? 'success' : 'neutral'}>
          <Text span inherit c="var(--mantine-color-text)">
            {person.twoFactor ? t('page_account.is_on') : t('page_account.is_off')}
          </Text>
        </Badge>
      </Group>
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
