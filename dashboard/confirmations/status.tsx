import { Badge } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import type { RefusalStatus, Status } from './search.ts'

type Either = Status | RefusalStatus

const COLOURS = {
  accepted: 'gray',
  awaiting_answer: 'yellow',
  confirmed: 'teal',
  cancelled: 'orange',
  rescheduling: 'yellow',
  rescheduled: 'blue',
  no_response: 'gray',
  failed: 'red',
  awaiting_reason: 'yellow',
  awaiting_note: 'yellow',
  denied: 'teal',
  refusal_confirmed: 'orange',
} as const satisfies Record<Either, string>

export function CheckStatus({ status }: { status: Either }) {
  const { t } = useTexts()
  return (
    <Badge color={COLOURS[status]} variant="light">
      {t(`page_confirmations.${status}`)}
    </Badge>
  )
}
