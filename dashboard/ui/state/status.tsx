import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { type StatusOf, type StatusValue, type Tone, statusWord, toneOf } from './status.ts'

/** A status with its label and colour, the same on every page. */
export function Status<Of extends StatusOf>({ of, value }: { of: Of; value: StatusValue<Of> }) {
  const texts = useTexts()
  return <ToneBadge tone={toneOf(of, value)}>{statusWord(texts, of, value)}</ToneBadge>
}

/** For things that have a tone but no status. */
export const ToneBadge = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <Badge variant="light" color={tone} w="fit-content">
    {children}
  </Badge>
)
