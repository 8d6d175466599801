import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'

export type LeavingWords = Readonly<Record<'leaveTitle' | 'leaveText' | 'stay' | 'leave', string>>

/** Asks before a page is left whose work would be lost, and has the browser ask before it is closed. */
export function Leaving({ loses, words, onLose }: { loses: boolean; words: LeavingWords; onLose?: () => void }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => loses && current.pathname !== next.pathname,
    enableBeforeUnload: () => loses,
    withResolver: true,
  })
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title={words.leaveTitle}>
      <Stack>
        <Text size="sm">{words.leaveText}</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={() => reset?.()}>
            {words.stay}
          </Button>
          <Button
            color="red"
            onClick={() => {
              onLose?.()
              proceed?.()
            }}
          >
            {words.leave}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
