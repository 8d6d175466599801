import { Badge, Button, Group, Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { useSession } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { BackupCodes, textsIn } from './backup-codes.tsx'
import { PasswordFirst } from './password-first.tsx'
import { TurnOn } from './turn-on.tsx'
import { accountWords } from './words.ts'

export function SecondFactor() {
  const text = useWords(accountWords)
  const { person } = useSession()
  const [doing, setDoing] = useState<'on' | 'off' | 'codes' | null>(null)
  const close = (): void => setDoing(null)
  return (
    <>
      <Group>
        <Badge variant="light" color={person.twoFactor ? 'teal' : 'gray'}>
          <Text span inherit c="var(--mantine-color-text)">
            {person.twoFactor ? text.isOn : text.isOff}
          </Text>
        </Badge>
      </Group>
      <Group>
        {person.twoFactor ? (
          <>
            <Button variant="default" onClick={() => setDoing('codes')}>
              {text.newCodes}
            </Button>
            <Button variant="default" onClick={() => setDoing('off')}>
              {text.turnOff}
            </Button>
          </>
        ) : (
          <Button variant="default" onClick={() => setDoing('on')}>
            {text.turnOn}
          </Button>
        )}
      </Group>
      <Modal opened={doing === 'on'} onClose={close} title={text.turnOn} closeOnClickOutside={false}>
        <TurnOn onDone={close} />
      </Modal>
      <Modal opened={doing === 'codes'} onClose={close} title={text.newCodes} closeOnClickOutside={false}>
        <NewCodes onDone={close} />
      </Modal>
      <Modal opened={doing === 'off'} onClose={close} title={text.turnOffTitle}>
        <PasswordFirst
          about={text.turnOffAbout}
          path="two-factor/disable"
          action={text.turnOff}
          colour="red"
          onDone={close}
        />
      </Modal>
    </>
  )
}

function NewCodes({ onDone }: { onDone: () => void }) {
  const text = useWords(accountWords)
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes) return <BackupCodes codes={codes} onDone={onDone} />
  return (
    <PasswordFirst
      about={text.newCodesAbout}
      path="two-factor/generate-backup-codes"
      action={text.newCodes}
      onDone={(body) => setCodes(textsIn(body['backupCodes']))}
    />
  )
}
