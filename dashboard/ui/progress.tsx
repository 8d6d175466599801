import { Progress, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useLanguage } from '../words.ts'
import { numberFormat } from './number.ts'

/** Who listens is told this often in a whole: each batch would drown everything else. */
const SAID_TIMES = 4

/** How far work is of which it is known how much there is. `amount` says it in words. */
export function ShareProgress({
  label,
  amount,
  done,
  all,
}: {
  label: string
  amount: string
  done: number
  all: number
}) {
  const { language } = useLanguage()
  const share = all === 0 ? 0 : Math.min(1, Math.max(0, done / all))
  const saidShare = Math.floor(share * SAID_TIMES) / SAID_TIMES
  const said = `${label} ${numberFormat(language, { style: 'percent' }).format(saidShare)}`
  return <Shown label={label} amount={amount} said={said} value={Math.round(share * 100)} most={100} />
}

/** How far work is of which only the steps are known: `step` is the one in hand, from 1. It tells no share of a step. */
export function StepProgress({
  label,
  amount,
  said,
  step,
  steps,
}: {
  label: string
  amount: string
  said: string
  step: number
  steps: number
}) {
  return <Shown label={label} amount={amount} said={said} value={step - 1} most={steps} inHand />
}

type Shown = { label: string; amount: string; said: string; value: number; most: number; inHand?: boolean }

function Shown({ label, amount, said, value, most, inHand = false }: Shown) {
  const shareOf = (part: number): number => (part / most) * 100
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
        aria-valuemax={most}
        aria-valuenow={value}
        aria-valuetext={amount}
      >
        <Progress.Section value={shareOf(value)} withAria={false} />
        {inHand && <Progress.Section value={shareOf(1)} withAria={false} animated opacity={0.45} />}
      </Progress.Root>
      <Text size="sm">{amount}</Text>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </Stack>
  )
}
