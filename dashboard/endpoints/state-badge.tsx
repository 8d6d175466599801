import { Badge } from '@mantine/core'
import { useWords } from '../words.ts'
import type { Delivery } from './search.ts'
import type { State } from './why.ts'
import { endpointWords } from './words.ts'

const STATE_COLOURS = { enabled: 'teal', failing: 'orange', paused: 'yellow', disabled: 'red' } as const

export function StateBadge({ state }: { state: State }) {
  const text = useWords(endpointWords)
  return <Mark colour={STATE_COLOURS[state]}>{text[state]}</Mark>
}

const STATUS_COLOURS = { pending: 'blue', succeeded: 'teal', failed: 'red', held: 'yellow' } as const

/** `underWay`: an attempt is being made right now, where that is known. */
export function StatusBadge({
  delivery: { status, underWay = false },
}: {
  delivery: Pick<Delivery, 'status'> & { underWay?: boolean }
}) {
  const text = useWords(endpointWords)
  const name = underWay ? text.underWay : status === 'held' ? text.heldOne : text[status]
  return <Mark colour={STATUS_COLOURS[status]}>{name}</Mark>
}

/** The word carries the meaning, in a colour that can be read on every background; the tint only helps the eye. */
function Mark({ colour, children }: { colour: string; children: string }) {
  return (
    <Badge variant="light" color={colour}>
      {children}
    </Badge>
  )
}
