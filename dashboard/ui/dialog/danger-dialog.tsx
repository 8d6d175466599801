import { Button, type ButtonProps, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Failed } from '../failed.tsx'

type Props = {
  label: string
  title: string
  /** The name of what is deleted. The user types it to confirm, and the server checks it too. */
  name: string
  yes: string
  doing: { isPending: boolean; error: unknown }
  onYes: (typed: string) => Promise<unknown>
  button?: ButtonProps
  /** What is lost, and what stays. */
  children: ReactNode
}

/** A button that deletes something for good, once its name was typed. */
export function DangerDialog({ label, button = { variant: 'default', c: 'red' }, ...ask }: Props) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button w="fit-content" {...button} onClick={open}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={ask.title}>
        <Typed {...ask} onClose={close} />
      </Modal>
    </>
  )
}

function Typed({
  name,
  yes,
  doing,
  onYes,
  children,
  onClose,
}: Omit<Props, 'label' | 'button'> & { onClose: () => void }) {
  const { t } = useTexts()
  const [typed, setTyped] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.trim() === name) void onYes(typed.trim()).then(onClose, () => {})
      }}
    >
      <Stack>
        {children}
        <TextInput
          label={t('page_shell.type_to_confirm', { name })}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          autoComplete="off"
          dir="auto"
          data-autofocus
        />
        {doing.error !== null && <Failed error={doing.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('page_shell.cancel')}
          </Button>
          <Button type="submit" color="red" loading={doing.isPending} disabled={typed.trim() !== name}>
            {yes}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
