import { Button, Group, Stack, Text } from '@mantine/core'
import { Leaving, type LeavingWords } from './leaving.tsx'
import { ShareProgress } from './progress.tsx'

type RunningWords = LeavingWords & Readonly<Record<'keepOpen' | 'stop' | 'stopping', string>>

/** Work that this page does batch by batch: how far it is, the way to stop it, and a question before it is left. */
export function Running({
  label,
  amount,
  done,
  all,
  isStopping,
  words,
  onStop,
}: {
  label: string
  amount: string
  done: number
  all: number
  isStopping: boolean
  words: RunningWords
  onStop: () => void
}) {
  return (
    <Stack gap="xs">
      <ShareProgress label={isStopping ? words.stopping : label} amount={amount} done={done} all={all} />
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {words.keepOpen}
        </Text>
        <Button size="compact-sm" variant="default" onClick={onStop} disabled={isStopping}>
          {words.stop}
        </Button>
      </Group>
      <Leaving loses words={words} />
    </Stack>
  )
}
