import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'

/** A badge that shows all of its words, in the colour of text. */
export const Label = ({ color, title, children }: { color: string; title?: string; children: ReactNode }) => (
  <Badge variant="light" color={color} w="fit-content" {...(title !== undefined && { title })}>
    {children}
  </Badge>
)
