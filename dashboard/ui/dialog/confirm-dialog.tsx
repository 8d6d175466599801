import { Button, type ButtonProps, Group, Modal, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Failed } from '../failed.tsx'

type PendingAction = { isPending: boolean; error: unknown }

type Question = {
  /** What happens. */
  children: ReactNode
  doing: PendingAction
  yes: string
  no: string
  colour?: 'red'
}

/** A confirmation dialog. Cancel has the focus. */
export function Confirmation({ children, doing, yes, no, colour, onYes, onNo }: Question & Answered) {
  return (
    <Stack>
      {children}
      {doing.error !== null && <Failed error={doing.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onNo} data-autofocus>
          {no}
        </Button>
        <Button {...(colour && { color: colour })} loading={doing.isPending} onClick={onYes}>
          {yes}
        </Button>
      </Group>
    </Stack>
  )
}

type Answered = { onYes: () => void; onNo: () => void }

/** A button with a confirmation dialog that stays open until the action has finished. */
export function ConfirmDialog({
  label,
  title,
  button = { variant: 'default' },
  onYes,
  ...question
}: Question & { label: string; title: string; button?: ButtonProps; onYes: () => Promise<unknown> }) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button w="fit-content" {...button} onClick={open}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={title}>
        <Confirmation {...question} onYes={() => void onYes().then(close, () => {})} onNo={close} />
      </Modal>
    </>
  )
}
