import { Button, type ButtonProps, Group, Modal, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Failed } from './failed.tsx'

/** What is about to be done, and what came of it. */
type Doing = { isPending: boolean; error: unknown }

type Question = {
  /** What happens. */
  children: ReactNode
  doing: Doing
  yes: string
  no: string
  colour?: 'red'
}

/** Asks once, in a window: what happens, the way back, which has the focus, and the way on. */
export function Asked({ children, doing, yes, no, colour, onYes, onNo }: Question & Answered) {
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

/** A button that asks before it does something, and whose window stays until that is done. */
export function AskFirst({
  label,
  title,
  button = { variant: 'default' },
  onYes,
  ...question
}: Question & { label: string; title: string; button?: ButtonProps; onYes: () => Promise<unknown> }) {
  const [asking, { open, close }] = useDisclosure()
  return (
    <>
      <Button w="fit-content" {...button} onClick={open}>
        {label}
      </Button>
      <Modal opened={asking} onClose={close} title={title}>
        <Asked {...question} onYes={() => void onYes().then(close, () => {})} onNo={close} />
      </Modal>
    </>
  )
}
