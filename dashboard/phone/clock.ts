import type { PhoneClock } from '@doorcode/whatsapp-emulator/phone/clock.ts'
import { useMemo } from 'react'
import { useWorkspace } from '../ui/workspace.ts'
import type { PhoneState } from './workspace-time.tsx'

/** The clock of the phones: that of the workspace, in its delivery zone. */
export function usePhoneClock(moves: PhoneState['moves']): PhoneClock {
  const { timeZone } = useWorkspace()
  return useMemo(() => ({ timeZone, at: clockOf(moves) }), [moves, timeZone])
}

/** What the workspace's clock showed at a real instant, after its moves up to then. */
const clockOf =
  (moves: PhoneState['moves']) =>
  (real: Date): Date => {
    const made = moves.filter(({ movedAt }) => new Date(movedAt) <= real)
    return new Date(real.getTime() + made.reduce((sum, { byMs }) => sum + byMs, 0))
  }
