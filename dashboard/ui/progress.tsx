import { Button, Group, Progress, Stack, Text, VisuallyHidden } from '@mantine/core'
import { numberFormat } from '../texts/formats.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Leaving } from './dialog/confirm-dialog.tsx'

type ProgressNoteProps = {
  label: string
  /** The progress as a text. */
  amount: string
  done: number
  all: number
  isStopping: boolean
  page: 'page_blocked' | 'page_endpoints'
  onStop: () => void
}

/** How often a screen reader announces progress in total: after every batch would be too often. */
const ANNOUNCEMENTS = 4

/** Work in batches whose total is known: progress, a stop button, and a question before leaving the page. */
export function ProgressNote({ label: ofWork, amount, done, all, isStopping, page, onStop }: ProgressNoteProps) {
  const { t, language } = useTexts()
  const label = isStopping ? t(`${page}.stopping`) : ofWork
  const share = all === 0 ? 0 : Math.min(1, Math.max(0, done / all))
  const announcedShare = Math.floor(share * ANNOUNCEMENTS) / ANNOUNCEMENTS
  const announcement = `${label} ${numberFormat(language, { style: 'percent' }).format(announcedShare)}`
  return (
    <Stack gap="xs">
      <ProgressBar
        label={label}
        amount={amount}
        announcement={announcement}
        value={Math.round(share * 100)}
        max={100}
      />
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t(`${page}.keep_open`)}
        </Text>
        <Button size="compact-sm" variant="default" onClick={onStop} disabled={isStopping}>
          {t(`${page}.stop`)}
        </Button>
      </Group>
      <Leaving loses page={page} />
    </Stack>
  )
}

type StepProgressProps = { label: string; amount: string; announcement: string; step: number; steps: number }

/** Progress of work of which only the steps are known; `step` is the current one, from 1. */
export function StepProgress({ label, amount, announcement, step, steps }: StepProgressProps) {
  return <ProgressBar label={label} amount={amount} announcement={announcement} value={step - 1} max={steps} inHand />
}

type ProgressBar = {
  label: string
  amount: string
  announcement: string
  value: number
  max: number
  inHand?: boolean
}

function ProgressBar({ label, amount, announcement, value, max, inHand = false }: ProgressBar) {
  const shareOf = (part: number): number => (part / max) * 100
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Progress.Root
        size="lg"
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={value}
        aria-valuetext={amount}
      >
        <Progress.Section value={shareOf(value)} withAria={false} />
        {inHand && <Progress.Section value={shareOf(1)} withAria={false} animated opacity={0.45} />}
      </Progress.Root>
      <Text size="sm">{amount}</Text>
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
    </Stack>
  )
}
