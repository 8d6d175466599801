import { Badge } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import type { Delivery } from './deliveries/search.ts'
import type { State } from './endpoint-state.ts'

const STATE_COLOURS = { enabled: 'teal', failing: 'orange', paused: 'yellow', disabled: 'red' } as const

export function StateBadge({ state }: { state: State }) {
  const { t } = useTexts()
  return <Mark colour={STATE_COLOURS[state]}>{t(`page_endpoints.${state}`)}</Mark>
}

const STATUS_COLOURS = { pending: 'blue', succeeded: 'teal', failed: 'red', held: 'yellow' } as const

/** `underWay`: an attempt is being made right now, where that is known. */
export function StatusBadge({
  delivery: { status, underWay = false },
}: {
  delivery: Pick<Delivery, 'status'> & { underWay?: boolean }
}) {
  const { t } = useTexts()
  const name = underWay
    ? t('page_endpoints.under_way')
    : status === 'held'
      ? t('page_endpoints.held_one')
      : t(`page_endpoints.${status}`)
  return <Mark colour={STATUS_COLOURS[status]}>{name}</Mark>
}

/** The word carries the meaning, in a colour that is readable on every background; the tint is decoration. */
function Mark({ colour, children }: { colour: string; children: string }) {
  return (
    <Badge variant="light" color={colour}>
      {children}
    </Badge>
  )
}
