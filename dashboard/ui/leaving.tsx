import { Modal, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { Asked } from './ask-first.tsx'

export type LeavingWords = Readonly<Record<'leaveTitle' | 'leaveText' | 'stay' | 'leave', string>>

const NOTHING = { isPending: false, error: null }

/** Asks before a page is left whose work would be lost, and has the browser ask before it is closed. */
export function Leaving({ loses, words, onLose }: { loses: boolean; words: LeavingWords; onLose?: () => void }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => loses && current.pathname !== next.pathname,
    enableBeforeUnload: () => loses,
    withResolver: true,
  })
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title={words.leaveTitle}>
      <Asked
        doing={NOTHING}
        yes={words.leave}
        no={words.stay}
        colour="red"
        onYes={() => {
          onLose?.()
          proceed?.()
        }}
        onNo={() => reset?.()}
      >
        <Text size="sm">{words.leaveText}</Text>
      </Asked>
    </Modal>
  )
}
