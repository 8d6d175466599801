import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useRef, useState } from 'react'
import { reasonOf } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { offer } from './keyboard/offer.ts'

/** How long a toast offers to undo. */
const OFFERED_MS = 10_000

/** Thrown by an `undo` that the server rejected. Its message, in the reader's language, says what happened. */
export class NotUndone extends Error {}

/** Says what was done, and offers to undo it. `undo` makes the call that reverses it, and refreshes the page. */
export function showUndo(message: ReactNode, undo: () => Promise<unknown>): void {
  if (offer.latest) notifications.hide(offer.latest.id) // only the newest can be undone
  const run = { current: () => {} }
  const mine = { id: crypto.randomUUID(), run: (): void => run.current() }
  offer.latest = mine
  const closeAfter = (autoClose: number | false) =>
    void notifications.update({ id: mine.id, message: toast, autoClose })
  const undoShown = async (): Promise<void> => {
    closeAfter(false) // after a failure it stays
    await undo()
    closeAfter(OFFERED_MS)
  }
  const toast = <UndoToast message={message} undo={undoShown} run={run} />
  notifications.show({
    id: mine.id,
    message: toast,
    autoClose: OFFERED_MS,
    onClose() {
      if (offer.latest === mine) delete offer.latest
    },
  })
}

type Props = { message: ReactNode; undo: () => Promise<unknown>; run: { current: () => void } }

function UndoToast({ message, undo, run }: Props) {
  const { t, textOf } = useTexts()
  const [state, setState] = useState<'offered' | 'undoing' | 'over'>('offered')
  const [error, setError] = useState<unknown>()
  const begun = useRef(false)
  const start = (): void => {
    if (begun.current) return // by the key and the button at the same time
    begun.current = true
    setError(undefined)
    setState('undoing')
    undo().then(
      () => setState('over'),
      (thrown: unknown) => {
        setError(thrown)
        if (thrown instanceof NotUndone) return setState('over')
        begun.current = false
        setState('offered')
      },
    )
  }
  run.current = start
  const reason = reasonOf(error)
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm" component="div">
        {error === undefined
          ? state === 'over'
            ? t('page_shell.undone')
            : message
          : error instanceof NotUndone
            ? error.message
            : reason
              ? textOf(reason)
              : t('page_shell.unreachable')}
      </Text>
      {state !== 'over' && (
        <Button size="compact-sm" variant="default" loading={state === 'undoing'} onClick={start}>
          {t('page_shell.undo')}
        </Button>
      )}
    </Group>
  )
}
