import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useWords } from '../words.ts'
import { codWords } from './words.ts'

/** Asks before a page with unsaved changes is left, and has the browser ask before it is closed. */
export function Leaving({ unsaved, onLose }: { unsaved: boolean; onLose: () => void }) {
  const text = useWords(codWords)
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => unsaved && current.pathname !== next.pathname,
    enableBeforeUnload: () => unsaved,
    withResolver: true,
  })
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title={text.leaveTitle}>
      <Stack>
        <Text size="sm">{text.leaveText}</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={() => reset?.()}>
            {text.stay}
          </Button>
          <Button
            color="red"
            onClick={() => {
              onLose()
              proceed?.()
            }}
          >
            {text.leave}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
