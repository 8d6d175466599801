import { Box, Button, Modal, type ModalProps } from '@mantine/core'
import { type ReactNode, createContext, use, useLayoutEffect, useMemo, useState } from 'react'
import { CodeBlock } from '../code-block.tsx'
import { Leaving } from './confirm-dialog.tsx'
import classes from './secret-dialog.module.css'

type SecretCount = { add: (title?: string) => () => void; markCopied: () => void }

const ShownSecrets = createContext<SecretCount | undefined>(undefined)

/** A dialog that may show a secret. While it shows one that was not copied, only its own button closes it. */
export function SecretDialog({ children, ...modal }: ModalProps) {
  const [count, setCount] = useState(0)
  const [isCopied, setCopied] = useState(false)
  const [title, setTitle] = useState<string>()
  const shown = useMemo<SecretCount>(
    () => ({
      add(title) {
        setCopied(false)
        setTitle(title)
        setCount((before) => before + 1)
        return () => {
          setCount((before) => before - 1)
          setTitle(undefined)
        }
      },
      markCopied: () => setCopied(true),
    }),
    [],
  )
  const isLocked = count > 0 && !isCopied
  return (
    <Modal
      {...modal}
      title={title ?? modal.title}
      withCloseButton={!isLocked}
      closeOnEscape={!isLocked}
      closeOnClickOutside={count === 0 && modal.closeOnClickOutside !== false}
    >
      <ShownSecrets value={shown}>{children}</ShownSecrets>
      <Leaving loses={isLocked} page="page_shell" losesWithin />
    </Modal>
  )
}

/** A secret that is shown once. The copy button has the focus. `title`: of the dialog, while it shows the secret. */
export function Secret({ text, title }: { text: string; title?: string }) {
  const shown = use(ShownSecrets)
  // Before the browser handles another key: Escape must not close the dialog at the moment when the secret appears.
  useLayoutEffect(() => shown?.add(title), [shown, title])
  return <CodeBlock text={text} onCopy={shown?.markCopied} autoFocus />
}

/** The end of a dialog, which stays visible however long the content is. */
export const DialogFoot = ({ children }: { children: ReactNode }) => <Box className={classes['foot']}>{children}</Box>

/** Closes the dialog: the only way out. */
export const CopiedButton = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
  <DialogFoot>
    <Button fullWidth onClick={onClick}>
      {children}
    </Button>
  </DialogFoot>
)
