import { Badge } from '@mantine/core'
import { useWords } from '../words.ts'
import type { RefusalStatus, Status } from './search.ts'
import { confirmationWords } from './words.ts'

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

/** In words; the colour only repeats them. */
export function CheckStatus({ status }: { status: Either }) {
  const text = useWords(confirmationWords)
  return (
    <Badge color={COLOURS[status]} variant="light">
      {text[status]}
    </Badge>
  )
}
