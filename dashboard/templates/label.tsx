import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'

/** A badge that shows all of its words, in the colour of text. */
export const Label = ({ color, title, children }: { color: string; title?: string; children: ReactNode }) => (
  <Badge
    variant="light"
    color={color}
    c="var(--mantine-color-text)"
    tt="none"
    w="fit-content"
    h="auto"
    maw="100%"
    py={2}
    styles={{ label: { whiteSpace: 'normal', overflow: 'visible' } }}
    {...(title !== undefined && { title })}
  >
    {children}
  </Badge>
)
