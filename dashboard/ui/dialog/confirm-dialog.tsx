import { Button, type ButtonProps, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Failed } from '../fallback.tsx'

type PendingAction = { isPending: boolean; error: unknown }

const NOTHING: PendingAction = { isPending: false, error: null }

type Question = {
  /** What happens. */
  children: ReactNode
  /** The call that the confirmation makes. */
  doing?: PendingAction
  yes: string
  /** The default is "Cancel". */
  no?: string
  colour?: 'red'
}

type Choices = { onYes: () => void; onNo: () => void }

/** A confirmation dialog. Cancel has the focus. */
export function Confirmation({ children, doing = NOTHING, yes, no, colour, onYes, onNo }: Question & Choices) {
  const { t } = useTexts()
  return (
    <Stack>
      {children}
      {doing.error !== null && <Failed error={doing.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onNo} data-autofocus>
          {no ?? t('page_shell.cancel')}
        </Button>
        <Button {...(colour && { color: colour })} loading={doing.isPending} onClick={onYes}>
          {yes}
        </Button>
      </Group>
    </Stack>
  )
}

type Opening = { label: string; title: string; button?: ButtonProps }

function DialogButton({
  label,
  title,
  button = { variant: 'default' },
  children,
}: Opening & { children: (close: () => void) => ReactNode }) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button w="fit-content" {...button} onClick={open}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={title}>
        {children(close)}
      </Modal>
    </>
  )
}

/** A button with a confirmation dialog that stays open until the action has finished. */
export const ConfirmDialog = ({
  label,
  title,
  button,
  onYes,
  ...question
}: Question & Opening & { onYes: () => unknown }) => (
  <DialogButton label={label} title={title} {...(button && { button })}>
    {(close) => (
      <Confirmation {...question} onYes={() => void Promise.resolve(onYes()).then(close, () => {})} onNo={close} />
    )}
  </DialogButton>
)

type Danger = {
  /** The name of what is deleted. The user types it to confirm, and the server checks it too. */
  name: string
  /** The label of its input. */
  ask?: string
  yes: string
  doing: PendingAction
  onYes: (typed: string) => Promise<unknown>
  /** What is lost, and what stays. */
  children: ReactNode
}

/** A button that deletes something permanently after the user has typed its name. */
export const DangerDialog = ({
  label,
  title,
  button = { variant: 'default', c: 'red' },
  ...question
}: Danger & Opening) => (
  <DialogButton label={label} title={title} button={button}>
    {(close) => <TypedConfirmation {...question} onClose={close} />}
  </DialogButton>
)

/** The user types the name of what is deleted. */
export function TypedConfirmation({
  name,
  ask,
  yes,
  doing,
  onYes,
  children,
  onClose,
}: Danger & { onClose: () => void }) {
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
          label={ask ?? t('page_shell.type_to_confirm', { name })}
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

type LeavingProps = {
  loses: boolean
  page: 'page_blocked' | 'page_cod_settings' | 'page_endpoints' | 'page_shell' | 'page_templates'
  onLose?: () => void
  /** Going back or forward within the page loses it too: the address may hold what is open. */
  losesWithin?: boolean
}

/** Asks before unsaved work is lost, by navigation or by closing the tab. */
export function Leaving({ loses, page, onLose, losesWithin = false }: LeavingProps) {
  const { t } = useTexts()
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next, action }) =>
      loses && (current.pathname !== next.pathname || (losesWithin && action !== 'PUSH' && action !== 'REPLACE')),
    enableBeforeUnload: () => loses,
    withResolver: true,
  })
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title={t(`${page}.leave_title`)}>
      <Confirmation
        yes={t(`${page}.leave`)}
        no={t(`${page}.stay`)}
        colour="red"
        onYes={() => {
          onLose?.()
          proceed?.()
        }}
        onNo={() => reset?.()}
      >
        <Text size="sm">{t(`${page}.leave_text`)}</Text>
      </Confirmation>
    </Modal>
  )
}
